// The connectors page: every complete pair, by source, with what became of its documents and why something waits.
import { z } from 'zod'
import { ACCESS_TYPES, accessType } from '../domain/connector.ts'
import { nullish, wireArray, wireBoolean, wireEnum, wireInteger, wireObject, wireString } from '../domain/wire.ts'
import { type ListedCcPair, listCcPairs } from '../store/cc-pairs.ts'
import type { Queries } from '../store/database.ts'
import { listSchedules, type Schedule } from '../store/pulling.ts'
import { dueOf, isRepeatedError } from './due.ts'
import type { Indexer } from './indexer.ts'

const PAGE_SIZE = 10
const LAST_STATUSES = ['success', 'in_progress', 'completed_with_errors', 'not_started', 'failed', 'canceled'] as const
type LastStatus = (typeof LAST_STATUSES)[number]

const ListingFilters = z
  .object({
    secondary_index: nullish(wireBoolean()),
    source: nullish(wireString({ max: 100 })),
    access_type_filters: nullish(wireArray(accessType)),
    last_status_filters: nullish(wireArray(wireString({ max: 100 }))),
    docs_count_operator: nullish(wireEnum(['>', '<', '='])),
    docs_count_value: nullish(wireInteger()),
    name_filter: nullish(wireString({ max: 1_000 })),
    source_to_page: nullish(wireObject(wireInteger({ min: 1 }))),
    get_all_connectors: nullish(wireBoolean()),
  })
  .meta({ id: 'IndexingStatusRequest' })
export const ListingRequest = nullish(ListingFilters)
type ListingRequest = z.infer<typeof ListingRequest>

const PairStatus = z
  .object({
    cc_pair_id: z.int(),
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
    docs_indexed: z.int(),
    docs_waiting: z.int(),
    docs_failed: z.int(),
    latest_index_attempt_docs_indexed: z.int().nullable(),
    status_reason: z.string(),
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

export async function listPairs(
  { db, indexer, now }: { db: Queries; indexer: Indexer; now: () => number },
  request: ListingRequest,
): Promise<SourceListing[]> {
  const { indexed_seq, waiting_for } = indexer.progress()
  const schedules = new Map((await listSchedules(db)).map((it) => [it.cc_pair_id, it]))
  const pairs = (await listCcPairs(db, indexed_seq)).map((pair) => {
    const schedule = schedules.get(pair.cc_pair_id)
    const status = statusOf(pair, waiting_for)
    return schedule === undefined ? status : { ...status, ...pulled(schedule, status, now()) }
  })
  const bySource = Map.groupBy(
    pairs.filter((it) => isWanted(it, request)),
    (it) => it.source,
  )
  return [...bySource]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([source, statuses]) => listingOf(source, statuses, request))
    .filter((it) => it.indexing_statuses.length > 0)
}

function statusOf(pair: ListedCcPair, waitingFor: string | null): PairStatus {
  const waiting = pair.documents - pair.indexed - pair.failed
  const last_status = waiting > 0 ? 'in_progress' : finishedStatus(pair)
  return {
    cc_pair_id: pair.cc_pair_id,
    name: pair.name,
    source: pair.source,
    access_type: ACCESS_TYPES.find((it) => it === pair.access_type) ?? 'private',
    cc_pair_status: pair.status,
    in_progress: waiting > 0,
    in_repeated_error_state: false,
    last_finished_status: finishedStatus(pair),
    last_status,
    last_success: pair.last_indexed_at === null ? null : new Date(pair.last_indexed_at).toISOString(),
    is_editable: pair.status !== 'DELETING',
    docs_indexed: pair.indexed,
    docs_waiting: waiting,
    docs_failed: pair.failed,
    latest_index_attempt_docs_indexed: null,
    status_reason: reasonOf(pair, waiting, waitingFor),
  }
}

/** What a pair that is pulled says of itself: its runs come first, then what became of their documents. */
function pulled(schedule: Schedule, status: PairStatus, now: number): Partial<PairStatus> {
  const { open, last } = schedule
  const due = dueOf(schedule, now)
  const until = due.until === null ? '' : ` Until ${new Date(due.until).toISOString()}.`
  const waiting = status.docs_waiting > 0 ? ` ${status.docs_waiting} documents wait to be indexed.` : ''
  const finished = knownStatus(last?.status)
  return {
    in_progress: open?.status === 'in_progress',
    in_repeated_error_state: isRepeatedError(schedule),
    last_finished_status: finished,
    last_status: knownStatus(open?.status) ?? finished,
    latest_index_attempt_docs_indexed: (open ?? last)?.total_docs ?? null,
    status_reason: `${due.reason}${until}${waiting}`,
  }
}

const knownStatus = (status: string | undefined): LastStatus | null => LAST_STATUSES.find((it) => it === status) ?? null

function finishedStatus(pair: ListedCcPair): 'success' | 'completed_with_errors' | null {
  if (pair.failed > 0) return 'completed_with_errors'
  return pair.indexed > 0 ? 'success' : null
}

function reasonOf(pair: ListedCcPair, waiting: number, waitingFor: string | null): string {
  if (pair.status === 'DELETING') return `This pair is being deleted: ${pair.documents} of its documents are left.`
  const progress =
    waiting === 0 ? 'all of them are indexed' : (waitingFor ?? `${waiting} of ${pair.documents} wait to be indexed`)
  const failures = pair.failed === 0 ? '' : `; ${pair.failed} could not be indexed, their receipts say why`
  const documents = pair.documents === 0 ? 'none was pushed yet' : `${progress}${failures}`
  return `Nothing here pulls from "${pair.source}": this pair takes the documents that are pushed to it; ${documents}.`
}

function isWanted(status: PairStatus, request: ListingRequest): boolean {
  if (request === null) return true
  const { source, access_type_filters, last_status_filters, name_filter } = request
  if (source !== null && status.source !== source) return false
  if (access_type_filters?.length && !access_type_filters.includes(status.access_type)) return false
  if (last_status_filters?.length && !last_status_filters.includes(status.last_status ?? '')) return false
  if (name_filter !== null && !status.name.toLowerCase().includes(name_filter.toLowerCase())) return false
  return hasWantedCount(status.docs_indexed, request)
}

function hasWantedCount(count: number, request: NonNullable<ListingRequest>): boolean {
  const { docs_count_operator: operator, docs_count_value: value } = request
  if (operator === null || value === null) return true
  if (operator === '>') return count > value
  return operator === '<' ? count < value : count === value
}

function listingOf(source: string, statuses: PairStatus[], request: ListingRequest): SourceListing {
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
