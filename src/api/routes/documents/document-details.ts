// One document as its page shows it: facts, text, chunks and readers. The id is in the query, because it may be any text.
import { z } from 'zod'
import { searchTitle } from '../../../domain/document.ts'
import { AppError } from '../../../domain/errors.ts'
import { TEXT_NOTICES } from '../../../domain/extraction/text-report.ts'
import { listDocumentReaders, READER_KINDS } from '../../../identity/document-readers.ts'
import { listDocumentChunks, VECTOR_STATES } from '../../../ingestion/index/document-chunks.ts'
import { textFacts } from '../../../ingestion/index/text-facts.ts'
import { findDocumentDetails } from '../../../store/documents/details/document-details.ts'
import { listSections } from '../../../store/documents/text.ts'
import { mapVerifications } from '../../../store/freshness/verifications.ts'
import { nullish, WITHOUT_NUL, wireInteger, wireString } from '../../../wire/schemas.ts'
import { checkTextReadable, getManagedDocument, mayReadText } from '../../checks/readable-document.ts'
import { isVerifiable } from '../../checks/verifiable-document.ts'
import { auditedDocumentId } from '../../http/with-audit.ts'
import { route } from '../../route.ts'
import { verificationField, verificationView } from '../../views/freshness/verification.ts'
import { madeByModelField, pageOfText, type TextPlace } from '../../views/text-pages.ts'
import { iso, isoOrNull } from '../../wire/iso.ts'

const document_id = wireString({ min: 1, max: 2_000, pattern: WITHOUT_NUL }).describe('The id of the document.')
const documentDefaults = { method: 'GET', tag: 'Ingestion' } as const

const owner = z.object({
  display_name: z.string().nullable(),
  first_name: z.string().nullable(),
  middle_initial: z.string().nullable(),
  last_name: z.string().nullable(),
  email: z.string().nullable(),
})

const DocumentExtraction = z
  .object({
    kind: z
      .string()
      .nullable()
      .describe(
        'The kind of the file, such as `pdf`. Null for pushed documents, and for those that were read by an older version.',
      ),
    pages: z.int().nullable().describe('Pages, slides or sheets of the file.'),
    sections: z.int(),
    characters: z.int(),
    tables: z
      .int()
      .nullable()
      .describe('Tables whose columns have names. Null if the text is longer than 2,000,000 characters.'),
    pictures: z.int().describe('Sections that show a picture or a scanned page.'),
    language: z
      .string()
      .nullable()
      .describe('Detected, ISO 639-1; `und`: another one. Null if there is hardly any text.'),
    notices: z
      .array(z.object({ code: z.enum(TEXT_NOTICES), detail: z.string() }))
      .describe('All that was skipped in the file, and why; at most 20.'),
    more_notices: z.int().describe('The number of further notices.'),
    left_out_lines: z
      .int()
      .describe('Lines of a web page that were left out because most pages of its site have them.'),
    left_out: z.array(z.string()).describe('Some of these lines; empty if the caller may not read the text.'),
  })
  .meta({ id: 'DocumentExtraction' })

const NOT_KNOWN = { kind: null, pages: null, notices: [], more_notices: 0, left_out_lines: 0, left_out: [] }

const DocumentDetails = z
  .object({
    document_id: z.string(),
    semantic_identifier: z.string(),
    title: z.string().nullable(),
    source: z.string(),
    link: z.string().nullable(),
    version: z.int().describe('Counts the changes of content, deletions and restorations.'),
    doc_updated_at: z.iso
      .datetime()
      .nullable()
      .describe('When it changed in its source; null if the source does not say.'),
    accepted_at: z.iso.datetime(),
    changed_at: z.iso.datetime().nullable().describe('When its text, access or state changed last.'),
    hidden_at: z.iso.datetime().nullable(),
    quarantined_at: z.iso
      .datetime()
      .nullable()
      .describe('When it came into quarantine because of a secret; null if it is not there.'),
    from_ingestion_api: z.boolean().describe('False if a connector read it.'),
    held_from_prune: z.boolean().describe('Restored from the trash; its source may no longer have it.'),
    pushed_by_email: z.string().nullable(),
    primary_owners: z.array(owner),
    secondary_owners: z.array(owner),
    metadata: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
    extraction: DocumentExtraction,
    may_read_text: z.boolean().describe('Whether the caller may read its text.'),
    verification: verificationField,
    may_verify: z.boolean().describe('Whether the caller may say that it is still right.'),
  })
  .meta({ id: 'DocumentDetails' })

