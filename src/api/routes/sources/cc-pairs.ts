import { z } from 'zod'
import { CC_PAIR_STATUSES } from '../../../domain/connector.ts'
import { AppError } from '../../../domain/errors.ts'
import { getDocumentScope } from '../../../identity/access.ts'
import { type DocumentFailure, listDocumentFailures } from '../../../store/documents/lists.ts'
import { setPairStatus, updateCcPair, updatePairFrequency } from '../../../store/sources/cc-pairs.ts'
import { listAttemptErrors, listAttempts, type StoredAttemptError } from '../../../store/sources/index-attempts.ts'
import { getManagedPair } from '../../../store/sources/managed-pairs.ts'
import { beginPairDeletion } from '../../../store/sources/pair-deletion.ts'
import { findSchedule, type StoredAttempt } from '../../../store/sources/schedules.ts'
import { listSkippedDocuments } from '../../../store/sources/skipped-documents.ts'
import {
  nullish,
  wireBoolean,
  wireEnum,
  wireInteger,
  wireName,
  wirePathInteger,
  wireString,
} from '../../../wire/schemas.ts'
import { route } from '../../route.ts'
import { CcPairFullInfo, ccPairFullInfo } from '../../views/cc-pair-info.ts'
import { iso, isoOrNull } from '../../wire/iso.ts'
import { StatusResponse } from './connectors.ts'

const CcPairPath = z.object({ cc_pair_id: wirePathInteger() })
const ccPairDefaults = { access: ['connectors', 'curate'], tag: 'Connectors', params: CcPairPath } as const
const CHANGE_ERRORS = ['CC_PAIR_NOT_FOUND', 'CC_PAIR_DELETING', 'CONNECTOR_BUILT_IN'] as const

const getCcPairRoute = route({
  ...ccPairDefaults,
  name: 'getCcPair',
  method: 'GET',
  path: '/manage/admin/cc-pair/{cc_pair_id}',
  summary: 'Get connector-credential pair',
  reply: CcPairFullInfo,
  errors: ['CC_PAIR_NOT_FOUND'],
  services: ['db', 'secrets', 'indexer', 'now'],
  handle: ({ params, subject, services }) => ccPairFullInfo(services, subject, params.cc_pair_id),
})

const setCcPairStatusRoute = route({
  ...ccPairDefaults,
  name: 'setCcPairStatus',
  method: 'PUT',
  path: '/manage/admin/cc-pair/{cc_pair_id}/status',
  audit: { action: 'cc_pair.set_status', object: 'cc_pair_id' },
  summary: 'Pause or resume connector-credential pair',
  description:
    'Accepts ACTIVE or PAUSED. PAUSED cancels the queued or running attempt; ACTIVE resumes from its checkpoint. Pushed documents are accepted in both states.',
  body: z
    .object({ status: wireEnum(CC_PAIR_STATUSES, { caseInsensitive: true }) })
    .meta({ id: 'CCStatusUpdateRequest' }),
  reply: z.object({ message: z.string() }).meta({ id: 'CCStatusUpdateResponse' }),
  errors: CHANGE_ERRORS,
  services: ['db', 'connectorRunner', 'now'],
  handle: async ({ params, body: { status }, subject, services }) => {
    if (status !== 'ACTIVE' && status !== 'PAUSED') {
      throw new AppError('INVALID_INPUT', { reason: 'Connector status can only be set to ACTIVE or PAUSED.' })
    }
    await setPairStatus(services.db, subject, params.cc_pair_id, status, services.now())
    if (status === 'PAUSED') services.connectorRunner.cancel(params.cc_pair_id)
    else services.connectorRunner.wake()
    return { message: '200' }
  },
})

const renameCcPairRoute = route({
  ...ccPairDefaults,
  name: 'renameCcPair',
  method: 'PUT',
  path: '/manage/admin/cc-pair/{cc_pair_id}/name',
  audit: { action: 'cc_pair.rename', object: 'cc_pair_id' },
  summary: 'Rename connector-credential pair',
  query: z.object({ new_name: wireName() }),
  reply: StatusResponse,
  errors: CHANGE_ERRORS,
  services: ['db'],
  handle: async ({ params, query, subject, services }) => {
    await updateCcPair(services.db, subject, params.cc_pair_id, { name: query.new_name })
    return { success: true, message: 'Name updated successfully', data: params.cc_pair_id }
  },
})

