// Takes away what the source does not have any more: only after a listing taken to its end, and never much at once
// without a person's word.
import { findNote } from '../store/index-attempts.ts'
import { listNamed, listPulled, removeCandidates, replaceCandidates } from '../store/prune-candidates.ts'
import { findSchedule, releaseHeld, type Schedule, type ScheduleChange, updateHeld } from '../store/pulling.ts'
import { CANCELED, LEASE_LOST, messageOf, type RunNeeds, SHUTDOWN, type Turn } from './attempt.ts'
import { openRunPull } from './run-pull.ts'

const BATCH = 200
/** More than this many, and more than this part of what the pair has, waits for a person. */
const HELD_COUNT = 10
const HELD_PART = 0.2

/** A source that names nothing at all may as well be one that is ill. */
export const isHeld = ({ gone, all, listed }: { gone: number; all: number; listed: number }): boolean =>
  gone > 0 && (listed === 0 || (gone > HELD_COUNT && gone > all * HELD_PART))

/** Answers when the run has ended, however it did; rejects only where the record cannot be written. */
export async function runPrune(needs: RunNeeds, turn: Turn): Promise<void> {
  const { db, logger, now } = needs
  const schedule = await findSchedule(db, turn.lease.cc_pair_id)
  if (schedule?.fence !== turn.lease.fence) return
  try {
    const change = await prune(needs, turn, schedule)
    await releaseHeld(db, turn.lease, { ...change, prune_wanted: 0, prune_error: null })
  } catch (error) {
    const reason = turn.signal.aborted ? turn.signal.reason : error
    if (reason === LEASE_LOST) return
    if (reason === SHUTDOWN) return void (await releaseHeld(db, turn.lease))
    const prune_error = reason === CANCELED ? 'It was canceled.' : messageOf(reason)
    // What a person has confirmed waits for another word, and is not forgotten.
    const prune_state = schedule.prune_state === 'confirmed' ? 'held' : null
    await releaseHeld(db, turn.lease, { prune_wanted: 0, prune_state, prune_started: now(), prune_error })
    logger.warn({ cc_pair_id: schedule.cc_pair_id, reason: prune_error }, 'nothing was pruned')
  }
}

async function prune(needs: RunNeeds, turn: Turn, schedule: Schedule): Promise<ScheduleChange> {
  const { db, now } = needs
  const { cc_pair_id } = schedule
  const isConfirmed = schedule.prune_state === 'confirmed'
  await updateHeld(db, turn.lease, { prune_wanted: 1, prune_started: now() })
  const before = await listPulled(db, cc_pair_id)
  const all = before.size
  const listed = await leaveUnlisted(needs, turn, schedule, before)
  const counted = { source_count: listed, counted_at: now() }
  // A person has said yes to the documents that were named, and to no others; of those, one may have come back since.
  const named = isConfirmed ? await listNamed(db, cc_pair_id) : null
  const gone = [...before].filter(([id, seq]) => named === null || named.get(id) === seq)
  await replaceCandidates(
    db,
    cc_pair_id,
    gone.map(([document_id, seq]) => ({ document_id, seq })),
  )
  if (!isConfirmed && isHeld({ gone: gone.length, all, listed })) return { ...counted, prune_state: 'held' }
  const prune_removed = await removeAll(needs, turn)
  return { ...counted, prune_state: null, prune_removed, last_pruned: now() }
}

/** Takes out of `before`, which the pair had before its source was listed, what the listing names. Answers how many that were. */
async function leaveUnlisted(
  needs: RunNeeds,
  turn: Turn,
  schedule: Schedule,
  before: Map<string, number>,
): Promise<number> {
  const { db, now } = needs
  const recall = (key: string) => findNote(db, schedule.cc_pair_id, key)
  const range = { since: null, until: now(), checkpoint: null, only: null, recall }
  const { connector, pull, patiently } = await openRunPull(needs, turn, schedule, range)
  let listed = 0
  for await (const id of patiently(connector.listIds(pull))) {
    turn.signal.throwIfAborted()
    before.delete(id)
    listed += 1
  }
  return listed
}

async function removeAll({ db, indexer, now }: RunNeeds, { lease, signal }: Turn): Promise<number> {
  let removed = 0
  for (;;) {
    signal.throwIfAborted()
    const requestId = `prune-${lease.cc_pair_id}-${lease.fence}`
    const batch = await removeCandidates(db, lease.cc_pair_id, { limit: BATCH, now: now(), requestId })
    if (batch.looked === 0) return removed
    removed += batch.removed
    if (batch.seq > 0) indexer.wake(batch.seq)
  }
}
