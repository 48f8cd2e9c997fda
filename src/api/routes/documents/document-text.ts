// The text of a document for its readers, page by page, opened where a search found it.
import { z } from 'zod'
import { type DocumentSection, ownerDisplayName } from '../../../domain/document.ts'
import { isPlaceOnly, originalPath, pageOfLink } from '../../../domain/originals/place-link.ts'
import { findPassage, type PassageMark } from '../../../domain/search/passage-place.ts'
import { displayLink, displayTitle } from '../../../domain/values/display-text.ts'
import { getAccess } from '../../../identity/access.ts'
import { getDocumentWithSections } from '../../../store/documents/text.ts'
import { findDocumentFile, type Original } from '../../../store/files/originals.ts'
import { mapVerifications } from '../../../store/freshness/verifications.ts'
import { nullish, WITHOUT_NUL, wireInteger, wireString } from '../../../wire/schemas.ts'
import { mayVerify } from '../../checks/verifiable-document.ts'
import { type RouteCall, route } from '../../route.ts'
import { verificationField, verificationView } from '../../views/freshness/verification.ts'
import {
  madeByModelField,
  pageBefore,
  pageOfText,
  type SectionPart,
  startOfPart,
  type TextPlace,
} from '../../views/text-pages.ts'
import { iso, isoOrNull } from '../../wire/iso.ts'

const MAX_CHARACTERS = 100_000
const DEFAULT_CHARACTERS = 20_000
const MAX_NUMBER = 1_000_000
/** The text before a passage in a long section. */
const CONTEXT_CHARACTERS = 2_000
const MAX_HEADING = 300
/** The opaque cursor: section and character. */
const CURSOR = /^(\d{1,7})-(\d{1,10})$/
const PLACE = /^#(page|slide|sheet)=(.{1,300})$/s
const TIME = /#t=(\d{1,7})$/
const FILE_PLACES = ['page', 'slide', 'sheet'] as const
const PLACE_KINDS = [...FILE_PLACES, 'time'] as const

const cursor = nullish(wireString({ max: 20, pattern: CURSOR }))
const TextQuery = z.object({
  document_id: wireString({ min: 1, max: 2_000, pattern: WITHOUT_NUL }),
  chunk: nullish(wireInteger({ min: 0, max: MAX_NUMBER })).describe('Begin at the passage of this chunk.'),
  section: nullish(wireInteger({ min: 0, max: MAX_NUMBER })).describe('Begin at this section, from 0.'),
  after: cursor.describe('`next_after` of another page: the page behind it.'),
  before: cursor.describe('`previous_before` of another page: the page before it.'),
  limit: nullish(wireInteger({ min: 1, max: MAX_CHARACTERS })).describe(
    `Maximum number of characters. Default: ${DEFAULT_CHARACTERS}.`,
  ),
})
type TextQuery = z.output<typeof TextQuery>

const DocumentText = z
  .object({
    document_id: z.string(),
    semantic_identifier: z.string(),
    title: z.string(),
    source_type: z.string(),
    updated_at: z.iso.datetime(),
    doc_updated_at: z.iso.datetime().nullable().describe('Null if the source does not tell when it changed.'),
    primary_owners: z.array(z.string()),
    link: z.string().nullable().describe('Leads to the document in its source.'),
    original: z
      .object({
        name: z.string(),
        size: z.int().describe('In bytes.'),
        is_container: z
          .boolean()
          .describe('The document is a member of it: of an archive, or an attachment of a mail.'),
        link: z.string().describe('The path of the original, with the page of the passage.'),
      })
      .nullable()
      .describe('Null if Pharos does not hold the file of the document.'),
    verification: verificationField,
    may_verify: z.boolean().describe('Whether the caller may say that it is still right.'),
    sections: z.int(),
    items: z
      .array(
        z.object({
          section: z.int().describe('The place of the section, from 0.'),
          heading: z.string().nullable(),
          place: z
            .object({ kind: z.enum(PLACE_KINDS), name: z.string() })
            .nullable()
            .describe('The page, slide or sheet of the file, or the time in the recording: 1:23.'),
          link: z.string().nullable().describe('Leads to the section in its source, or to the page of the original.'),
          from: z.int().describe('The character of the section with which the text begins.'),
          text: z.string(),
          made_by_model: madeByModelField,
        }),
      )
      .describe('At most 200.'),
    passage: z
      .array(z.object({ section: z.int(), from: z.int(), to: z.int() }))
      .nullable()
      .describe(
        'The places of the chunk in UTF-16 code units, end exclusive. Empty if the document no longer has its text; null if no chunk was sent.',
      ),
    previous_before: z.string().nullable(),
    next_after: z.string().nullable(),
  })
  .meta({ id: 'DocumentText' })

