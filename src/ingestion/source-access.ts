// Learns who may read what in a source. What could not be learnt closes, and never opens.
import { type Connector, SourceError } from '../connectors/connector.ts'
import type { ExternalAccess } from '../domain/access.ts'
import { findNote, triggerAttempts } from '../store/index-attempts.ts'
import { listPulled } from '../store/prune-candidates.ts'
import { findSchedule, releaseHeld, type Schedule, type ScheduleChange, updateHeld } from '../store/pulling.ts'
import { type GroupMember, replaceMembers, setAccess } from '../store/source-access.ts'
import { CANCELED, LEASE_LOST, messageOf, type RunNeeds, SHUTDOWN, type Turn } from './attempt.ts'
import { backoffMs } from './due.ts'
import { openRunPull } from './run-pull.ts'
import { accessIn, groupPrefixOf, NOBODY } from './source-document.ts'

const BATCH = 200
/** So often in a row, which is a few minutes, it may fail and is only late. Then it has failed, and closes. */
const CLOSING_FAILURES = 3

/** Answers when the run has ended, however it did; rejects only where the record cannot be written. */
export async function runSourceAccess(needs: RunNeeds, turn: Turn): Promise<void> {
  const { db, logger, now } = needs
  const { lease, signal } = turn
  const schedule = await findSchedule(db, lease.cc_pair_id)
  if (schedule?.fence !== lease.fence) return
  await updateHeld(db, lease, { access_started: now() })
  try {
    await learn(needs, turn, schedule)
    const learnt = { access_failures: 0, access_not_before: null, access_error: null, access_closed: 0 as const }
    await releaseHeld(db, lease, { ...learnt, access_synced: now() })
  } catch (error) {
    const reason = signal.aborted ? signal.reason : error
    if (reason === LEASE_LOST) return
    if (reason === SHUTDOWN || reason === CANCELED) return void (await releaseHeld(db, lease))
    const change = failureOf(schedule, reason, now())
    if (change.access_closed === 1) await closeAll(needs, turn)
    await releaseHeld(db, lease, change)
    const { access_error, access_closed } = change
    logger.warn({ cc_pair_id: lease.cc_pair_id, access_closed, reason: access_error }, 'permissions not learnt')
  }
}

function failureOf(schedule: Schedule, error: unknown, now: number): ScheduleChange {
  const access_failures = schedule.access_failures + 1
  const isFinal = error instanceof SourceError && (error.fault === 'credential' || error.fault === 'config')
  const isClosed = isFinal || access_failures >= CLOSING_FAILURES || schedule.access_closed === 1
  return {
    access_failures,
    access_not_before: now + backoffMs(access_failures),
    access_error: messageOf(error),
    access_closed: isClosed ? 1 : 0,
  }
}

async function learn(needs: RunNeeds, turn: Turn, schedule: Schedule): Promise<void> {
  const { db, now } = needs
  const { lease } = turn
  const recall = (key: string) => findNote(db, lease.cc_pair_id, key)
  const range = { since: null, until: now(), checkpoint: null, only: null, recall }
  const { connector, pull, patiently } = await openRunPull(needs, turn, schedule, range)
  const prefix = groupPrefixOf(schedule)
  if (connector.groups !== undefined)
    await replaceMembers(db, lease, await membersOf(patiently(connector.groups(pull)), prefix))
  if (connector.access !== undefined) return learnAccess(needs, turn, patiently(connector.access(pull)), prefix)
  // What was closed is opened by reading it again.
  const whole = { fromBeginning: true, targets: null }
  if (schedule.access_closed === 1) await triggerAttempts(db, [lease.cc_pair_id], whole, now())
}

async function membersOf(groups: ReturnType<NonNullable<Connector['groups']>>, prefix: string): Promise<GroupMember[]> {
  const members = new Map<string, GroupMember>()
  for await (const { id, emails } of groups) {
    for (const email of emails) {
      const member = { group_id: `${prefix}${id}`, email: email.trim().toLowerCase() }
      members.set(JSON.stringify(member), member)
    }
  }
  return [...members.values()]
}

async function learnAccess(
  needs: RunNeeds,
  turn: Turn,
  documents: ReturnType<NonNullable<Connector['access']>>,
  prefix: string,
): Promise<void> {
  const unnamed = await listPulled(needs.db, turn.lease.cc_pair_id)
  let batch: Known[] = []
  for await (const { id, external_access } of documents) {
    turn.signal.throwIfAborted()
    if (!unnamed.delete(id)) continue
    batch.push({ id, external_access: accessIn(external_access, prefix) })
    if (batch.length < BATCH) continue
    await write(needs, turn, batch)
    batch = []
  }
  await write(needs, turn, batch)
  await close(needs, turn, [...unnamed.keys()])
}

interface Known {
  id: string
  external_access: ExternalAccess
}

async function write({ db, indexer, now }: RunNeeds, { lease }: Turn, documents: readonly Known[]): Promise<void> {
  const requestId = `access-${lease.cc_pair_id}-${lease.fence}`
  const { seq } = await setAccess(db, lease, documents, { now: now(), requestId })
  if (seq > 0) indexer.wake(seq)
}

async function close(needs: RunNeeds, turn: Turn, ids: readonly string[]): Promise<void> {
  for (let at = 0; at < ids.length; at += BATCH) {
    const documents = ids.slice(at, at + BATCH).map((id) => ({ id, external_access: NOBODY }))
    await write(needs, turn, documents)
  }
}

async function closeAll(needs: RunNeeds, turn: Turn): Promise<void> {
  await replaceMembers(needs.db, turn.lease, [])
  await close(needs, turn, [...(await listPulled(needs.db, turn.lease.cc_pair_id)).keys()])
}
