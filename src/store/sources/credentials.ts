// Credentials: who may see one, who may change one, and its sealed content.
import type { Selectable } from 'kysely'
import type { SourceFacts } from '../../domain/connector.ts'
import { AppError } from '../../domain/errors.ts'
import { mayManage, maySeeCredential } from '../../domain/rights/may-manage.ts'
import type { Subject } from '../../domain/subject.ts'
import type { KeysetPage } from '../../domain/values/keyset-page.ts'
import type { Queryable } from '../database/database.ts'
import type { CredentialRow } from '../database/tables.ts'
import type { DatabaseWithSecrets, QueryableWithSecrets, SecretBox } from '../secrets/secret-box.ts'
import { parseOrigins, serializeOrigins } from './credential-origins.ts'
import { filterManagedPairs } from './managed-pairs.ts'

type CredentialJson = Record<string, unknown>
type CredentialFields = Pick<Selectable<CredentialRow>, 'name' | 'source' | 'admin_public' | 'curator_public'>

export interface StoredCredential extends Omit<Selectable<CredentialRow>, 'credential_json' | 'allowed_origins'> {
  /** Unsealed. Mask it before you show it. */
  credential_json: CredentialJson
  /** Origins to which the secret may be sent. */
  allowed_origins: string[]
}
type CredentialChange = Partial<CredentialFields> & {
  credential_json: CredentialJson
  /** Null leaves them unchanged. */
  allowed_origins: readonly string[] | null
  isHandedOver: boolean
  /** The time of the last change that the caller knows, or null. */
  expected_time_updated: number | null
}

/** The empty credential, for connectors that need none. */
export const EMPTY_CREDENTIAL = 0

type WithFacts<T> = T & { sourceFacts: SourceFacts }

/**
 * Lists the credentials that the subject may use: all for administrators; for those who manage all connectors their own,
 * shared ones and those of open sources; for curators their own and those that are shared with curators.
 */
export async function listCredentials(
  { db, secrets, sourceFacts }: WithFacts<QueryableWithSecrets>,
  subject: Subject,
  { after, limit }: KeysetPage,
  source: string | null = null,
): Promise<StoredCredential[]> {
  const rows = await selectVisibleCredentials(db, sourceFacts, subject)
    .where('id', '>', after)
    .$if(source !== null, (it) => it.where('source', 'in', sourceFacts.namesOf(source ?? '')))
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map((it) => decryptCredential(it, secrets))
}

/** CREDENTIAL_NOT_FOUND: it does not exist or the subject may not use it. */
export async function getCredential(
  { db, secrets, sourceFacts }: WithFacts<QueryableWithSecrets>,
  subject: Subject,
  id: number,
): Promise<StoredCredential> {
  const row = await selectVisibleCredentials(db, sourceFacts, subject).where('id', '=', id).executeTakeFirst()
  if (row === undefined) throw new AppError('CREDENTIAL_NOT_FOUND', { id })
  return decryptCredential(row, secrets)
}

/** Returns credentials of pairs, regardless of their owner, for runs. */
export async function mapCredentialsById(
  { db, secrets }: QueryableWithSecrets,
  ids: readonly number[],
): Promise<Map<number, StoredCredential>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('credential').selectAll().where('id', 'in', ids).execute()
  return new Map(rows.map((it) => [it.id, decryptCredential(it, secrets)]))
}

/**
 * Returns credentials of pairs that the subject manages. A credential that is closed to the subject has only its id and
 * its source.
 */
export async function mapCredentialsOfPairs(
  store: QueryableWithSecrets,
  subject: Subject,
  ids: readonly number[],
): Promise<Map<number, StoredCredential>> {
  const found = await mapCredentialsById(store, ids)
  const closed = { name: null, credential_json: {}, allowed_origins: [], user_id: null, user_email: null }
  return new Map([...found].map(([id, it]) => [id, maySeeCredential(subject, it) ? it : { ...it, ...closed }]))
}

function selectVisibleCredentials(db: Queryable, { openSources }: SourceFacts, { user_id, rights }: Subject) {
  const undeleted = db.selectFrom('credential').selectAll().where('deleting', '=', 0)
  if (rights.has('admin')) return undeleted
  if (!rights.has('connectors')) {
    // The same rule as `maySeeCredential`.
    return undeleted.where((it) =>
      it.or([it('user_id', '=', user_id), it('user_id', 'is', null), it('curator_public', '=', 1)]),
    )
  }
  return undeleted.where((it) =>
    it.or([
      it('user_id', '=', user_id),
      it('user_id', 'is', null),
      it('admin_public', '=', 1),
      it('source', 'in', openSources),
    ]),
  )
}

