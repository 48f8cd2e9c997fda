// A document as clients push it, and as it is stored.
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { type Problem, problem } from '../wire/problem.ts'
import { wireType } from '../wire/schema-type.ts'
import {
  nullish,
  wireArray,
  wireBoolean,
  wireDateTime,
  wireDocumentId,
  wireInteger,
  wireMetadataValue,
  wireObject,
  wireString,
  wireUnion,
} from '../wire/schemas.ts'
import { externalAccess } from './access.ts'
import type { TextReport } from './extraction/text-report.ts'
import { removeUnicodeTags } from './injection/injection-scan.ts'
import type { SectionCaption } from './made-texts/caption.ts'
import type { ModelContents } from './made-texts/model-text.ts'
import { fillRecordings, type SectionRecording } from './made-texts/transcript.ts'
import { isPlaceOnly } from './originals/place-link.ts'
import { fillSections, type KnownImage, type SectionPicture } from './pictures/recognition.ts'

export const MAX_SECTIONS = 10_000
export const MAX_TEXT = 16_000_000
const MAX_METADATA_KEYS = 256
const MAX_METADATA_BYTES = 8_192
const MAX_TITLE = 10_000
const MAX_ID = 2_000

const link = nullish(wireString({ max: 10_000 }))

const TextSection = z
  .object({
    text: wireString({ max: MAX_TEXT }),
    link,
    heading: nullish(wireString({ max: MAX_TITLE })),
    image_file_id: nullish(wireString({ max: 200 })),
  })
  .meta({ id: 'TextSection' })

const ImageSection = z
  .object({
    image_file_id: wireString({ min: 1, max: 200 }),
    text: nullish(wireString({ max: MAX_TEXT })),
    link,
    heading: nullish(wireString({ max: MAX_TITLE })),
  })
  .meta({ id: 'ImageSection' })

/** Owners appear in mail headers and tables, so their names are single lines. */
const ownerText = nullish(wireString({ max: 500, pattern: /^[^\x00-\x1f\x7f]*$/ }))

/** RFC 5321, 4.5.3.1: the maximum length of a path in octets. */
const MAX_EMAIL = 320

/** Empty counts as absent. Checks only the form: a local part, "@", and a host without spaces. */
const ownerEmail = wireType<string>(parseEmail, { type: 'string', maxLength: MAX_EMAIL })

function parseEmail(value: unknown): string | Problem {
  if (typeof value !== 'string') return problem('string_type')
  if (value.length > MAX_EMAIL) return problem('string_too_long', MAX_EMAIL)
  const at = value.lastIndexOf('@')
  const isAddress = at > 0 && at < value.length - 1 && !/[\s\x00-\x1f\x7f]/.test(value)
  return value === '' || isAddress
    ? value
    : problem('value_error', 'not an e-mail address: it needs a name, "@" and a host')
}

const DocumentOwner = z
  .object({
    display_name: ownerText,
    first_name: ownerText,
    middle_initial: ownerText,
    last_name: ownerText,
    email: nullish(ownerEmail),
  })
  .meta({ id: 'Owner' })
export type DocumentOwner = z.infer<typeof DocumentOwner>

/** The display name of an owner. */
export function ownerDisplayName({
  first_name,
  middle_initial,
  last_name,
  display_name,
  email,
}: DocumentOwner): string {
  const initial = middle_initial ? `${middle_initial.toUpperCase()}.` : null
  const full = [first_name, initial, last_name].filter((it) => it !== null).map(capitalized)
  return (first_name && last_name ? full.join(' ') : null) ?? display_name ?? email ?? first_name ?? 'Unknown'
}
const capitalized = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1)

const metadata = wireObject(wireMetadataValue({ max: MAX_METADATA_BYTES }), { max: MAX_METADATA_KEYS }).refine(
  (it) => Object.entries(it).every(([key, value]) => Buffer.byteLength(key) + bytesOf(value) <= MAX_METADATA_BYTES),
  `a metadata entry is longer than ${MAX_METADATA_BYTES} bytes`,
)

