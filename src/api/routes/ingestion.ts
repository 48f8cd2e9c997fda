import { z } from 'zod'
import { IngestionDocument } from '../../domain/document.ts'
import { nullish, WITHOUT_NUL, wireEnum, wireInteger, wireString } from '../../domain/wire.ts'
import { writableBy } from '../../identity/access.ts'
import { accept, removeIngested } from '../../ingestion/accept.ts'
import {
  awaitIndexed,
  getReceipt,
  newestReceipts,
  RECEIPT_STATES,
  RECEIPT_STATUSES,
  type Receipt,
} from '../../ingestion/receipt.ts'
import { documentObject } from '../auditing.ts'
import { iso, isoOrNull } from '../iso.ts'
import { route } from '../route.ts'

export const IngestionRequest = z
  .object({ document: IngestionDocument, cc_pair_id: nullish(wireInteger()) })
  .meta({ id: 'IngestionRequest' })

export const IngestionResult = z
  .object({ document_id: z.string(), already_existed: z.boolean(), status: z.enum(RECEIPT_STATUSES) })
  .meta({ id: 'IngestionResult' })

const MAX_WAIT_MS = 55_000
const DEFAULT_WAIT_MS = 10_000
const WaitQuery = z.object({
  wait_for: nullish(wireEnum(['indexed'])),
  timeout_ms: nullish(wireInteger({ min: 0, max: MAX_WAIT_MS })),
})

const push = route({
  method: 'POST',
  path: '/service-api/ingestion',
  access: 'ingest',
  lane: 'write',
  tag: 'Ingestion',
  summary: 'Ingest document',
  description:
    'Answers when the document is on the disk; it is searchable a moment later, or at once in the answer with `wait_for=indexed`. An id that exists is updated.',
  query: WaitQuery,
  body: IngestionRequest,
  reply: IngestionResult,
  errors: ['CC_PAIR_NOT_FOUND', 'DOCUMENT_NOT_WRITABLE', 'STORE_FULL', 'DISK_LOW', 'QUEUE_FULL'],
  admit: ({ indexer }) => indexer.checkRoom(),
  handle: async (call) => {
    const { query, body, subject, services } = call
    const writable = await writableBy(services.db, subject)
    const pusher = { user_id: subject.user_id, writable }
    const { document_id, already_existed, seq } = await accept(services, pusher, body, call.requestId)
    if (query.wait_for === null) return { document_id, already_existed, status: 'accepted' as const }
    call.giveWay()
    const deadline = AbortSignal.any([call.signal, AbortSignal.timeout(query.timeout_ms ?? DEFAULT_WAIT_MS)])
    const { status } = await awaitIndexed(services, writable, { document_id, seq }, deadline)
    return { document_id, already_existed, status }
  },
})

const IngestionReceipt = z
  .object({
    document_id: z.string(),
    status: z.enum(RECEIPT_STATUSES),
    accepted_at: z.iso.datetime(),
    indexed_at: z.iso.datetime().nullable(),
    embedded_at: z.iso
      .datetime()
      .nullable()
      .describe('When all its chunks had vectors; null while some have not, and where there is no model.'),
    reason: z.string().nullable(),
    attempts: z.int(),
    retry_at: z.iso.datetime().nullable(),
    chunk_count: z.int().nullable(),
    request_id: z
      .string()
      .nullable()
      .describe('The request that brought the newest version: X-Request-ID of its answer.'),
    cc_pairs: z.array(z.object({ id: z.int(), name: z.string() })),
    unknown_image_file_ids: z
      .array(z.string())
      .describe(
        'Named by its sections, and no upload of the key that pushed it: their file names cannot be searched. Push it again when they are there.',
      ),
  })
  .meta({ id: 'IngestionReceipt' })

const receiptOf = ({ seq: _, ...receipt }: Receipt): z.infer<typeof IngestionReceipt> => ({
  ...receipt,
  accepted_at: iso(receipt.accepted_at),
  indexed_at: isoOrNull(receipt.indexed_at),
  embedded_at: isoOrNull(receipt.embedded_at),
  retry_at: isoOrNull(receipt.retry_at),
})

const DocumentPath = z.object({ document_id: wireString({ pattern: WITHOUT_NUL }) })

/**
 * An id as it came, and what else it may have meant: clients of the existing server name a document by its
 * percent-encoded id, which they then encode once more for the path.
 */
function spellings(decoded: string, raw: string | undefined): string[] {
  return [...new Set([decoded, raw ?? decoded, decodedOnce(decoded)])]
}

function decodedOnce(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const receipt = route({
  method: 'GET',
  path: '/service-api/ingestion/{document_id}',
  access: 'ingest',
  tag: 'Ingestion',
  summary: 'Receipt of a document',
  description: 'What became of it, and why it waits if it does. The id is percent-encoded.',
  params: DocumentPath,
  reply: IngestionReceipt,
  errors: ['DOCUMENT_NOT_FOUND'],
  handle: async ({ params, rawParams, subject, services }) => {
    const writable = await writableBy(services.db, subject)
    return receiptOf(await getReceipt(services, writable, spellings(params.document_id, rawParams.document_id)))
  },
})

const NamedReceipt = IngestionReceipt.extend({ semantic_identifier: z.string(), link: z.string().nullable() }).meta({
  id: 'NamedIngestionReceipt',
})
const MAX_RECEIPTS = 200
const DEFAULT_RECEIPTS = 50

const receipts = route({
  method: 'GET',
  path: '/service-api/receipts',
  access: 'ingest',
  tag: 'Ingestion',
  summary: 'List receipts',
  description: 'Of the documents that the key may look after, the newest version first.',
  query: z.object({
    limit: nullish(wireInteger({ min: 1, max: MAX_RECEIPTS })).describe('50 if it is not said.'),
    before: nullish(wireInteger({ min: 1 })).describe('`next_before` of the page before.'),
    state: nullish(wireEnum(RECEIPT_STATES)).describe('Only those that wait, or those that were given up.'),
  }),
  reply: z
    .object({ items: z.array(NamedReceipt), next_before: z.int().nullable() })
    .meta({ id: 'IngestionReceiptPage' }),
  handle: async ({ query, subject, services }) => {
    const limit = query.limit ?? DEFAULT_RECEIPTS
    const page = { before: query.before, limit, state: query.state }
    const found = await newestReceipts(services, await writableBy(services.db, subject), page)
    return {
      items: found.map((it) => ({ ...receiptOf(it), semantic_identifier: it.semantic_identifier, link: it.link })),
      next_before: found.length < limit ? null : found.at(-1)!.seq,
    }
  },
})

const remove = route({
  method: 'DELETE',
  path: '/service-api/ingestion/{document_id}',
  audit: { action: 'document.delete', object: ({ params }) => documentObject(params.document_id), by: 'connectors' },
  access: 'ingest',
  tag: 'Ingestion',
  summary: 'Delete document',
  description:
    'It is gone from search a moment later and lies in the trash for 30 days, or as long as the settings say.',
  params: DocumentPath,
  reply: z.null(),
  errors: ['DOCUMENT_NOT_FOUND', 'NOT_INGESTED', 'STORE_FULL'],
  handle: async ({ params, rawParams, subject, services, requestId }) => {
    const writable = await writableBy(services.db, subject)
    await removeIngested(services, writable, spellings(params.document_id, rawParams.document_id), requestId)
    return null
  },
})

export const ingestionRoutes = [push, receipt, receipts, remove]
