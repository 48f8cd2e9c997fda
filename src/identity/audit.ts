// The audit log: acts of administration, written before they are answered. Nothing here changes or removes an entry but
// the end of its time.
import { type Act, type AuditEntry, type AuditFilter, SYSTEM } from '../domain/audit.ts'
import { DAY_MS } from '../domain/date-time.ts'
import type { Logger } from '../domain/logger.ts'
import type { Subject } from '../domain/subject.ts'
import { type AuditCheck, appendAudit, checkAudit, expireAudit, listAudit } from '../store/audit.ts'
import type { Database } from '../store/database.ts'
import { getSettings } from '../store/settings.ts'

const REFUSAL_EVERY_MS = 60_000
const MAX_REMEMBERED = 10_000
const MAX_GROUP = 200
const PAGE = 500

export interface AuditLog {
  /** Resolves when the entry is on the disk. */
  record(act: Act): Promise<void>
  /** The same refusal of the same key is written down once a minute: whoever tries in a loop must not fill the disk. */
  recordRefusal(act: Act): Promise<void>
  list(filter: AuditFilter, page: { before: number | null; limit: number }): Promise<AuditEntry[]>
  /** All of them, newest first, read a page at a time. */
  all(filter: AuditFilter): AsyncGenerator<AuditEntry>
  check(): Promise<AuditCheck>
  /** Takes away what is older than the settings say, and writes that down. */
  expire(): Promise<void>
}

interface Needs {
  db: Database
  logger: Logger
  now: () => number
}

export function openAuditLog({ db, logger, now }: Needs): AuditLog {
  const record = grouped(async (acts: readonly Act[]) => {
    const written = await appendAudit(db, acts, now())
    // Where the log is kept elsewhere, these hashes show that nobody shortened or rewrote the audit.
    for (const [at, { id, hash }] of written.entries()) {
      // Not the object: a document's id may be a title.
      const { action, outcome, actor_id, request_id } = acts[at]!
      logger.info({ audit_id: id, audit_hash: hash, action, outcome, actor_id, request_id }, 'audit')
    }
  })
  const refusals = new Map<string, number>()
  return {
    record,
    async recordRefusal(act) {
      const key = `${act.actor_id} ${act.action}`
      const last = refusals.get(key)
      if (last !== undefined && now() - last < REFUSAL_EVERY_MS) return
      if (refusals.size >= MAX_REMEMBERED) refusals.clear()
      refusals.set(key, now())
      await record(act)
    },
    list: (filter, page) => listAudit(db, filter, page),
    async *all(filter) {
      for (let before: number | null = null; ; ) {
        const entries: AuditEntry[] = await listAudit(db, filter, { before, limit: PAGE })
        yield* entries
        if (entries.length < PAGE) return
        before = entries.at(-1)!.id
      }
    },
    check: () => checkAudit(db),
    async expire() {
      const { audit_retention_days: days } = await getSettings(db)
      if (days === 0) return
      // By whole days: else the entry that tells of it would be written every minute.
      const before = (Math.floor(now() / DAY_MS) - days) * DAY_MS
      const count = await expireAudit(db, before)
      if (count > 0) await record(expiry(count))
    },
  }
}

export const actOf = (
  { user_id, api_key_id, email }: Subject,
  act: Omit<Act, 'actor_id' | 'api_key_id' | 'email'>,
): Act => ({ actor_id: user_id, api_key_id, email, ...act })

const expiry = (count: number): Act => ({
  actor_id: SYSTEM,
  api_key_id: null,
  email: null,
  action: 'audit.expire',
  object_id: `${count} entries`,
  outcome: 'success',
  error_code: null,
  fields: [],
  request_id: null,
})

/** What comes while one group is written makes the next: entries follow each other, and each would wait for a disk. */
function grouped(write: (acts: readonly Act[]) => Promise<void>): (act: Act) => Promise<void> {
  const waiting: { act: Act; resolve: () => void; reject: (error: unknown) => void }[] = []
  let isWriting = false
  const work = async () => {
    isWriting = true
    while (waiting.length > 0) {
      const group = waiting.splice(0, MAX_GROUP)
      try {
        await write(group.map((it) => it.act))
        for (const it of group) it.resolve()
      } catch (error) {
        for (const it of group) it.reject(error)
      }
    }
    isWriting = false
  }
  return (act) =>
    new Promise<void>((resolve, reject) => {
      waiting.push({ act, resolve, reject })
      if (!isWriting) void work()
    })
}
