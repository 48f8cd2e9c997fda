import { z } from 'zod'
import { CC_PAIR_STATUSES } from '../../domain/connector.ts'
import { AppError } from '../../domain/errors.ts'
import { nullish, pathInteger, WITHOUT_NUL, wireBoolean, wireEnum, wireInteger, wireString } from '../../domain/wire.ts'
import { getCcPair, setPairStatus, updateCcPair, updateFrequency } from '../../store/cc-pairs.ts'
import { type Failure, listFailures } from '../../store/document-lists.ts'
import { listAttemptErrors, listAttempts, type StoredAttemptError } from '../../store/index-attempts.ts'
import { closePair } from '../../store/pair-deletion.ts'
import { findSchedule, type StoredAttempt } from '../../store/pulling.ts'
import { CcPairFullInfo, ccPairFullInfo } from '../cc-pair-info.ts'
import { iso, isoOrNull } from '../iso.ts'
import { route } from '../route.ts'
import { StatusResponse } from './connectors.ts'

const PairPath = z.object({ cc_pair_id: pathInteger() })
const pairs = { access: 'connectors', tag: 'Connectors', params: PairPath } as const
const CHANGE_ERRORS = ['CC_PAIR_NOT_FOUND', 'CC_PAIR_DELETING', 'CONNECTOR_BUILT_IN'] as const

const detail = route({
  ...pairs,
  method: 'GET',
  path: '/manage/admin/cc-pair/{cc_pair_id}',
  summary: 'Get connector-credential pair',
  reply: CcPairFullInfo,
  errors: ['CC_PAIR_NOT_FOUND'],
  handle: ({ params, services }) => ccPairFullInfo(services, params.cc_pair_id),
})

const setStatus = route({
  ...pairs,
  method: 'PUT',
  path: '/manage/admin/cc-pair/{cc_pair_id}/status',
  audit: { action: 'cc_pair.set_status', object: 'cc_pair_id' },
  summary: 'Pause or resume pair',
  description:
    'ACTIVE or PAUSED. PAUSED cancels the run that waits or is under way, and ACTIVE goes on where that was. Documents that are pushed are taken in either.',
  body: z
    .object({ status: wireEnum(CC_PAIR_STATUSES, { caseInsensitive: true }) })
    .meta({ id: 'CCStatusUpdateRequest' }),
  reply: z.object({ message: z.string() }).meta({ id: 'CCStatusUpdateResponse' }),
  errors: CHANGE_ERRORS,
  handle: async ({ params, body: { status }, services }) => {
    if (status !== 'ACTIVE' && status !== 'PAUSED') {
      throw new AppError('INVALID_INPUT', { reason: 'Connector status can only be set to ACTIVE or PAUSED.' })
    }
    await setPairStatus(services.db, params.cc_pair_id, status, services.now())
    if (status === 'PAUSED') services.puller.cancel(params.cc_pair_id)
    else services.puller.wake()
    return { message: '200' }
  },
})

const rename = route({
  ...pairs,
  method: 'PUT',
  path: '/manage/admin/cc-pair/{cc_pair_id}/name',
  audit: { action: 'cc_pair.rename', object: 'cc_pair_id' },
  summary: 'Rename pair',
  query: z.object({ new_name: wireString({ min: 1, max: 1_000, pattern: WITHOUT_NUL }) }),
  reply: StatusResponse,
  errors: CHANGE_ERRORS,
  handle: async ({ params, query, services }) => {
    await updateCcPair(services.db, params.cc_pair_id, { name: query.new_name })
    return { success: true, message: 'Name updated successfully', data: params.cc_pair_id }
  },
})

const MINUTE_S = 60
const FREQUENCIES = {
  refresh_frequency: { column: 'refresh_freq', min: MINUTE_S, least: '1 minute' },
  pruning_frequency: { column: 'prune_freq', min: 5 * MINUTE_S, least: '5 minutes' },
} as const

