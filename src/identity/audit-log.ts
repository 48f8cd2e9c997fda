// The audit log: administrative actions, stored before the response is sent. Entries never change; only `expire`
// deletes them.
import { type AuditEntry, type AuditedAction, type AuditFilter, SYSTEM_ACTOR } from '../domain/audit.ts'
import type { Logger } from '../domain/logger.ts'
import type { Subject } from '../domain/subject.ts'
import { zip } from '../domain/values/zip.ts'
import type { Database } from '../store/database/database.ts'
import {
  type AuditVerification,
  appendAuditEntries,
  expireAuditEntries,
  getOrCreatePseudonym,
  listAuditEntries,
  verifyAudit,
} from '../store/identity/audit.ts'
import { getSettings } from '../store/settings/settings.ts'
import { DAY_MS, daysBefore } from '../wire/date-time.ts'

const REFUSAL_INTERVAL_MS = 60_000
const MAX_REMEMBERED_REFUSALS = 10_000
const MAX_BATCH = 200
const PAGE_SIZE = 500

export interface AuditLog {
  /** Resolves when the entry is durable. */
  record(act: AuditedAction): Promise<void>
  /**
   * Stores repeated refusals once a minute, so that a loop does not fill the disk: those of one caller for one action and
   * reason. A refused sign-in has no caller; there, each way to sign in counts for itself, and so does each kind of failure.
   */
  recordRefusal(act: AuditedAction): Promise<void>
  /** The pseudonym of a person, as the object of an entry. It outlasts the person, and names nobody then. */
  pseudonymOf(email: string): Promise<string>
  list(filter: AuditFilter, page: { before: number | null; limit: number }): Promise<AuditEntry[]>
  /** All entries, newest first, read page by page. */
  streamAll(filter: AuditFilter): AsyncGenerator<AuditEntry>
  check(): Promise<AuditVerification>
  /** Deletes entries older than the configured retention, and records that. */
  expire(): Promise<void>
}

interface AuditLogDeps {
  db: Database
  logger: Logger
  now: () => number
}

export function openAuditLog({ db, logger, now }: AuditLogDeps): AuditLog {
  const record = batchWrites(async (acts: readonly AuditedAction[]) => {
    const written = await appendAuditEntries(db, acts, now())
    // If logs are stored elsewhere, these hashes reveal changes to the audit log.
    for (const [{ action, outcome, actor_id, request_id }, { id, hash }] of zip(acts, written)) {
      // Does not log the object: the id of a document may be its title.
      logger.info({ audit_id: id, audit_hash: hash, action, outcome, actor_id, request_id }, 'audit')
    }
  })
  const refusals = new Map<string, number>()
  return {
    record,
    async recordRefusal(act) {
      // The object of a caller's request is any text. The service itself names one of few.
      const way = act.actor_id === SYSTEM_ACTOR ? [act.object_id, ...act.fields].join(' ') : ''
      const key = `${act.actor_id} ${act.action} ${act.error_code} ${way}`
      const last = refusals.get(key)
      if (last !== undefined && now() - last < REFUSAL_INTERVAL_MS) return
      if (refusals.size >= MAX_REMEMBERED_REFUSALS) refusals.clear()
      refusals.set(key, now())
      await record(act)
    },
    pseudonymOf: (email) => db.transaction().execute((trx) => getOrCreatePseudonym(trx, email)),
    list: (filter, page) => listAuditEntries(db, filter, page),
    async *streamAll(filter) {
      for (let before: number | null | undefined = null; before !== undefined; ) {
        const entries: AuditEntry[] = await listAuditEntries(db, filter, { before, limit: PAGE_SIZE })
        yield* entries
        // Only a full page has an entry at this place: then there may be more.
        before = entries[PAGE_SIZE - 1]?.id
      }
    },
    check: () => verifyAudit(db),
    async expire() {
      const { audit_retention_days: days } = await getSettings(db)
      if (days === 0) return
      // Rounds to whole days; otherwise the entry about the deletion would be written every minute.
      const before = Math.floor(daysBefore(now(), days) / DAY_MS) * DAY_MS
      const count = await expireAuditEntries(db, before)
      if (count > 0) await record(expiryAct(count))
    },
  }
}

export const buildAct = (
  { user_id, api_key_id, email }: Subject,
  act: Omit<AuditedAction, 'actor_id' | 'api_key_id' | 'email'>,
): AuditedAction => ({ actor_id: user_id, api_key_id, email, ...act })

const expiryAct = (count: number): AuditedAction => ({
  actor_id: SYSTEM_ACTOR,
  api_key_id: null,
  email: null,
  action: 'audit.expire',
  object_id: `${count} entries`,
  outcome: 'success',
  error_code: null,
  fields: [],
  request_id: null,
})

/** Groups entries that arrive during a write, so that they do not each wait for the disk. */
function batchWrites(write: (acts: readonly AuditedAction[]) => Promise<void>): (act: AuditedAction) => Promise<void> {
  const queue: { act: AuditedAction; resolve: () => void; reject: (error: unknown) => void }[] = []
  let isWriting = false
  const drain = async () => {
    isWriting = true
    while (queue.length > 0) {
      const batch = queue.splice(0, MAX_BATCH)
      try {
        await write(batch.map((it) => it.act))
        for (const it of batch) it.resolve()
      } catch (error) {
        for (const it of batch) it.reject(error)
      }
    }
    isWriting = false
  }
  return (act) =>
    new Promise<void>((resolve, reject) => {
      queue.push({ act, resolve, reject })
      if (!isWriting) void drain()
    })
}