export const insertCredential = (
  { db, secrets }: DatabaseWithSecrets,
  subject: Subject,
  {
    allowed_origins,
    ...credential
  }: CredentialFields & { credential_json: CredentialJson; allowed_origins: readonly string[] },
  now: number,
): Promise<StoredCredential> =>
  db.transaction().execute(async (trx) => {
    const { id } = await trx
      .insertInto('credential')
      .values({
        ...credential,
        credential_json: '',
        allowed_origins: serializeOrigins(allowed_origins),
        user_id: subject.user_id,
        user_email: subject.email,
        time_created: now,
        time_updated: now,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    return writeCredential({ db: trx, secrets }, id, credential)
  })

/**
 * Replaces the stored credential by the result of `change`. INSUFFICIENT_PERMISSIONS: it belongs to another user and
 * the subject is not an administrator. A user who could change one part of a secret could send the rest elsewhere.
 * CREDENTIAL_CHANGED: `expected_time_updated` is given, and it was changed since.
 */
export const updateCredential = (
  { db, secrets, sourceFacts }: WithFacts<DatabaseWithSecrets>,
  subject: Subject,
  id: number,
  change: (stored: StoredCredential) => CredentialChange,
  now: number,
): Promise<StoredCredential> =>
  db.transaction().execute(async (trx) => {
    const stored = await getChangeableCredential({ db: trx, secrets, sourceFacts }, subject, id)
    const { isHandedOver, allowed_origins, expected_time_updated, ...fields } = change(stored)
    if (expected_time_updated !== null) await claimVersion(trx, id, expected_time_updated)
    const owner = isHandedOver ? { user_id: subject.user_id, user_email: subject.email } : {}
    const origins = allowed_origins === null ? {} : { allowed_origins: serializeOrigins(allowed_origins) }
    return writeCredential({ db: trx, secrets }, id, {
      ...fields,
      ...owner,
      ...origins,
      time_updated: Math.max(now, stored.time_updated + 2),
    })
  })

/** Locks the row. The time of a change tells its versions apart, so it never repeats. */
async function claimVersion(trx: Queryable, id: number, time_updated: number): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable('credential')
    .set({ time_updated: time_updated + 1 })
    .where('id', '=', id)
    .where('time_updated', '=', time_updated)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw new AppError('CREDENTIAL_CHANGED', { id })
}

/** CREDENTIAL_IN_USE: connectors use it. CREDENTIAL_BUILT_IN: it is credential 0. */
export const deleteCredential = (
  { db, secrets, sourceFacts }: WithFacts<DatabaseWithSecrets>,
  subject: Subject,
  id: number,
): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await getChangeableCredential({ db: trx, secrets, sourceFacts }, subject, id)
    const { pairs } = await trx
      .selectFrom('cc_pair')
      .select((it) => it.fn.countAll<number>().as('pairs'))
      .where('credential_id', '=', id)
      .executeTakeFirstOrThrow()
    if (pairs > 0)
      throw new AppError('CREDENTIAL_IN_USE', { pairs, documents: await countDocumentsOfCredential(trx, id) })
    await trx.deleteFrom('credential').where('id', '=', id).execute()
  })

/**
 * Erases the secret at once. The pairs are deleted one by one, and the credential with the last of them. NOT_CURATED: the
 * subject does not manage all of its pairs.
 */
export const deleteCredentialWithPairs = (
  { db, secrets, sourceFacts }: WithFacts<DatabaseWithSecrets>,
  subject: Subject,
  id: number,
  requestId: string,
): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await getChangeableCredential({ db: trx, secrets, sourceFacts }, subject, id)
    await checkPairsOfCredential(trx, subject, id)
    await trx
      .updateTable('cc_pair')
      .set({ status: 'DELETING', closed_by: requestId })
      .where('credential_id', '=', id)
      .execute()
    await writeCredential({ db: trx, secrets }, id, { credential_json: {}, deleting: 1 })
  })

async function checkPairsOfCredential(trx: Queryable, subject: Subject, id: number): Promise<void> {
  const pairs = await trx.selectFrom('cc_pair').select('id').where('credential_id', '=', id).execute()
  const ids = pairs.map((it) => it.id)
  if ((await filterManagedPairs(trx, subject, ids)).length < ids.length) throw new AppError('NOT_CURATED')
}

async function getChangeableCredential(
  reading: WithFacts<QueryableWithSecrets>,
  subject: Subject,
  id: number,
): Promise<StoredCredential> {
  const stored = await getCredential(reading, subject, id)
  if (id === EMPTY_CREDENTIAL) throw new AppError('CREDENTIAL_BUILT_IN')
  if (!mayChangeCredential(subject, stored)) throw new AppError('INSUFFICIENT_PERMISSIONS', { right: 'admin' })
  return stored
}

/** Only its owner and administrators may change a credential. */
export const mayChangeCredential = (subject: Subject, { user_id }: Pick<StoredCredential, 'user_id'>): boolean =>
  mayManage(subject, { kind: 'credential', owner: user_id })

const credentialLocation = (id: number) => `credential/${id}/credential_json` as const

async function writeCredential(
  { db, secrets }: QueryableWithSecrets,
  id: number,
  {
    credential_json,
    ...columns
  }: Partial<Omit<Selectable<CredentialRow>, 'id' | 'credential_json'>> & {
    credential_json: CredentialJson
  },
): Promise<StoredCredential> {
  const row = await db
    .updateTable('credential')
    .set({ ...columns, credential_json: secrets.seal(JSON.stringify(credential_json), credentialLocation(id)) })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
  return decryptCredential(row, secrets)
}

const decryptCredential = (row: Selectable<CredentialRow>, secrets: SecretBox): StoredCredential => ({
  ...row,
  credential_json:
    row.id === EMPTY_CREDENTIAL ? {} : JSON.parse(secrets.open(row.credential_json, credentialLocation(row.id))),
  allowed_origins: parseOrigins(row.allowed_origins),
})

async function countDocumentsOfCredential(db: Queryable, credentialId: number): Promise<number> {
  const { count } = await db
    .selectFrom('document_cc_pair')
    .innerJoin('cc_pair', 'cc_pair.id', 'cc_pair_id')
    .select((it) => it.fn.count<number>('document_id').distinct().as('count'))
    .where('credential_id', '=', credentialId)
    .executeTakeFirstOrThrow()
  return count
}