const bytesOf = (value: string | readonly string[]) =>
  typeof value === 'string' ? Buffer.byteLength(value) : value.reduce((sum, it) => sum + Buffer.byteLength(it) + 1, 0)

export const IngestionDocument = z
  .object({
    id: nullish(wireDocumentId()),
    semantic_identifier: wireString({ max: MAX_TITLE }),
    title: nullish(wireString({ max: MAX_TITLE })),
    sections: wireArray(wireUnion({ TextSection, ImageSection }), { max: MAX_SECTIONS }).refine(
      (it) => it.reduce((sum, section) => sum + (section.text?.length ?? 0), 0) <= MAX_TEXT,
      `the sections contain more than ${MAX_TEXT} characters of text`,
    ),
    source: nullish(wireString({ min: 1, max: 100 })),
    metadata,
    doc_updated_at: nullish(wireDateTime()),
    chunk_count: nullish(wireInteger()),
    primary_owners: nullish(wireArray(DocumentOwner, { max: 1_000 })),
    secondary_owners: nullish(wireArray(DocumentOwner, { max: 1_000 })),
    from_ingestion_api: nullish(wireBoolean()),
    external_access: nullish(externalAccess),
  })
  .meta({ id: 'IngestionDocument' })
export type IngestionDocument = z.infer<typeof IngestionDocument>

/** A section as it is stored; absent fields are null. */
export interface DocumentSection {
  text: string
  link: string | null
  heading: string | null
  image_file_id: string | null
  /** The file name of the image; absent if there is no image with that id. */
  image_file_name?: string
  /** The picture whose text is recognised; absent if there is no image with that id. */
  picture?: SectionPicture
  /** The recording whose transcript the section holds, or is to hold. */
  recording?: SectionRecording
  /** The section is the caption of this picture. */
  caption?: SectionCaption
}

/** The content of one version of a document. Two versions with equal content are the same. */
export interface DocumentContent {
  id: string
  semantic_identifier: string
  title: string | null
  source: string
  link: string | null
  doc_updated_at: number | null
  metadata: Record<string, string | string[]>
  primary_owners: DocumentOwner[]
  secondary_owners: DocumentOwner[]
  external_access: z.infer<typeof externalAccess> | null
  sections: DocumentSection[]
  /** Absent for pushed documents. It is no part of the content: another report alone is no new version. */
  report?: TextReport
  /** How many invisible characters were removed, see `removeUnicodeTags`. */
  hidden_characters: number
}

/** Warnings about a document that was accepted. */
export const DOCUMENT_WARNINGS = ['no_text'] as const
export type DocumentWarning = (typeof DOCUMENT_WARNINGS)[number]

/** `no_text`: no section has text, as in a scan or an empty file, so only the title can be found. */
export const contentWarnings = ({ sections }: Pick<DocumentContent, 'sections'>): DocumentWarning[] =>
  sections.some((it) => it.text.trim() !== '') ? [] : ['no_text']

