// The log of a run, missing documents, access and deletion of a pair; and the listing of pairs as a table.
import { z } from 'zod'
import { groupIds } from '../../../domain/connector.ts'
import { AppError } from '../../../domain/errors.ts'
import { listPairStatuses } from '../../../ingestion/pull/pair-listing.ts'
import { setPairAccess } from '../../../store/sources/cc-pairs.ts'
import { findAttempt } from '../../../store/sources/index-attempts.ts'
import { getManagedPair } from '../../../store/sources/managed-pairs.ts'
import { type DeletionEffect, findDeletionEffect } from '../../../store/sources/pair-deletion.ts'
import { listLogLines } from '../../../store/sources/runs/attempt-log.ts'
import { listMissingDocuments, type MissingDocument } from '../../../store/sources/runs/missing-documents.ts'
import { findSchedule } from '../../../store/sources/schedules.ts'
import { nullish, wireEnum, wireInteger, wirePathInteger } from '../../../wire/schemas.ts'
import { route } from '../../route.ts'
import { csvRow } from '../../views/csv.ts'
import { iso, isoOrNull } from '../../wire/iso.ts'
import { StatusResponse } from './connectors.ts'

const CcPairPath = z.object({ cc_pair_id: wirePathInteger() })
const connectorDefaults = { access: ['connectors', 'curate'], tag: 'Connectors' } as const
const ccPairDefaults = { ...connectorDefaults, params: CcPairPath } as const

const MISSING_CAUSES = ['skipped', 'failed', 'trash', 'not_read'] as const

const MissingDocuments = z
  .object({
    items: z.array(
      z.object({
        document_id: z.string(),
        cause: z
          .enum(MISSING_CAUSES)
          .describe('`trash`: it was deleted here. `not_read`: the source named it after the last run.'),
        reason: z.string().nullable(),
      }),
    ),
    total_items: z.int(),
    listed_at: z.iso.datetime().nullable().describe('When the source was last listed completely; null if never.'),
    missing_count: z.int().nullable().describe('Missing documents at that time, also those that are not kept.'),
  })
  .meta({ id: 'PaginatedMissingDocuments' })

function missingCause({ skip_reason, failure_message, is_in_trash }: MissingDocument) {
  if (is_in_trash === 1) return { cause: 'trash', reason: null } as const
  if (failure_message !== null) return { cause: 'failed', reason: failure_message } as const
  if (skip_reason !== null) return { cause: 'skipped', reason: skip_reason } as const
  return { cause: 'not_read', reason: null } as const
}

const DEFAULT_PAGE_SIZE = 10

const listMissingDocumentsRoute = route({
  ...ccPairDefaults,
  name: 'listMissingDocuments',
  method: 'GET',
  path: '/manage/admin/cc-pair/{cc_pair_id}/missing-documents',
  summary: 'List missing documents',
  description:
    'Documents that the last complete listing of the source named and the pair still does not have, ordered by id, each with the cause. Pruning and its dry run list the source. At most 10,000 are kept.',
  query: z.object({
    page_num: nullish(wireInteger({ min: 0, max: 1_000_000 })).describe('Starts at 0.'),
    page_size: nullish(wireInteger({ min: 1, max: 1_000 })).describe('Default: 10.'),
  }),
  reply: MissingDocuments,
  errors: ['CC_PAIR_NOT_FOUND'],
  services: ['db'],
  handle: async ({ params: { cc_pair_id }, query, subject, services: { db } }) => {
    await getManagedPair(db, subject, cc_pair_id)
    const limit = query.page_size ?? DEFAULT_PAGE_SIZE
    const page = { limit, offset: (query.page_num ?? 0) * limit }
    const { missing, total } = await listMissingDocuments(db, cc_pair_id, page)
    const schedule = await findSchedule(db, cc_pair_id)
    return {
      items: missing.map((it) => ({ document_id: it.document_id, ...missingCause(it) })),
      total_items: total,
      listed_at: isoOrNull(schedule?.listed_at ?? null),
      missing_count: schedule?.missing_count ?? null,
    }
  },
})

const getIndexAttemptLogRoute = route({
  ...ccPairDefaults,
  name: 'getIndexAttemptLog',
  method: 'GET',
  path: '/manage/admin/cc-pair/{cc_pair_id}/index-attempts/{index_attempt_id}/log',
  summary: 'Get log of an index attempt',
  description:
    'One line per event: time, level, text. The last 500 lines of each of the newest 10 attempts of a pair are kept; empty for older ones. Values of the credential are masked.',
  params: CcPairPath.extend({ index_attempt_id: wirePathInteger() }),
  reply: z.string(),
  mediaType: 'text/plain; charset=utf-8',
  errors: ['CC_PAIR_NOT_FOUND', 'INDEX_ATTEMPT_NOT_FOUND'],
  services: ['db'],
  handle: async ({ params: { cc_pair_id, index_attempt_id: id }, subject, services: { db } }) => {
    await getManagedPair(db, subject, cc_pair_id)
    if ((await findAttempt(db, cc_pair_id, id)) === undefined) throw new AppError('INDEX_ATTEMPT_NOT_FOUND', { id })
    const lines = await listLogLines(db, cc_pair_id, id)
    return lines.map(({ time, level, text }) => `${iso(time)} ${level} ${text}\n`).join('')
  },
})

