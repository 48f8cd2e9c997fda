// The providers that say who a person is. Each protocol defines its own settings and secrets.
import type { Selectable } from 'kysely'
import { AppError } from '../../../domain/errors.ts'
import { originOf, type ProviderPolicy, type ProviderType } from '../../../domain/sign-in/provider.ts'
import type { SignInVerdict } from '../../../domain/sign-in/verified-identity.ts'
import { PERSON_PREFIX } from '../../../domain/subject.ts'
import { toSqlFlag } from '../../database/column-types.ts'
import type { Queryable } from '../../database/database.ts'
import type { SignInProviderRow } from '../../database/sign-in-tables.ts'
import type { DatabaseWithSecrets, QueryableWithSecrets } from '../../secrets/secret-box.ts'
import { MANUAL_ORIGIN } from '../groups.ts'

export interface StoredProvider<Settings extends ProviderPolicy = ProviderPolicy, Secrets = Record<string, string>> {
  id: number
  type: ProviderType
  slug: string
  name: string
  is_enabled: boolean
  settings: Settings
  /** Null if it has none, or they were lost. */
  secrets: Secrets | null
  time_created: number
  time_updated: number
}

type NewProvider = Pick<StoredProvider, 'type' | 'slug' | 'name' | 'is_enabled' | 'settings' | 'secrets'>
/** Absent fields stay as they are. */
export type ProviderChange = Partial<Pick<StoredProvider, 'name' | 'is_enabled' | 'settings' | 'secrets'>>

/** DUPLICATE_RESOURCE: a provider has this slug. */
export const insertProvider = (
  { db, secrets: box }: DatabaseWithSecrets,
  { secrets, settings, is_enabled, ...columns }: NewProvider,
  now: number,
): Promise<number> =>
  db.transaction().execute(async (trx) => {
    const row = { ...columns, settings: JSON.stringify(settings), is_enabled: toSqlFlag(is_enabled) }
    const inserted = await trx
      .insertInto('sign_in_provider')
      .values({ ...row, secrets: null, verdict: null, verdict_at: null, time_created: now, time_updated: now })
      .onConflict((it) => it.column('slug').doNothing())
      .returning('id')
      .executeTakeFirst()
    if (inserted === undefined) throw new AppError('DUPLICATE_RESOURCE', { kind: 'A provider', name: columns.slug })
    await setSecrets({ db: trx, secrets: box }, inserted.id, secrets)
    return inserted.id
  })

const location = (id: number) => `sign_in_provider/${id}/secrets` as const

async function setSecrets(
  { db, secrets: box }: QueryableWithSecrets,
  id: number,
  secrets: Record<string, string> | null,
): Promise<void> {
  await db
    .updateTable('sign_in_provider')
    .set({ secrets: secrets === null ? null : box.seal(JSON.stringify(secrets), location(id)) })
    .where('id', '=', id)
    .execute()
}

export async function findProvider(deps: QueryableWithSecrets, id: number): Promise<StoredProvider | undefined> {
  const row = await deps.db.selectFrom('sign_in_provider').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toProvider(deps, row)
}

/** PROVIDER_NOT_FOUND */
export async function getProvider(deps: QueryableWithSecrets, id: number): Promise<StoredProvider> {
  const found = await findProvider(deps, id)
  if (found === undefined) throw new AppError('PROVIDER_NOT_FOUND', { id })
  return found
}

export async function hasEnabledProvider(db: Queryable, type: ProviderType): Promise<boolean> {
  const enabled = db.selectFrom('sign_in_provider').select('id').where('type', '=', type).where('is_enabled', '=', 1)
  return (await enabled.limit(1).executeTakeFirst()) !== undefined
}

/** Lists all in the order of their names; an installation has few. */
export async function listProviders(deps: QueryableWithSecrets): Promise<StoredProvider[]> {
  const rows = await deps.db.selectFrom('sign_in_provider').selectAll().orderBy('name').orderBy('id').execute()
  return rows.map((it) => toProvider(deps, it))
}

/** The settings and secrets were written by the same protocol, from validated values. */
const toProvider = (
  { secrets: box }: QueryableWithSecrets,
  { verdict: _, verdict_at: __, settings, secrets, is_enabled, ...row }: Selectable<SignInProviderRow>,
): StoredProvider => ({
  ...row,
  is_enabled: is_enabled === 1,
  settings: JSON.parse(settings),
  secrets: secrets === null ? null : JSON.parse(box.open(secrets, location(row.id))),
})

export const updateProvider = async (
  { db, secrets: box }: QueryableWithSecrets,
  id: number,
  { secrets, settings, is_enabled, name }: ProviderChange,
  now: number,
): Promise<void> => {
  await db
    .updateTable('sign_in_provider')
    .set({
      time_updated: now,
      ...(name !== undefined && { name }),
      ...(settings !== undefined && { settings: JSON.stringify(settings) }),
      ...(is_enabled !== undefined && { is_enabled: toSqlFlag(is_enabled) }),
    })
    .where('id', '=', id)
    .execute()
  if (secrets !== undefined) await setSecrets({ db, secrets: box }, id, secrets)
}

/**
 * Ends the sessions that it opened and forgets its links. Its groups keep their members, and administrators manage them
 * from now on.
 */
export const deleteProvider = (db: DatabaseWithSecrets['db'], id: number, now: number): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await forgetAccounts(trx, id)
    const deleted = await trx.deleteFrom('sign_in_provider').where('id', '=', id).returning(['type', 'slug']).execute()
    for (const it of deleted) {
      await trx
        .updateTable('user_group')
        .set({ origin: MANUAL_ORIGIN, time_updated: now })
        .where('origin', '=', originOf(it))
        .execute()
    }
  })

/** Deletes the links to people, for an issuer whose accounts are other ones, and the sessions that it opened. */
export async function forgetAccounts(trx: Queryable, providerId: number): Promise<void> {
  const ofProvider = trx.selectFrom('provider_session').select('id').where('provider_id', '=', providerId)
  await trx.deleteFrom('session').where('id', 'in', ofProvider).execute()
  await trx.deleteFrom('person_identity').where('provider_id', '=', providerId).execute()
  await trx.deleteFrom('sign_in_state').where('provider_id', '=', providerId).execute()
}

/** The result of the last test. */
export async function setVerdict(db: Queryable, id: number, verdict: SignInVerdict, now: number): Promise<void> {
  await db
    .updateTable('sign_in_provider')
    .set({ verdict: JSON.stringify(verdict), verdict_at: now })
    .where('id', '=', id)
    .execute()
}

export async function findVerdict(
  db: Queryable,
  id: number,
): Promise<{ verdict: SignInVerdict; verdict_at: number } | undefined> {
  const row = await db
    .selectFrom('sign_in_provider')
    .select(['verdict', 'verdict_at'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (row?.verdict == null || row.verdict_at === null) return undefined
  return { verdict: JSON.parse(row.verdict), verdict_at: row.verdict_at }
}

export async function deleteOldVerdicts(db: Queryable, before: number): Promise<void> {
  await db
    .updateTable('sign_in_provider')
    .set({ verdict: null, verdict_at: null })
    .where('verdict_at', '<=', before)
    .execute()
}

/** Ends the sessions of a person that this provider opened. */
export async function deleteSessionsAtProvider(trx: Queryable, providerId: number, personId: string): Promise<void> {
  const ofProvider = trx.selectFrom('provider_session').select('id').where('provider_id', '=', providerId)
  await trx
    .deleteFrom('session')
    .where('id', 'in', ofProvider)
    .where('owner_kid', '=', PERSON_PREFIX + personId)
    .execute()
}
