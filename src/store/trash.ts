// Where a deleted document lies until it is gone.
import type { Database } from './database.ts'

/** Puts the document into the trash. Answers the sequence number of that change, or null where there was nothing. */
export async function deleteDocument(
  db: Database,
  id: string,
  { now, requestId }: { now: number; requestId: string | null },
): Promise<number | null> {
  const [result] = await db.commit([
    [
      { sql: `update sequence set value = value + 1 where name = 'change'`, parameters: [] },
      {
        sql: `update document set deleted_at = ?2, version = version + 1, changed_at = ?2, request_id = ?3,
            seq = (select value from sequence where name = 'change')
          where id = ?1 and deleted_at is null returning seq`,
        parameters: [id, now, requestId],
      },
      {
        sql: `delete from document_cc_pair where document_id = ?1
          and exists (select 1 from document where id = ?1 and deleted_at is not null)`,
        parameters: [id],
      },
    ],
  ])
  if (!result!.ok) throw result!.error
  const seq = result!.rows[1]![0]?.seq
  return seq === undefined ? null : Number(seq)
}

/** Takes what has lain in the trash since before `before` out of the record, once the index has let go of it. */
export async function purgeDocuments(db: Database, before: number, position: number): Promise<number> {
  const doomed = db.selectFrom('document').select('id').where('deleted_at', '<', before).where('seq', '<=', position)
  await db.deleteFrom('receipt').where('document_id', 'in', doomed).execute()
  await db.deleteFrom('chunk_vector').where('document_id', 'in', doomed).execute()
  const { numDeletedRows } = await db.deleteFrom('document').where('id', 'in', doomed).executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}