const getDocumentDetailsRoute = route({
  ...documentDefaults,
  name: 'getDocumentDetails',
  path: '/manage/admin/document',
  access: 'ingest',
  summary: 'Get document details',
  query: z.object({ document_id }),
  reply: DocumentDetails,
  errors: ['DOCUMENT_NOT_FOUND'],
  services: ['db', 'now'],
  handle: async ({ query, subject, services: { db, now } }) => {
    const facts = await getManagedDocument(db, subject, query.document_id)
    const details = await findDocumentDetails(db, query.document_id)
    if (details === undefined) throw new AppError('DOCUMENT_NOT_FOUND')
    const { text_report, ...known } = details
    const may_read_text = await mayReadText(db, subject, facts)
    const extraction = {
      ...NOT_KNOWN,
      ...text_report,
      ...textFacts(searchTitle(details), await listSections(db, query.document_id)),
    }
    return {
      ...known,
      extraction: may_read_text ? extraction : { ...extraction, left_out: [] },
      doc_updated_at: isoOrNull(details.doc_updated_at),
      accepted_at: iso(details.accepted_at),
      changed_at: isoOrNull(details.changed_at),
      hidden_at: isoOrNull(details.hidden_at),
      quarantined_at: isoOrNull(details.quarantined_at),
      may_read_text,
      verification: verificationView((await mapVerifications(db, [facts.id])).get(facts.id), now()),
      may_verify: await isVerifiable(db, subject, facts.id),
    }
  },
})

const TEXT_NOTE =
  'The pusher and the readers of a document may read its text, and administrators while `view_as_enabled` is on.'
const MAX_CHARACTERS = 100_000
const DEFAULT_CHARACTERS = 20_000
/** The opaque cursor: section and character. */
const CURSOR = /^(\d{1,6})-(\d{1,10})$/
const START: TextPlace = { section: 0, character: 0 }

function parseCursor(text: string | null): TextPlace {
  const [, section, character] = CURSOR.exec(text ?? '') ?? []
  return section === undefined ? START : { section: Number(section), character: Number(character) }
}

const readAudit = {
  action: 'document.read',
  onlyWithRight: 'connectors',
} as const

const listDocumentSectionsRoute = route({
  ...documentDefaults,
  name: 'listDocumentSections',
  path: '/manage/admin/document/sections',
  access: 'ingest',
  summary: 'List document sections',
  description: `Returns the text as it was extracted, section by section. A section longer than the page continues on the next one. ${TEXT_NOTE}`,
  audit: { ...readAudit, object: ({ query }) => auditedDocumentId(query.document_id) },
  query: z.object({
    document_id,
    limit: nullish(wireInteger({ min: 1, max: MAX_CHARACTERS })).describe(
      `Maximum number of characters. Default: ${DEFAULT_CHARACTERS}.`,
    ),
    after: nullish(wireString({ max: 20, pattern: CURSOR })).describe('`next_after` of the previous page.'),
  }),
  reply: z
    .object({
      items: z.array(
        z.object({
          section: z.int().describe('The place of the section, from 0.'),
          heading: z.string().nullable(),
          link: z.string().nullable(),
          image_file_name: z.string().nullable(),
          from: z.int().describe('The character of the section with which the text begins.'),
          text: z.string(),
          recognition_confidence: z
            .number()
            .nullable()
            .describe(
              'How sure the text recognition was, from 0 to 1. Null if the text was not recognised in a picture.',
            ),
          made_by_model: madeByModelField,
        }),
      ),
      sections: z.int(),
      characters: z.int(),
      next_after: z.string().nullable(),
    })
    .meta({ id: 'DocumentSectionPage' }),
  errors: ['DOCUMENT_NOT_FOUND', 'DOCUMENT_TEXT_CLOSED'],
  services: ['db'],
  handle: async ({ query, subject, services: { db } }) => {
    await checkTextReadable(db, subject, query.document_id)
    const sections = await listSections(db, query.document_id)
    const { parts, next } = pageOfText(sections, parseCursor(query.after), query.limit ?? DEFAULT_CHARACTERS)
    return {
      items: parts.map(({ image_file_name, ...it }) => ({ ...it, image_file_name: image_file_name ?? null })),
      sections: sections.length,
      characters: sections.reduce((sum, it) => sum + it.text.length, 0),
      next_after: next === null ? null : `${next.section}-${next.character}`,
    }
  },
})

