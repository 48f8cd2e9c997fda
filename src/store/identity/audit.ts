// The audit log is append-only. Each entry contains the hash of the previous one.
import { createHash, randomUUID } from 'node:crypto'
import type { Selectable } from 'kysely'
import { type AuditEntry, type AuditedAction, type AuditFilter, auditObjectType } from '../../domain/audit.ts'
import { emailKeyOf } from '../../domain/subject.ts'
import type { Database, Queryable } from '../database/database.ts'
import type { AuditRow } from '../database/tables.ts'

type StoredAuditEntry = Selectable<AuditRow>

/** The previous hash of the very first entry. */
const NO_PREVIOUS_HASH = ''
const VERIFY_BATCH = 1_000

interface AppendedAuditEntry {
  id: number
  hash: string
}

/** Writes the acts in order, in one transaction, and returns the ids and hashes of their entries. */
export const appendAuditEntries = (
  db: Database,
  acts: readonly AuditedAction[],
  now: number,
): Promise<AppendedAuditEntry[]> => db.transaction().execute((trx) => insertAuditEntries(trx, acts, now))

/** Does the same inside the transaction of the audited change. */
export async function insertAuditEntries(
  trx: Queryable,
  acts: readonly AuditedAction[],
  now: number,
): Promise<AppendedAuditEntry[]> {
  const last = await trx.selectFrom('audit').select('hash').orderBy('id', 'desc').limit(1).executeTakeFirst()
  let previous = last?.hash ?? NO_PREVIOUS_HASH
  const written: AppendedAuditEntry[] = []
  for (const { email, fields, ...act } of acts) {
    const row = {
      ...act,
      at: now,
      object_type: auditObjectType(act.action),
      person: email === null ? null : await getOrCreatePseudonym(trx, email),
      fields: JSON.stringify(fields),
      previous,
    }
    const hash = hashAuditEntry(row)
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

/** Hashes everything except the id, which the database assigns. */
const hashAuditEntry = (it: Omit<StoredAuditEntry, 'id' | 'hash'>): string =>
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

/** Returns the pseudonym of a person in the audit log. Addresses are compared in lower case. */
export async function getOrCreatePseudonym(db: Queryable, email: string): Promise<string> {
  const known = await findPseudonym(db, email)
  if (known !== undefined) return known
  const pseudonym = `person-${randomUUID()}`
  const inserted = await db
    .insertInto('audit_person')
    .values({ pseudonym, email: email.toLowerCase() })
    .onConflict((it) => it.column('email').doNothing())
    .returning('pseudonym')
    .executeTakeFirst()
  // Another transaction has just made one.
  return inserted?.pseudonym ?? getOrCreatePseudonym(db, email)
}

export async function findPseudonym(db: Queryable, email: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('audit_person')
    .select('pseudonym')
    .where('email', '=', email.toLowerCase())
    .executeTakeFirst()
  return row?.pseudonym
}

/** The object is a person. Others may have any id, also one that looks like that of a person. */
const PERSON_TYPES = ['person', 'access']

/** Returns the newest entries first. `before` limits the list to smaller ids. */
export async function listAuditEntries(
  db: Queryable,
  filter: AuditFilter,
  { before, limit }: { before: number | null; limit: number },
): Promise<AuditEntry[]> {
  const { actor, action, object_type, object_id, outcome, request_id, from, until } = filter
  // The addresses are looked up first: then the conditions are on columns of the entry, and only those listed are joined.
  const pseudonyms = actor === null ? [] : [actor, ...(await listIdsOfAddress(db, actor))]
  const idsOfObject = object_id === null ? [] : [object_id, ...(await listIdsOfAddress(db, object_id))]
  const rows = await db
    .selectFrom('audit')
    .leftJoin('audit_person', 'audit_person.pseudonym', 'audit.person')
    .leftJoin('audit_person as affected', (it) =>
      it.onRef('affected.pseudonym', '=', 'audit.object_id').on('audit.object_type', 'in', PERSON_TYPES),
    )
    .leftJoin('person as affected_person', (it) =>
      it.onRef('affected_person.id', '=', 'audit.object_id').on('audit.object_type', 'in', PERSON_TYPES),
    )
    .select(['audit.id', 'at', 'actor_id', 'api_key_id', 'person', 'action', 'object_type', 'object_id', 'outcome'])
    .select(['error_code', 'fields', 'request_id', 'hash', 'audit_person.email as actor_email'])
    .select((it) => it.fn.coalesce('affected.email', 'affected_person.email').as('object_email'))
    .$if(before !== null, (it) => it.where('audit.id', '<', before))
    .$if(actor !== null, (it) =>
      it.where((where) => where.or([where('actor_id', '=', actor), where('person', 'in', pseudonyms)])),
    )
    .$call((it) => (action === null ? it : it.where('action', '=', action)))
    .$call((it) => (object_type === null ? it : it.where('object_type', '=', object_type)))
    .$if(object_id !== null, (it) =>
      it.where((where) =>
        where.or([
          where('object_id', '=', object_id),
          where.and([where('object_type', 'in', PERSON_TYPES), where('object_id', 'in', idsOfObject)]),
        ]),
      ),
    )
    .$call((it) => (outcome === null ? it : it.where('outcome', '=', outcome)))
    .$if(request_id !== null, (it) => it.where('request_id', '=', request_id))
    .$call((it) => (from === null ? it : it.where('at', '>=', from)))
    .$call((it) => (until === null ? it : it.where('at', '<', until)))
    .orderBy('audit.id', 'desc')
    .limit(limit)
    .execute()
  return rows.map((it) => ({ ...it, fields: JSON.parse(it.fields) }))
}

/** The pseudonym and the id of the person with this address. */
async function listIdsOfAddress(db: Queryable, email: string): Promise<string[]> {
  const person = await db
    .selectFrom('person')
    .select('id')
    .where('email_key', '=', emailKeyOf(email))
    .executeTakeFirst()
  return [await findPseudonym(db, email), person?.id].filter((it) => it !== undefined)
}

export interface AuditVerification {
  entries: number
  first_id: number | null
  last_id: number | null
  /** Hash of the newest entry. Stored elsewhere, it reveals whether entries at the end were removed. */
  last_hash: string | null
  /** The first entry that was altered or does not follow its predecessor. */
  broken_at: number | null
}

/** Reads every entry. The oldest remaining entry is trusted, because its predecessor may have expired. */
export async function verifyAudit(db: Queryable): Promise<AuditVerification> {
  const check: AuditVerification = { entries: 0, first_id: null, last_id: null, last_hash: null, broken_at: null }
  for (;;) {
    const rows = await db
      .selectFrom('audit')
      .selectAll()
      .where('id', '>', check.last_id ?? -1)
      .orderBy('id')
      .limit(VERIFY_BATCH)
      .execute()
    for (const row of rows) {
      const follows = check.last_hash === null || row.previous === check.last_hash
      if (check.broken_at === null && !(follows && row.hash === hashAuditEntry(row))) check.broken_at = row.id
      check.first_id ??= row.id
      check.last_id = row.id
      check.last_hash = row.hash
      check.entries += 1
    }
    if (rows.length < VERIFY_BATCH) return check
  }
}

/** Deletes the oldest entries up to the first one that is not older than `before`. The newest entry always stays. */
export const expireAuditEntries = (db: Database, before: number): Promise<number> =>
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
