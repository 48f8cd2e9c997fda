// Credentials: who may see one, who may change one, and what is in it, sealed.
import type { Selectable } from 'kysely'
import { sourcesLike } from '../domain/connector.ts'
import { AppError } from '../domain/errors.ts'
import type { Page } from '../domain/page.ts'
import type { Subject } from '../domain/subject.ts'
import type { Database, Queries } from './database.ts'
import type { SecretBox } from './secret-box.ts'
import type { CredentialRow } from './tables.ts'

type Json = Record<string, unknown>
type CredentialFields = Pick<Selectable<CredentialRow>, 'name' | 'source' | 'admin_public' | 'curator_public'>

export interface StoredCredential extends Omit<Selectable<CredentialRow>, 'credential_json'> {
  /** Open: whoever shows it masks it. */
  credential_json: Json
}
interface Store {
  db: Database
  secrets: SecretBox
}
type Reading = { db: Queries } & Pick<Store, 'secrets'>

/** The empty one, for connectors that need none. */
export const EMPTY_CREDENTIAL = 0

/** Sources that are open to everybody: there is no secret in their credentials. */
const OPEN_SOURCES = ['file', 'web', 'not_applicable', 'google_sites', 'wikipedia', 'mediawiki']

/** Those that the subject may use: an administrator all, others their own, the shared ones and those without secrets. */
export async function listCredentials(
  { db, secrets }: Reading,
  subject: Subject,
  { after, limit }: Page,
  source: string | null = null,
): Promise<StoredCredential[]> {
  const rows = await visibleTo(db, subject)
    .where('id', '>', after)
    .$if(source !== null, (it) => it.where('source', 'in', sourcesLike(source ?? '')))
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map((it) => opened(it, secrets))
}

/** One that the subject may not use is CREDENTIAL_NOT_FOUND, as one that is not there. */
export async function getCredential({ db, secrets }: Reading, subject: Subject, id: number): Promise<StoredCredential> {
  const row = await visibleTo(db, subject).where('id', '=', id).executeTakeFirst()
  if (row === undefined) throw new AppError('CREDENTIAL_NOT_FOUND', { id })
  return opened(row, secrets)
}

/** Those of pairs that somebody manages, whoever they belong to. */
export async function credentialsOfPairs(
  { db, secrets }: Reading,
  ids: readonly number[],
): Promise<Map<number, StoredCredential>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('credential').selectAll().where('id', 'in', ids).execute()
  return new Map(rows.map((it) => [it.id, opened(it, secrets)]))
}

function visibleTo(db: Queries, { user_id, rights }: Subject) {
  const living = db.selectFrom('credential').selectAll().where('deleting', '=', 0)
  if (rights.has('admin')) return living
  return living.where((it) =>
    it.or([
      it('user_id', '=', user_id),
      it('user_id', 'is', null),
      it('admin_public', '=', 1),
      it('source', 'in', OPEN_SOURCES),
    ]),
  )
}

export const insertCredential = (
  { db, secrets }: Store,
  subject: Subject,
  credential: CredentialFields & { credential_json: Json },
  now: number,
): Promise<StoredCredential> =>
  db.transaction().execute(async (trx) => {
    const { id } = await trx
      .insertInto('credential')
      .values({
        ...credential,
        credential_json: '',
        user_id: subject.user_id,
        user_email: subject.email,
        time_created: now,
        time_updated: now,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    return write({ db: trx, secrets }, id, credential)
  })

/**
 * What `change` makes of the stored one takes its place. Somebody else's is INSUFFICIENT_PERMISSIONS but for
 * administrators: who could change a part of a secret could send the rest of it elsewhere.
 */
export const updateCredential = (
  { db, secrets }: Store,
  subject: Subject,
  id: number,
  change: (stored: StoredCredential) => Partial<CredentialFields> & { credential_json: Json; isHandedOver: boolean },
  now: number,
): Promise<StoredCredential> =>
  db.transaction().execute(async (trx) => {
    const stored = await getChangeable({ db: trx, secrets }, subject, id)
    const { isHandedOver, ...fields } = change(stored)
    const owner = isHandedOver ? { user_id: subject.user_id, user_email: subject.email } : {}
    return write({ db: trx, secrets }, id, { ...fields, ...owner, time_updated: now })
  })

/** One that connectors use is CREDENTIAL_IN_USE; credential 0 is CREDENTIAL_BUILT_IN. */
export const deleteCredential = ({ db, secrets }: Store, subject: Subject, id: number): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await getChangeable({ db: trx, secrets }, subject, id)
    const { pairs } = await trx
      .selectFrom('cc_pair')
      .select((it) => it.fn.countAll<number>().as('pairs'))
      .where('credential_id', '=', id)
      .executeTakeFirstOrThrow()
    if (pairs > 0) throw new AppError('CREDENTIAL_IN_USE', { pairs, documents: await countDocuments(trx, id) })
    await trx.deleteFrom('credential').where('id', '=', id).execute()
  })

/** The secret is gone with this call; the pairs go one after the other, and the credential with the last of them. */
export const abandonCredential = (
  { db, secrets }: Store,
  subject: Subject,
  id: number,
  requestId: string,
): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await getChangeable({ db: trx, secrets }, subject, id)
    await trx
      .updateTable('cc_pair')
      .set({ status: 'DELETING', closed_by: requestId })
      .where('credential_id', '=', id)
      .execute()
    await write({ db: trx, secrets }, id, { credential_json: {}, deleting: 1 })
  })

async function getChangeable(reading: Reading, subject: Subject, id: number): Promise<StoredCredential> {
  const stored = await getCredential(reading, subject, id)
  if (id === EMPTY_CREDENTIAL) throw new AppError('CREDENTIAL_BUILT_IN')
  if (stored.user_id !== subject.user_id && !subject.rights.has('admin')) {
    throw new AppError('INSUFFICIENT_PERMISSIONS', { right: 'admin' })
  }
  return stored
}

const placeOf = (id: number) => `credential/${id}/credential_json` as const

async function write(
  { db, secrets }: Reading,
  id: number,
  {
    credential_json,
    ...columns
  }: Partial<Omit<Selectable<CredentialRow>, 'id' | 'credential_json'>> & {
    credential_json: Json
  },
): Promise<StoredCredential> {
  const row = await db
    .updateTable('credential')
    .set({ ...columns, credential_json: secrets.seal(JSON.stringify(credential_json), placeOf(id)) })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
  return opened(row, secrets)
}

const opened = (row: Selectable<CredentialRow>, secrets: SecretBox): StoredCredential => ({
  ...row,
  credential_json: row.id === EMPTY_CREDENTIAL ? {} : JSON.parse(secrets.open(row.credential_json, placeOf(row.id))),
})

async function countDocuments(db: Queries, credentialId: number): Promise<number> {
  const { count } = await db
    .selectFrom('document_cc_pair')
    .innerJoin('cc_pair', 'cc_pair.id', 'cc_pair_id')
    .select((it) => it.fn.count<number>('document_id').distinct().as('count'))
    .where('credential_id', '=', credentialId)
    .executeTakeFirstOrThrow()
  return count
}
