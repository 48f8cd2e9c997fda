// The audit: rows that are only added, each sealed with the hash of the one before it.
import { createHash, randomUUID } from 'node:crypto'
import type { Selectable } from 'kysely'
import { type Act, type AuditEntry, type AuditFilter, type AuditOutcome, objectTypeOf } from '../domain/audit.ts'
import type { Database, Queries } from './database.ts'
import type { AuditRow } from './tables.ts'

type Stored = Selectable<AuditRow>

/** What the first entry of all follows. */
const GENESIS = ''
const CHECKED_AT_ONCE = 1_000

interface Written {
  id: number
  hash: string
}

/** Writes the acts together, in their order, and answers their entries' ids and hashes. */
export const appendAudit = (db: Database, acts: readonly Act[], now: number): Promise<Written[]> =>
  db.transaction().execute((trx) => addAudit(trx, acts, now))

/** The same within the transaction that does what they tell of. */
export async function addAudit(trx: Queries, acts: readonly Act[], now: number): Promise<Written[]> {
  const last = await trx.selectFrom('audit').select('hash').orderBy('id', 'desc').limit(1).executeTakeFirst()
  let previous = last?.hash ?? GENESIS
  const written: Written[] = []
  for (const { email, fields, ...act } of acts) {
    const row = {
      ...act,
      at: now,
      object_type: objectTypeOf(act.action),
      person: email === null ? null : await pseudonymOf(trx, email),
      fields: JSON.stringify(fields),
      previous,
    }
    const hash = seal(row)
    const { id } = await trx
      .insertInto('audit')
      .values({ ...row, hash })
      .returning('id')
      .executeTakeFirstOrThrow()
    written.push({ id, hash })
    previous = hash
  }
  return written
}

/** Everything but the id, which the database gives. */
const seal = (it: Omit<Stored, 'id' | 'hash'>): string =>
  createHash('sha256')
    .update(
      JSON.stringify([
        it.previous,
        it.at,
        it.actor_id,
        it.api_key_id,
        it.person,
        it.action,
        it.object_type,
        it.object_id,
        it.outcome,
        it.error_code,
        it.fields,
        it.request_id,
      ]),
    )
    .digest('hex')

/** Under which name a person stands in the audit. Spelled in lower case: an e-mail has many spellings. */
export async function pseudonymOf(db: Queries, email: string): Promise<string> {
  const known = await findPseudonym(db, email)
  if (known !== undefined) return known
  const pseudonym = `person-${randomUUID()}`
  await db.insertInto('audit_person').values({ pseudonym, email: email.toLowerCase() }).execute()
  return pseudonym
}

export async function findPseudonym(db: Queries, email: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('audit_person')
    .select('pseudonym')
    .where('email', '=', email.toLowerCase())
    .executeTakeFirst()
  return row?.pseudonym
}

/** Newest first; `before`: only entries below that id. */
export async function listAudit(
  db: Queries,
  filter: AuditFilter,
  { before, limit }: { before: number | null; limit: number },
): Promise<AuditEntry[]> {
  const { actor, action, object_type, object_id, outcome, request_id, from, until } = filter
  const rows = await db
    .selectFrom('audit')
    .leftJoin('audit_person', 'audit_person.pseudonym', 'audit.person')
    .select(['id', 'at', 'actor_id', 'api_key_id', 'person', 'action', 'object_type', 'object_id', 'outcome'])
    .select(['error_code', 'fields', 'request_id', 'hash', 'audit_person.email as actor_email'])
    .$if(before !== null, (it) => it.where('id', '<', before))
    .$if(actor !== null, (it) =>
      it.where((where) =>
        where.or([
          where('actor_id', '=', actor),
          where('person', '=', actor),
          where('audit_person.email', '=', actor?.toLowerCase() ?? null),
        ]),
      ),
    )
    .$if(action !== null, (it) => it.where('action', '=', action ?? ''))
    .$if(object_type !== null, (it) => it.where('object_type', '=', object_type ?? ''))
    .$if(object_id !== null, (it) => it.where('object_id', '=', object_id))
    .$if(outcome !== null, (it) => it.where('outcome', '=', outcome ?? ''))
    .$if(request_id !== null, (it) => it.where('request_id', '=', request_id))
    .$if(from !== null, (it) => it.where('at', '>=', from ?? 0))
    .$if(until !== null, (it) => it.where('at', '<', until ?? 0))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  // Outcome and fields were written by `appendAudit`.
  return rows.map((it) => ({ ...it, outcome: it.outcome as AuditOutcome, fields: JSON.parse(it.fields) as string[] }))
}

export interface AuditCheck {
  entries: number
  first_id: number | null
  last_id: number | null
  /** Of the newest entry: kept elsewhere, it shows whether entries were taken away at the end. */
  last_hash: string | null
  /** The first entry that is not as it was written, or does not follow the one before it. */
  broken_at: number | null
}

/** Reads every entry. The oldest one that is left is taken as it is: what it followed may have been over its time. */
export async function checkAudit(db: Queries): Promise<AuditCheck> {
  const check: AuditCheck = { entries: 0, first_id: null, last_id: null, last_hash: null, broken_at: null }
  for (;;) {
    const rows = await db
      .selectFrom('audit')
      .selectAll()
      .where('id', '>', check.last_id ?? -1)
      .orderBy('id')
      .limit(CHECKED_AT_ONCE)
      .execute()
    for (const row of rows) {
      const follows = check.last_hash === null || row.previous === check.last_hash
      if (check.broken_at === null && !(follows && row.hash === seal(row))) check.broken_at = row.id
      check.first_id ??= row.id
      check.last_id = row.id
      check.last_hash = row.hash
      check.entries += 1
    }
    if (rows.length < CHECKED_AT_ONCE) return check
  }
}

/** Takes away the oldest entries, up to the first one that is not older than `before`; the newest one always stays. */
export const expireAudit = (db: Database, before: number): Promise<number> =>
  db.transaction().execute(async (trx) => {
    const { kept, newest } = await trx
      .selectFrom('audit')
      .select((it) => [
        it.fn.max('id').as('newest'),
        it
          .selectFrom('audit as young')
          .select((young) => young.fn.min('young.id').as('id'))
          .where('young.at', '>=', before)
          .as('kept'),
      ])
      .executeTakeFirstOrThrow()
    const { numDeletedRows } = await trx
      .deleteFrom('audit')
      .where('id', '<', kept ?? newest ?? 0)
      .executeTakeFirst()
    return Number(numDeletedRows)
  })
