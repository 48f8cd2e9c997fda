// Identifies the record and how much it holds. Indexes and the data folder compare this before they trust it.
import type { Database, Queryable } from '../database/database.ts'
import { lastChangeSeq } from '../documents/documents.ts'
import { COMMIT_COUNTER, type RecordCounters } from './record-file-head.ts'

export interface RecordIdentity {
  id: string
  /** The newest sequence number in use. */
  last: number
}

export async function getRecordIdentity(db: Queryable): Promise<RecordIdentity> {
  const { id } = await db.selectFrom('record_identity').select('id').executeTakeFirstOrThrow()
  return { id, last: await lastChangeSeq(db) }
}

/** Identity and extent of a record. */
export interface RecordVersion extends RecordCounters {
  id: string
}

export async function getRecordVersion(db: Queryable): Promise<RecordVersion> {
  const { id, last: changes } = await getRecordIdentity(db)
  const row = await db.selectFrom('sequence').select('value').where('name', '=', COMMIT_COUNTER).executeTakeFirst()
  return { id, changes, commits: row?.value ?? 0 }
}

/**
 * Gives a new identity to a record that has lost changes, so that no index confuses the lost ones with new ones.
 * Returns the current identity, which another program may have set first.
 */
export async function replaceRecordId(db: Database, before: string, id: string): Promise<string> {
  await db.updateTable('record_identity').set({ id }).where('id', '=', before).execute()
  return (await getRecordIdentity(db)).id
}