const MINUTE_S = 60
const FREQUENCIES = {
  refresh_frequency: { column: 'refresh_freq', min: MINUTE_S, least: '1 minute' },
  pruning_frequency: { column: 'prune_freq', min: 5 * MINUTE_S, least: '5 minutes' },
} as const

const setCcPairPropertyRoute = route({
  ...ccPairDefaults,
  name: 'setCcPairProperty',
  method: 'PUT',
  path: '/manage/admin/cc-pair/{cc_pair_id}/property',
  audit: { action: 'cc_pair.set_property', object: 'cc_pair_id' },
  summary: 'Set refresh or pruning frequency',
  description: '`refresh_frequency` or `pruning_frequency`, in seconds. Applies to all pairs of the connector.',
  body: z
    .object({ name: wireString({ max: 100 }), value: wireString({ max: 100 }) })
    .meta({ id: 'CCPropertyUpdateRequest' }),
  reply: StatusResponse,
  errors: [...CHANGE_ERRORS, 'NOT_CURATED'],
  services: ['db', 'connectorRunner', 'now'],
  handle: async ({ params, body, subject, services }) => {
    const change = parseFrequency(body.name, body.value)
    await updatePairFrequency(services.db, subject, params.cc_pair_id, change, services.now())
    services.connectorRunner.wake()
    return { success: true, message: 'Property updated successfully', data: params.cc_pair_id }
  },
})

function parseFrequency(name: string, value: string): { refresh_freq: number } | { prune_freq: number } {
  if (name !== 'refresh_frequency' && name !== 'pruning_frequency') {
    throw new AppError('INVALID_INPUT', { reason: 'Property is refresh_frequency or pruning_frequency.' })
  }
  const { column, min, least: minText } = FREQUENCIES[name]
  const seconds = /^\d{1,10}$/.test(value) ? Number(value) : null
  if (seconds === null) throw new AppError('INVALID_INPUT', { reason: `\`${column}\` is a number of seconds.` })
  if (seconds < min) {
    throw new AppError('INVALID_INPUT', { reason: `\`${column}\` must be greater than or equal to ${minText}.` })
  }
  return column === 'refresh_freq' ? { refresh_freq: seconds } : { prune_freq: seconds }
}

const getLastPrunedRoute = route({
  ...ccPairDefaults,
  name: 'getLastPruned',
  method: 'GET',
  path: '/manage/admin/cc-pair/{cc_pair_id}/last_pruned',
  summary: 'Get last pruning time',
  reply: z.iso.datetime().nullable().describe('Null if never pruned. Pushed documents are never pruned.'),
  errors: ['CC_PAIR_NOT_FOUND'],
  services: ['db'],
  handle: async ({ params, subject, services }) => {
    await getManagedPair(services.db, subject, params.cc_pair_id)
    return isoOrNull((await findSchedule(services.db, params.cc_pair_id))?.last_pruned ?? null)
  },
})

const nullableDateTime = z.iso.datetime().nullable()
const IndexAttemptSnapshot = z
  .object({
    id: z.int(),
    status: z.string(),
    from_beginning: z.boolean(),
    new_docs_indexed: z.int(),
    total_docs_indexed: z.int(),
    docs_changed: z.int().describe('Documents that were known and whose content or access changed.'),
    docs_unchanged: z.int(),
    docs_removed_from_index: z.int().describe('Documents that pruning removed after this attempt and before the next.'),
    docs_skipped: z.int().describe('Deliberately skipped documents.'),
    docs_without_text: z
      .int()
      .describe(
        'Accepted documents without text, such as scans. `GET /service-api/receipts?warning=no_text&cc_pair_id=…` lists them.',
      ),
    error_msg: z.string().nullable(),
    error_count: z.int(),
    full_exception_trace: z.string().nullable(),
    time_started: nullableDateTime,
    time_updated: z.iso.datetime(),
    time_finished: nullableDateTime,
    poll_range_start: nullableDateTime,
    poll_range_end: nullableDateTime,
  })
  .meta({ id: 'IndexAttemptSnapshot' })

const pageQueryFields = (maxSize: number) => ({
  page_num: nullish(wireInteger({ min: 0, max: 1_000_000 })).describe('Starts at 0.'),
  page_size: nullish(wireInteger({ min: 1, max: maxSize })).describe('Default: 10.'),
})
const DEFAULT_PAGE_SIZE = 10

