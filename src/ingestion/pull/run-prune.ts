// Deletes documents that are missing from the source: only after a complete listing, and many at once only after
// confirmation.
import type { Database } from '../../store/database/database.ts'
import { addRemovedDocuments, findSourceNote } from '../../store/sources/index-attempts.ts'
import {
  endPruneProtection,
  listCandidateVersions,
  listPruneProtected,
  listPulledDocuments,
  removePruneCandidates,
  replacePruneCandidates,
} from '../../store/sources/prune-candidates.ts'
import { filterMissing, replaceMissingDocuments } from '../../store/sources/runs/missing-documents.ts'
import {
  findSchedule,
  type PairSchedule,
  releaseLease,
  type ScheduleChange,
  updateUnderLease,
} from '../../store/sources/schedules.ts'
import { createRunContext } from '../source/run-context.ts'
import { runErrorMessage } from './run-attempt.ts'
import { CANCELED, type ConnectorRunDeps, LEASE_LOST, type RunSlot, SHUTDOWN } from './run-slot.ts'

const BATCH = 200
/** A deletion of more documents than both of these needs confirmation. */
const CONFIRMATION_COUNT = 10
const CONFIRMATION_SHARE = 0.2

/** A source that lists nothing at all may be broken. */
export const needsConfirmation = ({ gone, all, listed }: { gone: number; all: number; listed: number }): boolean =>
  gone > 0 && (listed === 0 || (gone > CONFIRMATION_COUNT && gone > all * CONFIRMATION_SHARE))

/** Resolves when the run has ended, with or without success. Rejects only if the record cannot be written. */
export async function runPrune(deps: ConnectorRunDeps, slot: RunSlot): Promise<void> {
  const { db, logger, now } = deps
  const schedule = await findSchedule(db, slot.lease.cc_pair_id)
  if (schedule?.fence !== slot.lease.fence) return
  try {
    const change = await pruneMissing(deps, slot, schedule)
    await releaseLease(db, slot.lease, { ...change, prune_wanted: 0, prune_error: null })
  } catch (error) {
    const reason = slot.signal.aborted ? slot.signal.reason : error
    if (reason === LEASE_LOST) return
    if (reason === SHUTDOWN) return void (await releaseLease(db, slot.lease))
    const prune_error = reason === CANCELED ? 'The run was canceled.' : runErrorMessage(reason)
    // A confirmed deletion needs another confirmation after a failure; it is not lost.
    const prune_state = schedule.prune_state === 'confirmed' ? 'held' : null
    await releaseLease(db, slot.lease, { prune_wanted: 0, prune_state, prune_started: now(), prune_error })
    logger.warn({ cc_pair_id: schedule.cc_pair_id, reason: prune_error }, 'prune failed')
  }
}

async function pruneMissing(deps: ConnectorRunDeps, slot: RunSlot, schedule: PairSchedule): Promise<ScheduleChange> {
  const { db, now } = deps
  const { cc_pair_id, prune_state } = schedule
  const isConfirmed = prune_state === 'confirmed'
  await updateUnderLease(db, slot.lease, { prune_wanted: 1, prune_started: now() })
  const before = await listPulledDocuments(db, cc_pair_id)
  const all = before.size
  const { listed, missing } = await removeListed(deps, slot, schedule, before)
  await replaceMissingDocuments(db, cc_pair_id, missing)
  const listed_at = now()
  const counted = { source_count: listed, counted_at: listed_at, listed_at, missing_count: missing.length }
  // The confirmation covers only the documents that were listed then; some may have reappeared since.
  const named = isConfirmed ? await listCandidateVersions(db, cc_pair_id) : null
  const gone = [...before].filter(([id, seq]) => named === null || named.get(id) === seq)
  await replacePruneCandidates(
    db,
    cc_pair_id,
    gone.map(([document_id, seq]) => ({ document_id, seq })),
  )
  const isHeld =
    prune_state === 'dry_run' ? gone.length > 0 : !isConfirmed && needsConfirmation({ gone: gone.length, all, listed })
  if (isHeld) return { ...counted, prune_state: 'held' }
  const prune_removed = await removeAllCandidates(deps, slot)
  if (prune_removed > 0) await addRemovedDocuments(db, cc_pair_id, prune_removed)
  return { ...counted, prune_state: null, prune_removed, last_pruned: now() }
}

/**
 * Removes every id that the source lists from `unlisted`. Returns the number of ids listed, and those that the pair
 * does not have.
 */
async function removeListed(
  deps: ConnectorRunDeps,
  slot: RunSlot,
  schedule: PairSchedule,
  unlisted: Map<string, number>,
): Promise<{ listed: number; missing: string[] }> {
  const { db, now } = deps
  const recall = (key: string) => findSourceNote(db, schedule.cc_pair_id, key)
  const range = { since: null, until: now(), checkpoint: null, only: null, recall }
  const { connector, context, withIdleTimeout } = await createRunContext(deps, slot, schedule, range)
  const held = await listPruneProtected(db, schedule.cc_pair_id)
  const known = new Set(unlisted.keys())
  const unknown = new Set<string>()
  const reappeared: string[] = []
  let listed = 0
  for await (const id of withIdleTimeout(connector.listIds(context))) {
    slot.signal.throwIfAborted()
    unlisted.delete(id)
    if (held.delete(id)) reappeared.push(id)
    else if (!known.has(id)) unknown.add(id)
    listed += 1
  }
  await endPruneProtection(db, reappeared)
  return { listed, missing: await filterAllMissing(db, schedule.cc_pair_id, [...unknown]) }
}

/** Without the documents that were pushed. */
async function filterAllMissing(db: Database, cc_pair_id: number, ids: readonly string[]): Promise<string[]> {
  const missing: string[] = []
  for (let at = 0; at < ids.length; at += BATCH) {
    missing.push(...(await filterMissing(db, cc_pair_id, ids.slice(at, at + BATCH))))
  }
  return missing
}

async function removeAllCandidates(
  { db, indexer, now }: ConnectorRunDeps,
  { lease, signal }: RunSlot,
): Promise<number> {
  let removed = 0
  for (;;) {
    signal.throwIfAborted()
    const requestId = `prune-${lease.cc_pair_id}-${lease.fence}`
    const batch = await removePruneCandidates(db, lease.cc_pair_id, { limit: BATCH, now: now(), requestId })
    if (batch.looked === 0) return removed
    removed += batch.removed
    if (batch.seq > 0) indexer.wake(batch.seq)
  }
}
