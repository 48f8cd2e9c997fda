import type { Selectable } from 'kysely'
import { AppError } from '../domain/errors.ts'
import type { Queries } from './database.ts'
import type { CredentialRow } from './tables.ts'

export type StoredCredential = Selectable<CredentialRow>

export const listCredentials = (db: Queries): Promise<StoredCredential[]> =>
  db.selectFrom('credential').selectAll().orderBy('id').execute()

export async function getCredential(db: Queries, id: number): Promise<StoredCredential> {
  const row = await db.selectFrom('credential').selectAll().where('id', '=', id).executeTakeFirst()
  if (row === undefined) throw new AppError('CREDENTIAL_NOT_FOUND', { id })
  return row
}