const setCcPairAccessRoute = route({
  ...ccPairDefaults,
  name: 'setCcPairAccess',
  method: 'PUT',
  path: '/manage/admin/cc-pair/{cc_pair_id}/access',
  audit: { action: 'cc_pair.set_access', object: 'cc_pair_id' },
  summary: 'Set access of a connector-credential pair',
  description:
    'Opens the documents of the pair to everybody (`public`) or to the given groups (`private`), with the next request. A pair whose access type is `sync` takes its access from the source and cannot be changed.',
  body: z
    .object({ access_type: wireEnum(['public', 'private']), groups: nullish(groupIds) })
    .meta({ id: 'CCPairAccessRequest' }),
  reply: StatusResponse,
  errors: ['CC_PAIR_NOT_FOUND', 'CC_PAIR_DELETING', 'CONNECTOR_BUILT_IN', 'INVALID_INPUT', 'NOT_CURATED'],
  services: ['db'],
  handle: async ({ params: { cc_pair_id }, body, subject, services: { db } }) => {
    const groups = body.access_type === 'public' ? [] : (body.groups ?? []).map(String)
    await setPairAccess(db, subject, cc_pair_id, { access_type: body.access_type, groups })
    return { success: true, message: 'Access updated successfully', data: cc_pair_id }
  },
})

const DeletionPreview = z
  .object({
    documents: z.int().describe('Documents that move to the trash.'),
    chunks: z.int().describe('Their passages in the index.'),
    shared_documents: z.int().describe('Documents that stay, because another pair has them too.'),
    deletes_connector: z.boolean().describe('Whether the connector has no other pair.'),
    credential_other_pairs: z.int().describe('Other pairs with the same credential. The credential is not deleted.'),
  })
  .meta({ id: 'DeletionPreview' })

const deletionPreview = (it: DeletionEffect): z.infer<typeof DeletionPreview> => ({
  documents: it.documents,
  chunks: it.chunks,
  shared_documents: it.shared,
  deletes_connector: it.deletesConnector,
  credential_other_pairs: it.otherPairsOfCredential,
})

const previewCcPairDeletionRoute = route({
  ...ccPairDefaults,
  name: 'previewCcPairDeletion',
  method: 'GET',
  path: '/manage/admin/cc-pair/{cc_pair_id}/deletion',
  summary: 'Preview deletion of a connector-credential pair',
  description: 'Says what POST /manage/admin/deletion-attempt would remove. Changes nothing.',
  reply: DeletionPreview,
  errors: ['CC_PAIR_NOT_FOUND'],
  services: ['db'],
  handle: async ({ params: { cc_pair_id }, subject, services: { db } }) =>
    deletionPreview(await findDeletionEffect(db, subject, cc_pair_id)),
})

const CSV_COLUMNS = [
  ...(['cc_pair_id', 'name', 'source', 'sync_state', 'status_reason', 'last_error', 'access_type'] as const),
  ...(['docs_indexed', 'docs_waiting', 'docs_failed', 'docs_held', 'source_documents'] as const),
  ...(['last_success', 'next_run_at'] as const),
] as const
const ALL_PAIRS = {
  ...{ secondary_index: null, source: null, access_type_filters: null, last_status_filters: null },
  ...{ sync_state_filters: null, cc_pair_id: null, docs_count_operator: null, docs_count_value: null },
  ...{ name_filter: null, source_to_page: null, get_all_connectors: true, with_pushed: true },
}

const exportIndexingStatusesRoute = route({
  ...connectorDefaults,
  name: 'exportIndexingStatusesCsv',
  method: 'GET',
  path: '/manage/admin/connector/indexing-status/csv',
  summary: 'Export indexing statuses as CSV',
  description: 'One connector-credential pair per line, by source.',
  audit: { action: 'cc_pair.export_list' },
  reply: z.string(),
  mediaType: 'text/csv; charset=utf-8',
  services: ['db', 'indexer', 'now'],
  handle: async ({ subject, services }) => {
    const sources = await listPairStatuses(services, subject, ALL_PAIRS)
    const rows = sources.flatMap((it) => it.indexing_statuses)
    return [csvRow(CSV_COLUMNS), ...rows.map((row) => csvRow(CSV_COLUMNS.map((column) => row[column])))].join('')
  },
})

export const pairDetailRoutes = [
  exportIndexingStatusesRoute,
  setCcPairAccessRoute,
  getIndexAttemptLogRoute,
  listMissingDocumentsRoute,
  previewCcPairDeletionRoute,
]