const listIndexAttemptsRoute = route({
  ...ccPairDefaults,
  name: 'listIndexAttempts',
  method: 'GET',
  path: '/manage/admin/cc-pair/{cc_pair_id}/index-attempts',
  summary: 'List index attempts',
  description: 'Newest first. Empty for push-only connectors, whose documents have receipts instead.',
  query: z.object(pageQueryFields(1_000)),
  reply: z
    .object({ items: z.array(IndexAttemptSnapshot), total_items: z.int() })
    .meta({ id: 'PaginatedIndexAttempts' }),
  errors: ['CC_PAIR_NOT_FOUND'],
  services: ['db'],
  handle: async ({ params, query, subject, services }) => {
    await getManagedPair(services.db, subject, params.cc_pair_id)
    const limit = query.page_size ?? DEFAULT_PAGE_SIZE
    const page = { limit, offset: (query.page_num ?? 0) * limit }
    const { attempts, total } = await listAttempts(services.db, params.cc_pair_id, page)
    return { items: attempts.map(indexAttemptSnapshot), total_items: total }
  },
})

export const indexAttemptSnapshot = (it: StoredAttempt): z.infer<typeof IndexAttemptSnapshot> => ({
  id: it.id,
  status: it.status,
  from_beginning: it.from_beginning === 1,
  new_docs_indexed: it.new_docs,
  total_docs_indexed: it.total_docs,
  docs_changed: it.changed_docs,
  docs_unchanged: it.unchanged_docs,
  docs_removed_from_index: it.removed_docs,
  docs_skipped: it.skipped_docs,
  docs_without_text: it.docs_without_text,
  error_msg: it.error_msg,
  error_count: it.error_count,
  full_exception_trace: it.trace,
  time_started: isoOrNull(it.time_started),
  time_updated: iso(it.time_updated),
  time_finished: isoOrNull(it.time_finished),
  poll_range_start: isoOrNull(it.poll_range_start),
  poll_range_end: isoOrNull(it.poll_range_end),
})

const IndexAttemptError = z
  .object({
    id: z.int(),
    connector_credential_pair_id: z.int(),
    document_id: z.string().nullable(),
    document_link: z.string().nullable(),
    entity_id: z.string().nullable(),
    failed_time_range_start: nullableDateTime,
    failed_time_range_end: nullableDateTime,
    failure_message: z.string(),
    is_resolved: z.boolean(),
    time_created: z.iso.datetime(),
    index_attempt_id: z.int().nullable(),
    error_type: z.string().nullable(),
    request_id: z.string().nullable().describe('The request that sent the document.'),
  })
  .meta({ id: 'IndexAttemptError' })

const listIndexAttemptErrorsRoute = route({
  ...ccPairDefaults,
  name: 'listIndexAttemptErrors',
  method: 'GET',
  path: '/manage/admin/cc-pair/{cc_pair_id}/errors',
  summary: 'List index attempt errors',
  description:
    'Newest first: documents that could not be read from the source, then documents that could not be indexed. `error_type` is the stage that failed. An error is resolved when the document is indexed successfully.',
  query: z.object({ ...pageQueryFields(100), include_resolved: nullish(wireBoolean()) }),
  reply: z
    .object({ items: z.array(IndexAttemptError), total_items: z.int() })
    .meta({ id: 'PaginatedIndexAttemptErrors' }),
  errors: ['CC_PAIR_NOT_FOUND'],
  services: ['db'],
  handle: async ({ params: { cc_pair_id }, query, subject, services: { db } }) => {
    await getManagedPair(db, subject, cc_pair_id)
    const limit = query.page_size ?? DEFAULT_PAGE_SIZE
    const offset = (query.page_num ?? 0) * limit
    const paging = { limit, offset, withResolved: query.include_resolved === true }
    const { errors, total: attemptErrorTotal } = await listAttemptErrors(db, cc_pair_id, paging)
    const remainder = { limit: limit - errors.length, offset: Math.max(offset - attemptErrorTotal, 0) }
    const scope = await getDocumentScope(db, subject)
    const { failures, total } = await listDocumentFailures(db, scope, cc_pair_id, remainder)
    return {
      items: [...errors.map(attemptErrorSnapshot), ...failures.map((it) => indexFailureSnapshot(it, cc_pair_id))],
      total_items: attemptErrorTotal + total,
    }
  },
})

