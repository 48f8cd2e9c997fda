// The connector listing: every complete pair by source, with its document counts and its status.
import { z } from 'zod'
import { ACCESS_TYPES, accessType } from '../../domain/connector.ts'
import type { Subject } from '../../domain/subject.ts'
import type { Queryable } from '../../store/database/database.ts'
import {
  type CcPairListing,
  DEFAULT_CC_PAIR,
  listCcPairs,
  listCcPairsWithPushed,
} from '../../store/sources/cc-pairs.ts'
import { listManagedPairs } from '../../store/sources/managed-pairs.ts'
import { countPruneCandidates } from '../../store/sources/prune-candidates.ts'
import { listSchedules, type PairSchedule } from '../../store/sources/schedules.ts'
import { nullish, wireArray, wireBoolean, wireEnum, wireInteger, wireObject, wireString } from '../../wire/schemas.ts'
import type { Indexer } from '../index/indexer.ts'
import { isRepeatedError, nextRunOf, sourceWaitOf } from './next-run.ts'

const PAGE_SIZE = 10
const LAST_STATUSES = ['success', 'in_progress', 'completed_with_errors', 'not_started', 'failed', 'canceled'] as const
const SYNC_STATES = [
  'syncing',
  'up_to_date',
  'not_synced_yet',
  'failing',
  'held',
  'with_errors',
  'paused',
  'deleting',
  'pushed',
] as const
type SyncState = (typeof SYNC_STATES)[number]
type LastStatus = (typeof LAST_STATUSES)[number]

const ListingFilters = z
  .object({
    secondary_index: nullish(wireBoolean()),
    source: nullish(wireString({ max: 100 })),
    access_type_filters: nullish(wireArray(accessType)),
    last_status_filters: nullish(wireArray(wireString({ max: 100 }))),
    docs_count_operator: nullish(wireEnum(['>', '<', '='])),
    docs_count_value: nullish(wireInteger()),
    sync_state_filters: nullish(wireArray(wireEnum(SYNC_STATES), { max: SYNC_STATES.length })).describe(
      'Pairs in one of these states. A pushed pair is also in the state that its documents are in.',
    ),
    cc_pair_id: nullish(wireInteger()).describe('Only this pair.'),
    name_filter: nullish(wireString({ max: 1_000 })),
    source_to_page: nullish(wireObject(wireInteger({ min: 1 }))),
    get_all_connectors: nullish(wireBoolean()),
    with_pushed: nullish(wireBoolean()).describe(
      'Includes the pair of documents that were pushed without a `cc_pair_id`, if there are any.',
    ),
  })
  .meta({ id: 'IndexingStatusRequest' })
export const ListingRequest = nullish(ListingFilters)
type ListingRequest = z.infer<typeof ListingRequest>

const PairStatus = z
  .object({
    cc_pair_id: z.int(),
    credential_id: z.int(),
    name: z.string(),
    source: z.string(),
    access_type: z.enum(ACCESS_TYPES),
    cc_pair_status: z.string(),
    in_progress: z.boolean(),
    in_repeated_error_state: z.boolean(),
    last_finished_status: z.string().nullable(),
    last_status: z.enum(LAST_STATUSES).nullable(),
    last_success: z.string().nullable(),
    is_editable: z.boolean(),
    permissions: z.object({ edit: z.boolean(), delete: z.boolean(), publish: z.boolean() }),
    docs_indexed: z.int(),
    docs_waiting: z.int(),
    docs_failed: z.int(),
    latest_index_attempt_docs_indexed: z.int().nullable(),
    status_reason: z.string(),
    sync_state: z
      .enum(SYNC_STATES)
      .describe(
        '`failing`: the last run failed, or permissions could not be read. `held`: deletions need confirmation. `pushed`: documents are pushed, not pulled.',
      ),
    last_error: z.string().nullable().describe('The error of the last failed run, until a run succeeds.'),
    docs_held: z.int().describe('Documents whose deletion needs confirmation.'),
    source_documents: z.int().nullable().describe('Documents in the source when it was last counted.'),
    progress: z
      .object({
        read: z.int().describe('Documents that the run has seen.'),
        per_minute: z.number().nullable(),
        remaining_s: z
          .int()
          .nullable()
          .describe('Null if the size of the source is unknown or the run reads only what changed.'),
      })
      .nullable()
      .describe('The progress of the run that reads the source now.'),
    next_run_at: z.iso
      .datetime()
      .nullable()
      .describe('When the next run starts; null while a run is in progress, and when a user must start it.'),
    source_wait: z
      .object({ reason: z.string(), until: z.iso.datetime() })
      .nullable()
      .describe('Why the run in progress waits for its source, and until when; null while it reads.'),
  })
  .meta({ id: 'ConnectorIndexingStatus' })
