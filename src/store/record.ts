// Which record is this? An index asks before it trusts its position.
import type { Database, Queries } from './database.ts'
import { lastSequence } from './documents.ts'

export interface RecordIdentity {
  id: string
  /** The newest sequence number given out so far. */
  last: number
}

export async function getRecord(db: Queries): Promise<RecordIdentity> {
  const { id } = await db.selectFrom('record_identity').select('id').executeTakeFirstOrThrow()
  return { id, last: await lastSequence(db) }
}

/**
 * For a record that has gone back to an older state: no index may take what it knew of the lost one for this one's.
 * Answers the identity that it has now, which is another program's where that one was faster.
 */
export async function renewRecord(db: Database, before: string, id: string): Promise<string> {
  await db.updateTable('record_identity').set({ id }).where('id', '=', before).execute()
  return (await getRecord(db)).id
}