const MAX_ITEMS = 200
const DEFAULT_ITEMS = 20
const pageFields = {
  offset: nullish(wireInteger({ min: 0, max: 10_000_000 })),
  limit: nullish(wireInteger({ min: 1, max: MAX_ITEMS })).describe(`Default: ${DEFAULT_ITEMS}.`),
}

const listDocumentChunksRoute = route({
  ...documentDefaults,
  name: 'listDocumentChunks',
  path: '/manage/admin/document/chunks',
  access: 'ingest',
  summary: 'List document chunks',
  description: `Returns the chunks in which a search finds the document, each with the state of its vector. ${TEXT_NOTE}`,
  audit: { ...readAudit, object: ({ query }) => auditedDocumentId(query.document_id) },
  query: z.object({ document_id, ...pageFields }),
  reply: z
    .object({
      items: z.array(
        z.object({
          chunk_ind: z.int(),
          content: z.string(),
          link: z.string().nullable(),
          vector: z
            .enum(VECTOR_STATES)
            .describe(
              '`not_needed`: no letter and no digit, or the text of an earlier chunk. `off`: there is no embedding model.',
            ),
        }),
      ),
      total_items: z.int(),
    })
    .meta({ id: 'DocumentChunkPage' }),
  errors: ['DOCUMENT_NOT_FOUND', 'DOCUMENT_TEXT_CLOSED'],
  services: ['db', 'embedding'],
  handle: async ({ query: { document_id: id, offset, limit }, subject, services }) => {
    await checkTextReadable(services.db, subject, id)
    const page = { offset: offset ?? 0, limit: limit ?? DEFAULT_ITEMS }
    const { chunks, total } = await listDocumentChunks(services, id, page)
    return { items: chunks, total_items: total }
  },
})

const listDocumentReadersRoute = route({
  ...documentDefaults,
  name: 'listDocumentReaders',
  path: '/manage/admin/document/readers',
  access: 'admin',
  summary: 'List document readers',
  description: 'Returns the people and groups that may read the document, each with the reason.',
  audit: { action: 'access.list_readers', object: ({ query }) => auditedDocumentId(query.document_id) },
  query: z.object({ document_id, ...pageFields }),
  reply: z
    .object({
      items: z.array(
        z.object({
          kind: z
            .enum(READER_KINDS)
            .describe(
              '`everyone`, `address`, `group`: the document names them. `pair_everyone`, `pair_group`: they read its connector. `pair_source`: its connector takes readers from the source, which named none: nobody reads it.',
            ),
          name: z.string().describe('The address or the name of the group.'),
          person: z
            .object({ id: z.string(), is_active: z.boolean() })
            .nullable()
            .describe('Null if nobody has the address.'),
          group_id: z.int().nullable().describe('Null if only a source has the group.'),
          members: z.int().nullable().describe('People of the group, here and in sources.'),
          cc_pair: z.object({ id: z.int(), name: z.string() }).nullable(),
        }),
      ),
      total_items: z.int(),
      is_hidden: z.boolean().describe('A hidden or quarantined document is found by nobody.'),
    })
    .meta({ id: 'DocumentReaderPage' }),
  errors: ['DOCUMENT_NOT_FOUND'],
  services: ['db'],
  handle: async ({ query: { document_id: id, offset, limit }, subject, services: { db } }) => {
    const facts = await getManagedDocument(db, subject, id)
    const page = { offset: offset ?? 0, limit: limit ?? DEFAULT_ITEMS }
    const { readers, total } = await listDocumentReaders(db, facts, page)
    return { items: readers, total_items: total, is_hidden: facts.is_hidden || facts.is_quarantined }
  },
})

export const documentDetailRoutes = [
  getDocumentDetailsRoute,
  listDocumentSectionsRoute,
  listDocumentChunksRoute,
  listDocumentReadersRoute,
]
