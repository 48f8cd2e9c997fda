// Syncs document permissions from a source. A failure can only hide documents, never expose them.
import { type Connector, SourceError } from '../../connectors/connector.ts'
import type { ExternalAccess } from '../../domain/access.ts'
import { findSourceNote, triggerAttempts } from '../../store/sources/index-attempts.ts'
import { listPulledDocuments } from '../../store/sources/prune-candidates.ts'
import {
  findSchedule,
  type PairSchedule,
  releaseLease,
  type ScheduleChange,
  updateUnderLease,
} from '../../store/sources/schedules.ts'
import { replaceGroupMembers, type SourceGroupMember, setDocumentAccess } from '../../store/sources/source-access.ts'
import { NO_ACCESS, normalizeAccess, sourceGroupPrefix } from '../source/document.ts'
import { createRunContext } from '../source/run-context.ts'
import { runBackoffMs } from './next-run.ts'
import { runErrorMessage } from './run-attempt.ts'
import { CANCELED, type ConnectorRunDeps, LEASE_LOST, type RunSlot, SHUTDOWN } from './run-slot.ts'

const BATCH = 200
/** After this many consecutive failures, a few minutes, the documents of the pair are hidden. */
const CLOSING_FAILURES = 3

/** Resolves when the run has ended, with or without success. Rejects only if the record cannot be written. */
export async function runAccessSync(deps: ConnectorRunDeps, slot: RunSlot): Promise<void> {
  const { db, logger, now } = deps
  const { lease, signal } = slot
  const schedule = await findSchedule(db, lease.cc_pair_id)
  if (schedule?.fence !== lease.fence) return
  await updateUnderLease(db, lease, { access_started: now() })
  try {
    await syncAccess(deps, slot, schedule)
    const successChange = { access_failures: 0, access_not_before: null, access_error: null, access_closed: 0 as const }
    await releaseLease(db, lease, { ...successChange, access_synced: now() })
  } catch (error) {
    const reason = signal.aborted ? signal.reason : error
    if (reason === LEASE_LOST) return
    if (reason === SHUTDOWN || reason === CANCELED) return void (await releaseLease(db, lease))
    const change = accessFailure(schedule, reason, now())
    if (change.access_closed === 1) await hideAllDocuments(deps, slot)
    await releaseLease(db, lease, change)
    const { access_error, access_closed } = change
    logger.warn({ cc_pair_id: lease.cc_pair_id, access_closed, reason: access_error }, 'permission sync failed')
  }
}

function accessFailure(schedule: PairSchedule, error: unknown, now: number): ScheduleChange {
  const access_failures = schedule.access_failures + 1
  const isFinal = error instanceof SourceError && (error.kind === 'credential' || error.kind === 'config')
  const isClosed = isFinal || access_failures >= CLOSING_FAILURES || schedule.access_closed === 1
  return {
    access_failures,
    access_not_before: now + runBackoffMs(access_failures),
    access_error: runErrorMessage(error),
    access_closed: isClosed ? 1 : 0,
  }
}

async function syncAccess(deps: ConnectorRunDeps, slot: RunSlot, schedule: PairSchedule): Promise<void> {
  const { db, now } = deps
  const { lease } = slot
  const recall = (key: string) => findSourceNote(db, lease.cc_pair_id, key)
  const range = { since: null, until: now(), checkpoint: null, only: null, recall }
  const { connector, context, withIdleTimeout } = await createRunContext(deps, slot, schedule, range)
  const prefix = sourceGroupPrefix(schedule)
  if (connector.groups !== undefined)
    await replaceGroupMembers(db, lease, await listGroupMembers(withIdleTimeout(connector.groups(context)), prefix))
  if (connector.access !== undefined)
    return syncDocumentAccess(deps, slot, withIdleTimeout(connector.access(context)), prefix)
  // Without an access listing, only a full sync makes hidden documents visible again.
  const fullRun = { fromBeginning: true, targets: null }
  if (schedule.access_closed === 1) await triggerAttempts(db, [lease.cc_pair_id], fullRun, now())
}

async function listGroupMembers(
  groups: ReturnType<NonNullable<Connector['groups']>>,
  prefix: string,
): Promise<SourceGroupMember[]> {
  const members = new Map<string, SourceGroupMember>()
  for await (const { id, emails } of groups) {
    for (const email of emails) {
      const member = { group_id: `${prefix}${id}`, email: email.trim().toLowerCase() }
      members.set(JSON.stringify(member), member)
    }
  }
  return [...members.values()]
}

async function syncDocumentAccess(
  deps: ConnectorRunDeps,
  slot: RunSlot,
  documents: ReturnType<NonNullable<Connector['access']>>,
  prefix: string,
): Promise<void> {
  const unlisted = await listPulledDocuments(deps.db, slot.lease.cc_pair_id)
  let batch: DocumentAccess[] = []
  for await (const { id, external_access } of documents) {
    slot.signal.throwIfAborted()
    if (!unlisted.delete(id)) continue
    batch.push({ id, external_access: normalizeAccess(external_access, prefix) })
    if (batch.length < BATCH) continue
    await writeAccess(deps, slot, batch)
    batch = []
  }
  await writeAccess(deps, slot, batch)
  await hideDocuments(deps, slot, [...unlisted.keys()])
}

interface DocumentAccess {
  id: string
  external_access: ExternalAccess
}

async function writeAccess(
  { db, indexer, now }: ConnectorRunDeps,
  { lease }: RunSlot,
  documents: readonly DocumentAccess[],
): Promise<void> {
  const requestId = `access-${lease.cc_pair_id}-${lease.fence}`
  const { seq } = await setDocumentAccess(db, lease, documents, { now: now(), requestId })
  if (seq > 0) indexer.wake(seq)
}

async function hideDocuments(deps: ConnectorRunDeps, slot: RunSlot, ids: readonly string[]): Promise<void> {
  for (let at = 0; at < ids.length; at += BATCH) {
    const documents = ids.slice(at, at + BATCH).map((id) => ({ id, external_access: NO_ACCESS }))
    await writeAccess(deps, slot, documents)
  }
}

async function hideAllDocuments(deps: ConnectorRunDeps, slot: RunSlot): Promise<void> {
  await replaceGroupMembers(deps.db, slot.lease, [])
  await hideDocuments(deps, slot, [...(await listPulledDocuments(deps.db, slot.lease.cc_pair_id)).keys()])
}