type PairStatus = z.infer<typeof PairStatus>

export const SourceListing = z
  .object({
    source: z.string(),
    summary: z.object({
      total_connectors: z.int(),
      active_connectors: z.int(),
      public_connectors: z.int(),
      total_docs_indexed: z.int(),
    }),
    current_page: z.int(),
    total_pages: z.int(),
    indexing_statuses: z.array(PairStatus),
  })
  .meta({ id: 'SourceIndexingStatus' })
type SourceListing = z.infer<typeof SourceListing>

/** Lists the pairs that the subject manages; pages and counts hold no others. */
export async function listPairStatuses(
  { db, indexer, now }: { db: Queryable; indexer: Indexer; now: () => number },
  subject: Subject,
  request: ListingRequest,
): Promise<SourceListing[]> {
  const { indexed_seq, waiting_for } = indexer.progress()
  const schedules = new Map((await listSchedules(db)).map((it) => [it.cc_pair_id, it]))
  const heldCounts = await countPruneCandidates(db)
  const list = request?.with_pushed === true ? listCcPairsWithPushed : listCcPairs
  const pairs = (await list(db, indexed_seq, await listManagedPairs(db, subject))).map((pair) => {
    const schedule = schedules.get(pair.cc_pair_id)
    const status = pushedPairStatus(pair, waiting_for)
    return schedule === undefined
      ? status
      : {
          ...status,
          ...pulledPairStatus(schedule, status, now()),
          docs_held: schedule.prune_state === 'held' ? (heldCounts.get(pair.cc_pair_id) ?? 0) : 0,
        }
  })
  const bySource = Map.groupBy(
    pairs.filter((it) => matchesFilters(it, request)),
    (it) => it.source,
  )
  return [...bySource]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([source, statuses]) => toSourceListing(source, statuses, request))
    .filter((it) => it.indexing_statuses.length > 0)
}

function pushedPairStatus(pair: CcPairListing, waitingFor: string | null): PairStatus {
  const waiting = pair.documents - pair.indexed - pair.failed
  const last_status = waiting > 0 ? 'in_progress' : finishedStatus(pair)
  const is_editable = pair.status !== 'DELETING' && pair.cc_pair_id !== DEFAULT_CC_PAIR
  return {
    cc_pair_id: pair.cc_pair_id,
    credential_id: pair.credential_id,
    name: pair.name,
    source: pair.source,
    access_type: ACCESS_TYPES.find((it) => it === pair.access_type) ?? 'private',
    cc_pair_status: pair.status,
    in_progress: waiting > 0,
    in_repeated_error_state: false,
    last_finished_status: finishedStatus(pair),
    last_status,
    last_success: pair.last_indexed_at === null ? null : new Date(pair.last_indexed_at).toISOString(),
    is_editable,
    permissions: { edit: is_editable, delete: is_editable, publish: is_editable },
    docs_indexed: pair.indexed,
    docs_waiting: waiting,
    docs_failed: pair.failed,
    latest_index_attempt_docs_indexed: null,
    status_reason: pushedPairReason(pair, waiting, waitingFor),
    sync_state: pair.status === 'DELETING' ? 'deleting' : 'pushed',
    last_error: null,
    docs_held: 0,
    source_documents: null,
    progress: null,
    next_run_at: null,
    source_wait: null,
  }
}

