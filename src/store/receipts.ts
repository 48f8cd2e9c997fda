// What the follower did with each document.
import type { Database, Queries, Statement } from './database.ts'

/** A row about an older version says nothing about the one that waits: `receipt_seq` differs from `seq` then. */
export interface StoredReceipt {
  document_id: string
  seq: number
  accepted_at: number
  from_ingestion_api: boolean
  receipt_seq: number | null
  indexed_at: number | null
  chunk_count: number | null
  attempts: number
  error: string | null
  retry_at: number | null
  cc_pairs: { id: number; name: string }[]
}

export async function findReceipt(db: Queries, documentId: string): Promise<StoredReceipt | undefined> {
  const row = await db
    .selectFrom('document')
    .leftJoin('receipt', 'receipt.document_id', 'document.id')
    .select(['document.id as document_id', 'document.seq', 'document.accepted_at', 'receipt.seq as receipt_seq'])
    .select(['from_ingestion_api'])
    .select(['indexed_at', 'chunk_count', 'attempts', 'error', 'retry_at'])
    .where('document.id', '=', documentId)
    .where('document.deleted_at', 'is', null)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const cc_pairs = await db
    .selectFrom('document_cc_pair')
    .innerJoin('cc_pair', 'cc_pair.id', 'document_cc_pair.cc_pair_id')
    .select(['cc_pair.id', 'cc_pair.name'])
    .where('document_id', '=', documentId)
    .orderBy('cc_pair.id')
    .execute()
  return { ...row, attempts: row.attempts ?? 0, from_ingestion_api: row.from_ingestion_api === 1, cc_pairs }
}

export interface Mark {
  document_id: string
  seq: number
  indexed_at: number | null
  chunk_count: number | null
  attempts: number
  error: string | null
  retry_at: number | null
}

const MARK = `insert into receipt (document_id, seq, indexed_at, chunk_count, attempts, error, retry_at)
  values (?1, ?2, ?3, ?4, ?5, ?6, ?7)
  on conflict (document_id) do update set seq = excluded.seq, indexed_at = excluded.indexed_at,
    chunk_count = excluded.chunk_count, attempts = excluded.attempts, error = excluded.error,
    retry_at = excluded.retry_at
  where receipt.seq <= excluded.seq`

/** Writes the marks together: all or none. */
export async function markDocuments(db: Database, marks: readonly Mark[]): Promise<void> {
  const statements: Statement[] = marks.map((it) => ({
    sql: MARK,
    parameters: [it.document_id, it.seq, it.indexed_at, it.chunk_count, it.attempts, it.error, it.retry_at],
  }))
  const [result] = await db.commit([statements])
  if (!result!.ok) throw result!.error
}

/** Among the last `limit` changes up to a position, the first of which nobody has told what came of it. */
export async function findUnmarked(db: Queries, position: number, limit: number): Promise<number | null> {
  const rows = await db
    .selectFrom('document')
    .leftJoin('receipt', 'receipt.document_id', 'document.id')
    .select(['document.seq as seq', 'receipt.seq as receipt_seq'])
    .where('document.seq', '<=', position)
    .orderBy('document.seq', 'desc')
    .limit(limit)
    .execute()
  return rows.findLast((it) => it.receipt_seq === null || it.receipt_seq < it.seq)?.seq ?? null
}

/** The earliest moment at which a failed document may be tried again, or null when none waits for one. */
export async function nextRetryAt(db: Queries): Promise<number | null> {
  const row = await db
    .selectFrom('receipt')
    .select((it) => it.fn.min('retry_at').as('retry_at'))
    .where('retry_at', 'is not', null)
    .executeTakeFirst()
  return row?.retry_at ?? null
}

/** The first of these ids under which a document lives or lies in the trash. */
export async function firstKnown(db: Queries, ids: readonly string[]): Promise<string | undefined> {
  const rows = await db.selectFrom('document').select('id').where('id', 'in', ids).execute()
  return ids.find((id) => rows.some((it) => it.id === id))
}