const setProperty = route({
  ...pairs,
  method: 'PUT',
  path: '/manage/admin/cc-pair/{cc_pair_id}/property',
  audit: { action: 'cc_pair.set_property', object: 'cc_pair_id' },
  summary: 'Set how often a pair is asked for news, or pruned',
  description: '`refresh_frequency` or `pruning_frequency`, in seconds; they count for all pairs of the connector.',
  body: z
    .object({ name: wireString({ max: 100 }), value: wireString({ max: 100 }) })
    .meta({ id: 'CCPropertyUpdateRequest' }),
  reply: StatusResponse,
  errors: CHANGE_ERRORS,
  handle: async ({ params, body, services }) => {
    const change = frequencyOf(body.name, body.value)
    await updateFrequency(services.db, params.cc_pair_id, change, services.now())
    services.puller.wake()
    return { success: true, message: 'Property updated successfully', data: params.cc_pair_id }
  },
})

function frequencyOf(name: string, value: string): { refresh_freq: number } | { prune_freq: number } {
  if (name !== 'refresh_frequency' && name !== 'pruning_frequency') {
    throw new AppError('INVALID_INPUT', { reason: 'Property is refresh_frequency or pruning_frequency.' })
  }
  const { column, min, least } = FREQUENCIES[name]
  const seconds = /^\d{1,10}$/.test(value) ? Number(value) : null
  if (seconds === null) throw new AppError('INVALID_INPUT', { reason: `\`${column}\` is a number of seconds.` })
  if (seconds < min) {
    throw new AppError('INVALID_INPUT', { reason: `\`${column}\` must be greater than or equal to ${least}.` })
  }
  return column === 'refresh_freq' ? { refresh_freq: seconds } : { prune_freq: seconds }
}

const lastPruned = route({
  ...pairs,
  method: 'GET',
  path: '/manage/admin/cc-pair/{cc_pair_id}/last_pruned',
  summary: 'When a pair was pruned',
  reply: z.iso.datetime().nullable().describe('Null: never yet. Pushed documents are never pruned.'),
  errors: ['CC_PAIR_NOT_FOUND'],
  handle: async ({ params, services }) => {
    await getCcPair(services.db, params.cc_pair_id)
    return isoOrNull((await findSchedule(services.db, params.cc_pair_id))?.last_pruned ?? null)
  },
})

const time = z.iso.datetime().nullable()
const IndexAttemptSnapshot = z
  .object({
    id: z.int(),
    status: z.string(),
    from_beginning: z.boolean(),
    new_docs_indexed: z.int(),
    total_docs_indexed: z.int(),
    docs_removed_from_index: z.int(),
    docs_skipped: z.int().describe('Left out on purpose.'),
    error_msg: z.string().nullable(),
    error_count: z.int(),
    full_exception_trace: z.string().nullable(),
    time_started: time,
    time_updated: z.iso.datetime(),
    time_finished: time,
    poll_range_start: time,
    poll_range_end: time,
  })
  .meta({ id: 'IndexAttemptSnapshot' })

const numberedPage = (maxSize: number) => ({
  page_num: nullish(wireInteger({ min: 0, max: 1_000_000 })).describe('From 0.'),
  page_size: nullish(wireInteger({ min: 1, max: maxSize })).describe('10 if it is not said.'),
})
const DEFAULT_PAGE_SIZE = 10

const indexAttempts = route({
  ...pairs,
  method: 'GET',
  path: '/manage/admin/cc-pair/{cc_pair_id}/index-attempts',
  summary: 'List index attempts of a pair',
  description: 'Newest first. None where nothing pulls: documents that are pushed have receipts instead.',
  query: z.object(numberedPage(1_000)),
  reply: z
    .object({ items: z.array(IndexAttemptSnapshot), total_items: z.int() })
    .meta({ id: 'PaginatedIndexAttempts' }),
  errors: ['CC_PAIR_NOT_FOUND'],
  handle: async ({ params, query, services }) => {
    await getCcPair(services.db, params.cc_pair_id)
    const limit = query.page_size ?? DEFAULT_PAGE_SIZE
    const page = { limit, offset: (query.page_num ?? 0) * limit }
    const { attempts, total } = await listAttempts(services.db, params.cc_pair_id, page)
    return { items: attempts.map(attemptSnapshot), total_items: total }
  },
})