/** The status of a pair that is pulled: the state of its runs first, then of its documents. */
function pulledPairStatus(schedule: PairSchedule, status: PairStatus, now: number): Partial<PairStatus> {
  const { open, last } = schedule
  const nextRun = nextRunOf(schedule, now)
  const wait = sourceWaitOf(schedule, now)
  const until = nextRun.until === null ? '' : ` Until ${new Date(nextRun.until).toISOString()}.`
  const last_error = lastRunError(schedule)
  const held = schedule.prune_state === 'held' ? `${HELD_REASON} ` : ''
  const waiting = status.docs_waiting > 0 ? ` ${status.docs_waiting} documents wait to be indexed.` : ''
  const finished = knownStatus(last?.status)
  return {
    in_progress: open?.status === 'in_progress',
    in_repeated_error_state: isRepeatedError(schedule),
    last_finished_status: finished,
    last_status: knownStatus(open?.status) ?? finished,
    latest_index_attempt_docs_indexed: (open ?? last)?.total_docs ?? null,
    last_success: schedule.last_success === null ? null : new Date(schedule.last_success).toISOString(),
    status_reason: `${held}${nextRun.reason}${until}${waiting}`,
    sync_state: syncStateOf(schedule, status),
    last_error,
    source_documents: schedule.source_count,
    progress: runProgress(schedule, now),
    next_run_at: nextRun.state === 'waiting' ? new Date(nextRun.until).toISOString() : null,
    source_wait: wait === null ? null : { reason: wait.reason, until: new Date(wait.until).toISOString() },
  }
}

const MINUTE_MS = 60_000
/** A shorter run says nothing about its rate. */
const MIN_MEASURED_MS = 2_000

function runProgress({ open, source_count }: PairSchedule, now: number): PairStatus['progress'] {
  if (open === null || open.time_started === null) return null
  const read = open.total_docs + open.skipped_docs
  const elapsed = now - open.time_started
  const perMinute = read > 0 && elapsed >= MIN_MEASURED_MS ? (read / elapsed) * MINUTE_MS : null
  const isWhole = open.from_beginning === 1 && open.targets === null
  const left = isWhole && source_count !== null ? Math.max(source_count - read, 0) : null
  const remaining_s = perMinute === null || left === null ? null : Math.ceil((left / perMinute) * 60)
  return { read, per_minute: perMinute, remaining_s }
}

const HELD_REASON = 'Many documents are missing from the source. Confirm or reject their deletion.'

/** A failed run counts as failed until another one has succeeded. */
function lastRunError({ failures, last, status, access_error }: PairSchedule): string | null {
  if (failures > 0 || status === 'INVALID') return last?.error_msg ?? 'The last run failed.'
  return access_error
}

/** A run failed and none has succeeded since, or permissions could not be read. */
export const isFailing = (schedule: PairSchedule): boolean =>
  !['PAUSED', 'DELETING'].includes(schedule.status) && lastRunError(schedule) !== null

/** Counts failing pairs by source; sources that are not listed count as "other". */
export async function countFailingPairs(db: Queryable, sources: readonly string[]): Promise<Record<string, number>> {
  const failing = (await listSchedules(db)).filter(isFailing)
  const counted = failing.map(({ source }) => (sources.includes(source) ? source : 'other'))
  return Object.fromEntries(
    [...sources, 'other'].map((source) => [source, counted.filter((it) => it === source).length]),
  )
}