/** `images`: the images, by id, that the caller may use. Text that is recognised in them becomes text of the section. */
export function toDocumentContent(
  document: IngestionDocument,
  images: ReadonlyMap<string, KnownImage> = new Map(),
): DocumentContent {
  const given = document.sections.map(({ text, link, heading, image_file_id }): DocumentSection => {
    const image = images.get(image_file_id ?? '')
    return {
      text: cleanDocumentText(text ?? ''),
      link: link === null || link === undefined ? null : cleanDocumentText(link),
      heading: heading === null || heading === undefined ? null : cleanDocumentText(heading),
      image_file_id: image_file_id ?? null,
      ...(image && { image_file_name: cleanDocumentText(image.name), ...fileOf(image) }),
    }
  })
  const pagesOf = new Map([...images.values()].map(({ blob, pages }) => [blob, pages ?? []]))
  const contents = new Map(
    [...images.values()].flatMap(({ blob, transcript }) => (transcript ? [[blob, transcript] as const] : [])),
  )
  return {
    id: document.id ?? deriveDocumentId(document.semantic_identifier),
    semantic_identifier: cleanDocumentText(document.semantic_identifier),
    title: document.title === null ? null : cleanDocumentText(document.title),
    source: cleanDocumentText(document.source ?? 'ingestion_api'),
    link: given.find((it) => it.link !== null && !isPlaceOnly(it.link))?.link ?? null,
    doc_updated_at: document.doc_updated_at,
    metadata: cleanMetadata(document.metadata),
    primary_owners: (document.primary_owners ?? []).map(cleanOwner),
    secondary_owners: (document.secondary_owners ?? []).map(cleanOwner),
    external_access: document.external_access,
    sections: withTranscripts(fillSections(given, pagesOf, MAX_TEXT), contents),
    hidden_characters: countHiddenCharacters(document),
  }
}

const fileOf = ({ blob, isRecording }: KnownImage): Pick<DocumentSection, 'picture' | 'recording'> =>
  isRecording === true ? { recording: { blob } } : { picture: { blob } }

/** Replaces recordings by their transcripts, as far as these are known. */
export const withTranscripts = (sections: readonly DocumentSection[], contents: ModelContents): DocumentSection[] =>
  fillRecordings(sections, contents, { maxLength: MAX_TEXT, maxSections: MAX_SECTIONS })

/** Derives the id from the title, so that pushing the document again updates it. */
function deriveDocumentId(semanticIdentifier: string): string {
  const id = `ingestion_api_${percentEncode(semanticIdentifier.toWellFormed())}`
  if (id.length <= MAX_ID) return id
  const hash = createHash('sha256').update(id).digest('hex')
  return `${id.slice(0, MAX_ID - hash.length - 1)}_${hash}`
}

const percentEncode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (it) => `%${it.charCodeAt(0).toString(16).toUpperCase()}`)

/** Not every store accepts NUL, and an unpaired surrogate is not a character. */
const cleanDocumentText = (text: string) => removeUnicodeTags(text.toWellFormed().replaceAll('\0', ''))

function countHiddenCharacters({ semantic_identifier, title, sections }: IngestionDocument): number {
  const texts = [semantic_identifier, title ?? '', ...sections.flatMap((it) => [it.text ?? '', it.heading ?? ''])]
  // Each is written as two UTF-16 units.
  return texts.reduce((sum, it) => sum + (it.length - removeUnicodeTags(it).length) / 2, 0)
}

const cleanOwner = (owner: DocumentOwner): DocumentOwner => ({
  display_name: owner.display_name?.toWellFormed() ?? null,
  first_name: owner.first_name?.toWellFormed() ?? null,
  middle_initial: owner.middle_initial?.toWellFormed() ?? null,
  last_name: owner.last_name?.toWellFormed() ?? null,
  email: owner.email?.toWellFormed() ?? null,
})

const cleanMetadata = (metadata: DocumentContent['metadata']): DocumentContent['metadata'] =>
  Object.fromEntries(
    Object.entries(metadata).map(([key, value]) => [
      key,
      typeof value === 'string' ? cleanDocumentText(value) : value.map(cleanDocumentText),
    ]),
  )

/** The title used for search: an empty one means no title, an absent one means the display title. */
export const searchTitle = (document: { title: string | null; semantic_identifier: string }): string =>
  document.title ?? document.semantic_identifier

export function tagsFromMetadata(metadata: DocumentContent['metadata']): { tag_key: string; tag_value: string }[] {
  return Object.entries(metadata).flatMap(([tag_key, value]) =>
    (typeof value === 'string' ? [value] : value).map((tag_value) => ({ tag_key, tag_value })),
  )
}
