// Lists receipts page by page, and as one table.
import { z } from 'zod'
import { DOCUMENT_WARNINGS } from '../../../domain/document.ts'
import { getDocumentScope } from '../../../identity/access.ts'
import { listNewestReceipts, type NamedReceipt, RECEIPT_STATES } from '../../../ingestion/push/receipt.ts'
import type { DocumentScope } from '../../../store/documents/scope.ts'
import { nullish, WITHOUT_NUL, wireBoolean, wireEnum, wireInteger, wireString } from '../../../wire/schemas.ts'
import { type RouteServices, route } from '../../route.ts'
import { csvRow } from '../../views/csv.ts'
import { iso, isoOrNull } from '../../wire/iso.ts'
import { IngestionReceipt, ingestionReceipt, readWaitReasons } from './ingestion.ts'

const NamedIngestionReceipt = IngestionReceipt.extend({
  semantic_identifier: z.string(),
  link: z.string().nullable(),
  source: z.string(),
}).meta({
  id: 'NamedIngestionReceipt',
})
const MAX_RECEIPTS = 200
const DEFAULT_RECEIPTS = 50
const MAX_TITLE_PART = 200
const MAX_ID_LENGTH = 2_000
const MAX_SOURCE = 100

const filterFields = {
  state: nullish(wireEnum(RECEIPT_STATES)).describe('Only waiting documents, or only failed documents.'),
  warning: nullish(wireEnum(DOCUMENT_WARNINGS)).describe('Only documents with this warning.'),
  cc_pair_id: nullish(wireInteger({ min: 1 })).describe('Only documents of this pair.'),
  source: nullish(wireString({ min: 1, max: MAX_SOURCE, pattern: WITHOUT_NUL })).describe(
    'Only documents of this source.',
  ),
  hidden: nullish(wireBoolean()).describe('Only hidden documents, or only others.'),
  title: nullish(wireString({ min: 1, max: MAX_TITLE_PART, pattern: WITHOUT_NUL })).describe('Substring of the title.'),
  document_id: nullish(wireString({ min: 1, max: MAX_ID_LENGTH, pattern: WITHOUT_NUL })).describe(
    'Only the document with this id.',
  ),
}
const ReceiptFilter = z.object(filterFields)

/** The filter as the listing takes it. */
const toFilter = ({ cc_pair_id, hidden, document_id, ...filter }: z.infer<typeof ReceiptFilter>) => ({
  ...filter,
  ccPairId: cc_pair_id,
  isHidden: hidden,
  documentId: document_id,
})

const listReceiptsRoute = route({
  name: 'listReceipts',
  method: 'GET',
  path: '/service-api/receipts',
  access: 'ingest',
  tag: 'Ingestion',
  summary: 'List receipts',
  description: 'Lists the receipts of the documents that the key may manage, latest version first.',
  query: z.object({
    limit: nullish(wireInteger({ min: 1, max: MAX_RECEIPTS })).describe('Default: 50.'),
    before: nullish(wireInteger({ min: 1 })).describe('`next_before` of the previous page.'),
    ...filterFields,
  }),
  reply: z
    .object({ items: z.array(NamedIngestionReceipt), next_before: z.int().nullable() })
    .meta({ id: 'IngestionReceiptPage' }),
  services: ['db', 'indexer', 'recognition', 'transcripts', 'captions'],
  handle: async ({ query: { limit, before, ...filter }, subject, services, signal }) => {
    const page = { ...toFilter(filter), before, limit: limit ?? DEFAULT_RECEIPTS, signal }
    const found = await listNewestReceipts(services, await getDocumentScope(services.db, subject), page)
    const reasons = await readWaitReasons(services)
    return {
      items: found.items.map((it) => ({
        ...ingestionReceipt(it, reasons),
        semantic_identifier: it.semantic_identifier,
        link: it.link,
        source: it.source,
      })),
      next_before: found.next_before,
    }
  },
})

const CSV_COLUMNS = [
  ...['document_id', 'title', 'source', 'connectors', 'status', 'reason', 'hidden'],
  ...['passages', 'accepted_at', 'indexed_at', 'embedded_at', 'link'],
]
const MAX_EXPORTED = 100_000
const EXPORT_BATCH = 1_000

const exportReceiptsRoute = route({
  name: 'exportReceiptsCsv',
  method: 'GET',
  path: '/service-api/receipts/csv',
  access: 'ingest',
  tag: 'Ingestion',
  summary: 'Export receipts as CSV',
  description: `One document per line, latest version first, with the filters of \`GET /service-api/receipts\`. At most ${MAX_EXPORTED.toLocaleString('en')} lines; filter by pair or source to export more.`,
  audit: { action: 'document.export_list', onlyWithRight: 'connectors' },
  query: ReceiptFilter,
  reply: z.string(),
  mediaType: 'text/csv; charset=utf-8',
  services: ['db', 'indexer'],
  handle: async ({ query, subject, services, signal, warn }) => {
    const scope = await getDocumentScope(services.db, subject)
    const { lines, isWhole } = await csvLines(services, scope, { ...toFilter(query), signal })
    if (!isWhole) warn(`The export ends after ${MAX_EXPORTED} documents.`)
    return [csvRow(CSV_COLUMNS), ...lines].join('')
  },
})

async function csvLines(
  services: RouteServices<'db' | 'indexer'>,
  scope: DocumentScope,
  filter: ReturnType<typeof toFilter> & { signal: AbortSignal },
): Promise<{ lines: string[]; isWhole: boolean }> {
  const lines: string[] = []
  for (let before: number | null = null; lines.length < MAX_EXPORTED; ) {
    const page = await listNewestReceipts(services, scope, { ...filter, before, limit: EXPORT_BATCH })
    for (const it of page.items) lines.push(csvLine(it))
    filter.signal.throwIfAborted()
    if (page.next_before === null) return { lines, isWhole: true }
    before = page.next_before
  }
  return { lines, isWhole: false }
}

const csvLine = (it: NamedReceipt): string =>
  csvRow([
    ...[it.document_id, it.semantic_identifier, it.source, it.cc_pairs.map(({ name }) => name).join('; ')],
    ...[it.status, it.reason, it.is_hidden ? 'yes' : 'no', it.chunk_count],
    ...[iso(it.accepted_at), isoOrNull(it.indexed_at), isoOrNull(it.embedded_at), it.link],
  ])

export const receiptRoutes = [listReceiptsRoute, exportReceiptsRoute]
