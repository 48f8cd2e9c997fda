// One-time links. The newest link for a purpose and a person replaces the ones before.
import type { Selectable } from 'kysely'
import { emailKeyOf, type Role } from '../../../domain/subject.ts'
import type { Database, Queryable } from '../../database/database.ts'
import type { AccountLinkRow } from '../../database/identity-tables.ts'

export type StoredAccountLink = Selectable<AccountLinkRow>

export interface NewAccountLink {
  token_hash: string
  purpose: AccountLinkRow['purpose']
  email: string | null
  role: Role
  /** Names. */
  user_groups: readonly string[]
  person_id: string | null
  created_by: string
  expires_at: number
}

export const insertAccountLink = (db: Database, link: NewAccountLink, now: number): Promise<StoredAccountLink> =>
  db.transaction().execute(async (trx) => {
    const email_key = link.email === null ? null : emailKeyOf(link.email)
    await trx
      .deleteFrom('account_link')
      .where('purpose', '=', link.purpose)
      .where('email_key', email_key === null ? 'is' : '=', email_key)
      .execute()
    return trx
      .insertInto('account_link')
      .values({ ...link, email_key, user_groups: JSON.stringify(link.user_groups), time_created: now })
      .returningAll()
      .executeTakeFirstOrThrow()
  })

/** Undefined if it does not exist or has expired. */
export const findAccountLink = (
  db: Queryable,
  tokenHash: string,
  now: number,
): Promise<StoredAccountLink | undefined> =>
  db
    .selectFrom('account_link')
    .selectAll()
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now)
    .executeTakeFirst()

/** Deletes the link and returns it: of two requests with one link, one gets it. */
export const takeAccountLink = (
  trx: Queryable,
  tokenHash: string,
  now: number,
): Promise<StoredAccountLink | undefined> =>
  trx
    .deleteFrom('account_link')
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst()

/** Lists a page of invitations that can still be accepted, oldest first. */
export const listInvitations = (
  db: Queryable,
  { after, limit, now }: { after: number; limit: number; now: number },
): Promise<StoredAccountLink[]> =>
  db
    .selectFrom('account_link')
    .selectAll()
    .where('purpose', '=', 'invitation')
    .where('expires_at', '>', now)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()

/** Returns whether there was one. */
export async function deleteInvitation(db: Queryable, email: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('account_link')
    .where('purpose', '=', 'invitation')
    .where('email_key', '=', emailKeyOf(email))
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export async function deleteExpiredLinks(db: Queryable, now: number): Promise<void> {
  await db.deleteFrom('account_link').where('expires_at', '<=', now).execute()
}

export async function deleteFirstAdminLinks(trx: Queryable): Promise<void> {
  await trx.deleteFrom('account_link').where('purpose', '=', 'first_admin').execute()
}