const NO_TIME_RANGE = { failed_time_range_start: null, failed_time_range_end: null }

const attemptErrorSnapshot = (it: StoredAttemptError): z.infer<typeof IndexAttemptError> => ({
  ...NO_TIME_RANGE,
  id: it.id,
  connector_credential_pair_id: it.cc_pair_id,
  document_id: it.document_id,
  document_link: it.document_link,
  entity_id: it.entity_id,
  failure_message: it.failure_message,
  is_resolved: it.is_resolved === 1,
  time_created: iso(it.time_created),
  index_attempt_id: it.index_attempt_id,
  error_type: it.stage,
  request_id: null,
})

const indexFailureSnapshot = (it: DocumentFailure, cc_pair_id: number): z.infer<typeof IndexAttemptError> => ({
  ...NO_TIME_RANGE,
  id: it.seq,
  connector_credential_pair_id: cc_pair_id,
  document_id: it.document_id,
  document_link: it.link,
  entity_id: null,
  failure_message: it.error,
  is_resolved: false,
  time_created: iso(it.accepted_at),
  index_attempt_id: null,
  error_type: null,
  request_id: it.request_id,
})

const SkippedDocument = z
  .object({
    document_id: z.string(),
    document_link: z.string().nullable(),
    reason: z.string(),
    index_attempt_id: z.int().describe('The last run that skipped the document.'),
    time_created: z.iso.datetime(),
  })
  .meta({ id: 'SkippedDocument' })

const listSkippedDocumentsRoute = route({
  ...ccPairDefaults,
  name: 'listSkippedDocuments',
  method: 'GET',
  path: '/manage/admin/cc-pair/{cc_pair_id}/skipped-documents',
  summary: 'List skipped documents',
  description:
    'Files and pages of the source that runs skipped deliberately, ordered by id, each with its reason. At most 10,000 are kept.',
  query: z.object(pageQueryFields(1_000)),
  reply: z.object({ items: z.array(SkippedDocument), total_items: z.int() }).meta({ id: 'PaginatedSkippedDocuments' }),
  errors: ['CC_PAIR_NOT_FOUND'],
  services: ['db'],
  handle: async ({ params: { cc_pair_id }, query, subject, services: { db } }) => {
    await getManagedPair(db, subject, cc_pair_id)
    const limit = query.page_size ?? DEFAULT_PAGE_SIZE
    const { skipped, total } = await listSkippedDocuments(db, cc_pair_id, {
      limit,
      offset: (query.page_num ?? 0) * limit,
    })
    const items = skipped.map((it) => ({
      document_id: it.document_id,
      document_link: it.document_link,
      reason: it.reason,
      index_attempt_id: it.index_attempt_id,
      time_created: iso(it.time_created),
    }))
    return { items, total_items: total }
  },
})

const deleteCcPairRoute = route({
  name: 'deleteCcPair',
  method: 'POST',
  path: '/manage/admin/deletion-attempt',
  audit: {
    action: 'cc_pair.delete',
    object: ({ body }) => `connector ${body.connector_id}, credential ${body.credential_id}`,
  },
  access: ['connectors', 'curate'],
  tag: 'Connectors',
  summary: 'Delete connector-credential pair',
  description:
    'Removes the documents of the pair from search immediately. In the background, documents that belong to no other pair move to the trash and the pair is deleted; the connector is deleted with its last pair.',
  body: z.object({ connector_id: wireInteger(), credential_id: wireInteger() }).meta({ id: 'DeletionAttemptRequest' }),
  reply: z.null(),
  errors: ['CONNECTOR_NOT_FOUND', 'CONNECTOR_BUILT_IN'],
  services: ['db', 'deletions'],
  handle: async ({ body, subject, services, requestId }) => {
    await beginPairDeletion(services.db, subject, body, requestId)
    services.deletions.wake()
    return null
  },
})

export const ccPairRoutes = [
  getCcPairRoute,
  setCcPairStatusRoute,
  renameCcPairRoute,
  setCcPairPropertyRoute,
  getLastPrunedRoute,
  listIndexAttemptsRoute,
  listIndexAttemptErrorsRoute,
  listSkippedDocumentsRoute,
  deleteCcPairRoute,
]
