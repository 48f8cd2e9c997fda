// A hidden document stays in the record and in listings of administrators, but in no index: nobody finds it.
import { commitStatements } from '../database/commit-statements.ts'
import type { Database, Queryable } from '../database/database.ts'

interface HiddenChange {
  isHidden: boolean
  now: number
  requestId: string
}

/**
 * Hides the document or shows it again, as a change that the index follows. Returns its sequence number; null when the
 * document does not exist, is in the trash, or is in that state already.
 */
export async function setDocumentHidden(
  db: Database,
  id: string,
  { isHidden, now, requestId }: HiddenChange,
): Promise<number | null> {
  const [, written] = await commitStatements(db, [
    { sql: `update sequence set value = value + 1 where name = 'change'`, parameters: [] },
    {
      sql: `update document set hidden_at = ?2, changed_at = ?3, request_id = ?4,
          seq = (select value from sequence where name = 'change')
        where id = ?1 and deleted_at is null and hidden_at is ${isHidden ? 'null' : 'not null'} returning seq`,
      parameters: [id, isHidden ? now : null, now, requestId],
    },
  ])
  const seq = written?.[0]?.seq
  return seq === undefined ? null : Number(seq)
}

/** Whether the document exists and is not in the trash. */
export async function isDocumentKept(db: Queryable, id: string): Promise<boolean> {
  const kept = db.selectFrom('document').select('id').where('id', '=', id).where('deleted_at', 'is', null)
  return (await kept.executeTakeFirst()) !== undefined
}