export const documentTextRoutes = [
  route({
    name: 'readDocument',
    method: 'GET',
    path: '/document/text',
    access: 'search',
    pool: 'search',
    tag: 'Search',
    summary: 'Read a document',
    description:
      'Returns the text of a document that the key may read, section by section. A section longer than the page continues on the next one.',
    query: TextQuery,
    reply: DocumentText,
    errors: ['DOCUMENT_NOT_FOUND'],
    services: ['db', 'readChunk', 'now'],
    handle: async ({ query, subject, services: { db, readChunk, now } }) => {
      const access = await getAccess(db, subject)
      const document = await getDocumentWithSections(db, access, query.document_id)
      const { sections } = document
      const passage =
        query.chunk === null ? null : await findChunk({ query, subject, services: { readChunk } }, sections)
      const original = await findDocumentFile(db, access, document)
      const page = pageAt(sections, query, passage ?? [])
      const opened = sections[passage?.[0]?.section ?? page.parts[0]?.section ?? -1]
      return {
        document_id: document.id,
        semantic_identifier: displayTitle(document.semantic_identifier),
        title: displayTitle(document.title ?? document.semantic_identifier),
        source_type: document.source,
        updated_at: iso(document.updated_at),
        doc_updated_at: isoOrNull(document.doc_updated_at),
        primary_owners: document.primary_owners.map(ownerDisplayName),
        link: displayLink(document.link),
        original: originalView(document.id, original, opened?.link ?? null),
        verification: verificationView((await mapVerifications(db, [document.id])).get(document.id), now()),
        may_verify: await mayVerify(db, subject, document),
        sections: sections.length,
        items: page.parts.map((it) => sectionItem(it, document, original)),
        passage,
        previous_before: cursorOf(page.start, (it) => it.section > 0 || it.character > 0),
        next_after: cursorOf(page.next, () => true),
      }
    },
  }),
]

type ChunkCall = { query: TextQuery } & Pick<RouteCall<unknown, unknown, unknown, 'readChunk'>, 'subject' | 'services'>

async function findChunk(
  { query: { document_id, chunk }, subject, services }: ChunkCall,
  sections: readonly DocumentSection[],
): Promise<PassageMark[]> {
  const found = await services.readChunk(subject, { document_id, chunk_ind: chunk ?? 0 })
  return found === undefined ? [] : findPassage(sections, found)
}

interface TextPage {
  parts: SectionPart[]
  start: TextPlace
  next: TextPlace | null
}

function pageAt(sections: readonly DocumentSection[], query: TextQuery, passage: readonly PassageMark[]): TextPage {
  const limit = query.limit ?? DEFAULT_CHARACTERS
  const before = parseCursor(query.before)
  if (before !== null) return { ...pageBefore(sections, before, limit), next: before }
  const start = parseCursor(query.after) ??
    placeOfPassage(sections, passage) ?? { section: query.section ?? 0, character: 0 }
  return { ...pageOfText(sections, start, limit), start }
}

/** The beginning of the section, or of the text shortly before the passage in a long one. */
function placeOfPassage(sections: readonly DocumentSection[], [mark]: readonly PassageMark[]): TextPlace | null {
  if (mark === undefined) return null
  const text = sections[mark.section]?.text ?? ''
  const isLong = mark.from > 2 * CONTEXT_CHARACTERS
  return { section: mark.section, character: isLong ? startOfPart(text, mark.from - CONTEXT_CHARACTERS) : 0 }
}

function parseCursor(text: string | null): TextPlace | null {
  const [, section, character] = CURSOR.exec(text ?? '') ?? []
  return section === undefined ? null : { section: Number(section), character: Number(character) }
}

const cursorOf = (place: TextPlace | null, isWanted: (place: TextPlace) => boolean): string | null =>
  place === null || !isWanted(place) ? null : `${place.section}-${place.character}`

const originalView = (id: string, original: Original | undefined, link: string | null) =>
  original === undefined
    ? null
    : {
        name: displayTitle(original.file.name),
        size: original.file.size,
        is_container: original.isMember,
        link: originalPath(id, original.isMember ? null : pageOfLink(link)),
      }

function sectionItem(
  { section, heading, link, from, text, made_by_model }: SectionPart,
  document: { id: string; link: string | null },
  original: Original | undefined,
) {
  const page = original === undefined || original.isMember ? null : pageOfLink(link)
  const own = link === null || isPlaceOnly(link) ? null : displayLink(link)
  return {
    section,
    heading: heading?.slice(0, MAX_HEADING).toWellFormed() ?? null,
    place: made_by_model === null ? placeView(link) : timeView(link),
    link: own ?? (page === null ? null : originalPath(document.id, page)),
    from,
    text: text.toWellFormed(),
    made_by_model,
  }
}

function placeView(link: string | null): { kind: (typeof PLACE_KINDS)[number]; name: string } | null {
  const [, found, name = ''] = PLACE.exec(link ?? '') ?? []
  const kind = FILE_PLACES.find((it) => it === found)
  return kind === undefined ? null : { kind, name }
}

function timeView(link: string | null): { kind: 'time'; name: string } | null {
  const time = TIME.exec(link?.slice(-20) ?? '')?.[1]
  if (time === undefined) return null
  const [hours, minutes, seconds] = [Math.floor(+time / 3_600), Math.floor(+time / 60) % 60, +time % 60]
  const two = (number: number) => String(number).padStart(2, '0')
  const name = hours === 0 ? `${minutes}:${two(seconds)}` : `${hours}:${two(minutes)}:${two(seconds)}`
  return { kind: 'time', name }
}
