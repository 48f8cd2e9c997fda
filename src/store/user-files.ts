import type { Selectable } from 'kysely'
import type { Database } from './database.ts'
import type { UserFileRow } from './tables.ts'

export type StoredUserFile = Selectable<UserFileRow>

export async function insertUserFiles(db: Database, files: readonly StoredUserFile[]): Promise<void> {
  if (files.length > 0) await db.insertInto('user_file').values(files).execute()
}