function syncStateOf(schedule: PairSchedule, { docs_failed }: PairStatus): SyncState {
  const { status, open, last, prune_state } = schedule
  if (status === 'DELETING') return 'deleting'
  if (status === 'PAUSED') return 'paused'
  if (isFailing(schedule)) return 'failing'
  if (prune_state === 'held') return 'held'
  if (open?.status === 'in_progress') return 'syncing'
  if (last === null) return 'not_synced_yet'
  return docs_failed > 0 || last.error_count > 0 ? 'with_errors' : 'up_to_date'
}

const knownStatus = (status: string | undefined): LastStatus | null => LAST_STATUSES.find((it) => it === status) ?? null

function finishedStatus(pair: CcPairListing): 'success' | 'completed_with_errors' | null {
  if (pair.failed > 0) return 'completed_with_errors'
  return pair.indexed > 0 ? 'success' : null
}

function pushedPairReason(pair: CcPairListing, waiting: number, waitingFor: string | null): string {
  if (pair.status === 'DELETING') return `This pair is being deleted: ${pair.documents} of its documents are left.`
  const progress =
    waiting === 0 ? 'all are indexed' : (waitingFor ?? `${waiting} of ${pair.documents} wait to be indexed`)
  const failures = pair.failed === 0 ? '' : `; ${pair.failed} could not be indexed, see their receipts`
  const documents = pair.documents === 0 ? 'none so far' : `${progress}${failures}`
  if (pair.cc_pair_id === DEFAULT_CC_PAIR) return `Documents pushed without a \`cc_pair_id\`; ${documents}.`
  return `Nothing here pulls from "${pair.source}": this pair takes the documents that are pushed to it; ${documents}.`
}

function matchesFilters(status: PairStatus, request: ListingRequest): boolean {
  if (request === null) return true
  const { source, access_type_filters, last_status_filters, sync_state_filters, cc_pair_id, name_filter } = request
  if (source !== null && status.source !== source) return false
  if (access_type_filters?.length && !access_type_filters.includes(status.access_type)) return false
  if (cc_pair_id !== null && status.cc_pair_id !== cc_pair_id) return false
  if (sync_state_filters?.length && !statesOf(status).some((it) => sync_state_filters.includes(it))) return false
  if (last_status_filters?.length && !last_status_filters.includes(status.last_status ?? '')) return false
  if (name_filter !== null && !status.name.toLowerCase().includes(name_filter.toLowerCase())) return false
  return matchesDocumentCount(status.docs_indexed, request)
}

const statesOf = (status: PairStatus): SyncState[] =>
  status.sync_state === 'pushed' ? ['pushed', stateOfPushed(status)] : [status.sync_state]

function stateOfPushed({ cc_pair_status, docs_waiting, docs_failed, docs_indexed }: PairStatus): SyncState {
  if (cc_pair_status === 'PAUSED') return 'paused'
  if (docs_waiting > 0) return 'syncing'
  if (docs_failed > 0) return 'with_errors'
  return docs_indexed > 0 ? 'up_to_date' : 'not_synced_yet'
}

function matchesDocumentCount(count: number, request: NonNullable<ListingRequest>): boolean {
  const { docs_count_operator: operator, docs_count_value: value } = request
  if (operator === null || value === null) return true
  if (operator === '>') return count > value
  return operator === '<' ? count < value : count === value
}

function toSourceListing(source: string, statuses: PairStatus[], request: ListingRequest): SourceListing {
  const pageSize = request?.get_all_connectors === true ? statuses.length : PAGE_SIZE
  const page = request?.source_to_page?.[source] ?? 1
  return {
    source,
    summary: {
      total_connectors: statuses.length,
      active_connectors: statuses.filter((it) => it.cc_pair_status === 'ACTIVE').length,
      public_connectors: statuses.filter((it) => it.access_type === 'public').length,
      total_docs_indexed: statuses.reduce((sum, it) => sum + it.docs_indexed, 0),
    },
    current_page: page,
    total_pages: Math.ceil(statuses.length / pageSize),
    indexing_statuses: statuses.slice((page - 1) * pageSize, page * pageSize),
  }
}