export const attemptSnapshot = (it: StoredAttempt): z.infer<typeof IndexAttemptSnapshot> => ({
  id: it.id,
  status: it.status,
  from_beginning: it.from_beginning === 1,
  new_docs_indexed: it.new_docs,
  total_docs_indexed: it.total_docs,
  docs_removed_from_index: it.removed_docs,
  docs_skipped: it.skipped_docs,
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
    failed_time_range_start: time,
    failed_time_range_end: time,
    failure_message: z.string(),
    is_resolved: z.boolean(),
    time_created: z.iso.datetime(),
    index_attempt_id: z.int().nullable(),
    error_type: z.string().nullable(),
    request_id: z.string().nullable().describe('The request that brought the document.'),
  })
  .meta({ id: 'IndexAttemptError' })

const errors = route({
  ...pairs,
  method: 'GET',
  path: '/manage/admin/cc-pair/{cc_pair_id}/errors',
  summary: 'List documents of a pair that could not be read or indexed',
  description:
    'Newest first: what could not be read from the source, then what could not be indexed. `error_type` is the stage. A document that was read or sent again and could be indexed is no error any more.',
  query: z.object({ ...numberedPage(100), include_resolved: nullish(wireBoolean()) }),
  reply: z
    .object({ items: z.array(IndexAttemptError), total_items: z.int() })
    .meta({ id: 'PaginatedIndexAttemptErrors' }),
  errors: ['CC_PAIR_NOT_FOUND'],
  handle: async ({ params: { cc_pair_id }, query, services: { db } }) => {
    await getCcPair(db, cc_pair_id)
    const limit = query.page_size ?? DEFAULT_PAGE_SIZE
    const offset = (query.page_num ?? 0) * limit
    const paging = { limit, offset, withResolved: query.include_resolved === true }
    const { errors, total: unread } = await listAttemptErrors(db, cc_pair_id, paging)
    const rest = { limit: limit - errors.length, offset: Math.max(offset - unread, 0) }
    const { failures, total } = await listFailures(db, cc_pair_id, rest)
    return {
      items: [...errors.map(readingError), ...failures.map((it) => indexingError(it, cc_pair_id))],
      total_items: unread + total,
    }
  },
})

const NO_RANGE = { failed_time_range_start: null, failed_time_range_end: null }

const readingError = (it: StoredAttemptError): z.infer<typeof IndexAttemptError> => ({
  ...NO_RANGE,
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

const indexingError = (it: Failure, cc_pair_id: number): z.infer<typeof IndexAttemptError> => ({
  ...NO_RANGE,
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

const deletion = route({
  method: 'POST',
  path: '/manage/admin/deletion-attempt',
  audit: {
    action: 'cc_pair.delete',
    object: ({ body }) => `connector ${body.connector_id}, credential ${body.credential_id}`,
  },
  access: 'connectors',
  tag: 'Connectors',
  summary: 'Delete pair',
  description:
    'Its documents are out of search with the answer; those that belong to no other pair go into the trash a moment later, then the pair goes, and its connector with the last of its pairs.',
  body: z.object({ connector_id: wireInteger(), credential_id: wireInteger() }).meta({ id: 'DeletionAttemptRequest' }),
  reply: z.null(),
  errors: ['CONNECTOR_NOT_FOUND', 'CONNECTOR_BUILT_IN'],
  handle: async ({ body, services, requestId }) => {
    await closePair(services.db, body, requestId)
    services.deletions.wake()
    return null
  },
})

export const ccPairRoutes = [detail, setStatus, rename, setProperty, lastPruned, indexAttempts, errors, deletion]
