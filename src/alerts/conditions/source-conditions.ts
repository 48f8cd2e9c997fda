// Conditions of pairs: what keeps their documents from being complete and current.
import { type AlertCondition, type AlertKind, conditionOf } from '../../domain/alerts/alert.ts'
import { isFailing } from '../../ingestion/pull/pair-listing.ts'
import { countUnindexed, countUnmatchedPeople, countUnread, type PairCount } from '../../store/alerts/conditions.ts'
import type { Queryable } from '../../store/database/database.ts'
import { listSchedules, type PairSchedule } from '../../store/sources/schedules.ts'

/** A pair that a person paused this long ago may have been forgotten. */
export const LONG_PAUSE_MS = 7 * 86_400_000

export async function readSourceConditions(db: Queryable, now: number): Promise<AlertCondition[]> {
  return (await listSchedules(db)).flatMap((it) => conditionsOfPair(it, now))
}

function conditionsOfPair(schedule: PairSchedule, now: number): AlertCondition[] {
  const { status, prune_state, paused_at } = schedule
  if (status === 'DELETING') return []
  const found: AlertCondition[] = []
  if (isFailing(schedule)) found.push(failureOf(schedule))
  if (prune_state === 'held') found.push(ofPair('prune_held', schedule))
  if (status === 'PAUSED' && paused_at !== null && paused_at <= now - LONG_PAUSE_MS)
    found.push(ofPair('source_paused', schedule, { since: paused_at }))
  return found
}

function failureOf(schedule: PairSchedule): AlertCondition {
  const { failures, status, last, not_before, access_error, access_not_before, failure_kind } = schedule
  if (failures === 0 && status !== 'INVALID')
    return ofPair('permissions_failing', schedule, { reason: access_error, due_at: access_not_before })
  const kind = failure_kind === 'credential' ? 'credential_refused' : 'source_failing'
  const reason = last?.error_msg ?? 'The last run failed.'
  return ofPair(kind, schedule, {
    reason,
    due_at: not_before,
    since: failures === 1 ? (last?.time_finished ?? null) : null,
  })
}

const ofPair = (
  kind: AlertKind,
  { cc_pair_id, name }: Pick<PairSchedule, 'cc_pair_id' | 'name'>,
  facts: Partial<Pick<AlertCondition, 'reason' | 'due_at' | 'since' | 'count'>> = {},
): AlertCondition => conditionOf(kind, { object_id: String(cc_pair_id), cc_pair_id, name, ...facts })

/** These read many rows. */
export async function readDocumentConditions(db: Queryable): Promise<AlertCondition[]> {
  const failed = sumByPair([...(await countUnindexed(db)), ...(await countUnread(db))])
  return [
    ...failed.map((it) => ofPair('documents_failed', it, { count: it.count })),
    ...(await countUnmatchedPeople(db)).map((it) => ofPair('unmatched_people', it, { count: it.count })),
  ]
}

function sumByPair(counts: readonly PairCount[]): PairCount[] {
  const sums = new Map<number, PairCount>()
  for (const it of counts) sums.set(it.cc_pair_id, { ...it, count: it.count + (sums.get(it.cc_pair_id)?.count ?? 0) })
  return [...sums.values()]
}
