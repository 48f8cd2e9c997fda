// What the follower did with each document.
import { sql } from 'kysely'
import type { Section } from '../domain/document.ts'
import type { Database, Queries, Statement } from './database.ts'
import { linkedTo, listPairsOfDocuments } from './document-lists.ts'
import type { WritablePairs } from './documents.ts'

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
  embedded_at: number | null
  /** The request that brought the newest version. */
  request_id: string | null
  cc_pairs: { id: number; name: string }[]
  /** Of images that its sections name. */
  unknown_image_file_ids: string[]
}

export async function findReceipt(db: Queries, documentId: string): Promise<StoredReceipt | undefined> {
  const row = await db
    .selectFrom('document')
    .leftJoin('receipt', 'receipt.document_id', 'document.id')
    .select(['document.id as document_id', 'document.seq', 'document.accepted_at', 'receipt.seq as receipt_seq'])
    .select(['from_ingestion_api', 'request_id'])
    .select(['indexed_at', 'chunk_count', 'attempts', 'error', 'retry_at', 'embedded_at', ILLUSTRATED])
    .where('document.id', '=', documentId)
    .where('document.deleted_at', 'is', null)
    .executeTakeFirst()
  if (row === undefined) return undefined
  return storedReceipt(row, await listPairsOfDocuments(db, [documentId]))
}

/** The sections, where one of them names an image: most documents have none, and their texts may be long. */
const ILLUSTRATED = sql<string | null>`case when sections like '%"image_file_id":"%' then sections end`.as(
  'illustrated',
)

interface Row extends Omit<StoredReceipt, 'attempts' | 'from_ingestion_api' | 'cc_pairs' | 'unknown_image_file_ids'> {
  attempts: number | null
  from_ingestion_api: number
  illustrated: string | null
}

function storedReceipt<T extends Row>({ illustrated, ...row }: T, pairs: Map<string, StoredReceipt['cc_pairs']>) {
  return {
    ...row,
    attempts: row.attempts ?? 0,
    from_ingestion_api: row.from_ingestion_api === 1,
    cc_pairs: pairs.get(row.document_id) ?? [],
    unknown_image_file_ids: unknownImages(illustrated === null ? [] : JSON.parse(illustrated)),
  }
}

const unknownImages = (sections: readonly Section[]): string[] => [
  ...new Set(
    sections.flatMap((it) => (it.image_file_name === undefined && it.image_file_id !== null ? it.image_file_id : [])),
  ),
]

export const RECEIPT_STATES = ['waiting', 'failed'] as const

export interface ListedReceipt extends StoredReceipt {
  semantic_identifier: string
  link: string | null
}

/** The newest versions first; `before`: only those whose sequence number is below that one. */
export async function listReceipts(
  db: Queries,
  writable: WritablePairs,
  { before, limit, state }: { before: number | null; limit: number; state: (typeof RECEIPT_STATES)[number] | null },
): Promise<ListedReceipt[]> {
  const rows = await db
    .selectFrom('document')
    .leftJoin('receipt', (join) =>
      join.onRef('receipt.document_id', '=', 'document.id').onRef('receipt.seq', '=', 'document.seq'),
    )
    .select(['document.id as document_id', 'document.seq', 'document.accepted_at', 'receipt.seq as receipt_seq'])
    .select(['document.semantic_identifier', 'document.link', 'from_ingestion_api', 'request_id'])
    .select(['indexed_at', 'chunk_count', 'attempts', 'error', 'retry_at', 'embedded_at', ILLUSTRATED])
    .where('document.deleted_at', 'is', null)
    .$if(before !== null, (it) => it.where('document.seq', '<', before ?? 0))
    .$if(writable !== 'all', (it) => it.where('document.id', 'in', linkedTo(db, writable === 'all' ? [] : writable)))
    .$if(state === 'failed', (it) => it.where('receipt.error', 'is not', null).where('receipt.retry_at', 'is', null))
    .$if(state === 'waiting', (it) =>
      it.where((of) => of.or([of('receipt.seq', 'is', null), of('receipt.retry_at', 'is not', null)])),
    )
    .orderBy('document.seq', 'desc')
    .limit(limit)
    .execute()
  const pairs = await listPairsOfDocuments(
    db,
    rows.map((it) => it.document_id),
  )
  return rows.map((row) => storedReceipt(row, pairs))
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

/** Comes first, so that marks are told in the order in which they are made, whoever makes them. */
const NEXT_MARKS = `update sequence set value = value + ?1 where name = 'mark'`
const MARK = `insert into receipt (document_id, seq, indexed_at, chunk_count, attempts, error, retry_at, mark)
  values (?1, ?2, ?3, ?4, ?5, ?6, ?7, (select value from sequence where name = 'mark') - ?8)
  on conflict (document_id) do update set seq = excluded.seq, indexed_at = excluded.indexed_at,
    chunk_count = excluded.chunk_count, attempts = excluded.attempts, error = excluded.error,
    retry_at = excluded.retry_at, mark = excluded.mark, embedded_at = null
  where receipt.seq <= excluded.seq`

/** Writes the marks together: all or none. */
export async function markDocuments(db: Database, marks: readonly Mark[]): Promise<void> {
  const statements: Statement[] = marks.map((it, at) => {
    const values = [it.document_id, it.seq, it.indexed_at, it.chunk_count, it.attempts, it.error, it.retry_at]
    return { sql: MARK, parameters: [...values, marks.length - 1 - at] }
  })
  const [result] = await db.commit([[{ sql: NEXT_MARKS, parameters: [marks.length] }, ...statements]])
  if (!result!.ok) throw result!.error
}

/** `seq`: no version that is newer has its vectors by this. */
export interface EmbeddedMark {
  document_id: string
  seq: number
}

/** Says of documents that all their chunks have vectors, where that was not known. */
export async function markEmbedded(db: Database, marks: readonly EmbeddedMark[], now: number): Promise<void> {
  if (marks.length === 0) return
  const statements = marks.map(({ document_id, seq }) => ({
    sql: `update receipt set embedded_at = ?3
      where document_id = ?1 and seq <= ?2 and embedded_at is null and error is null`,
    parameters: [document_id, seq, now],
  }))
  const [result] = await db.commit([statements])
  if (!result!.ok) throw result!.error
}

export const lastMark = async (db: Queries): Promise<number> => {
  const row = await db.selectFrom('sequence').select('value').where('name', '=', 'mark').executeTakeFirstOrThrow()
  return row.value
}

/** The same of everything that was marked after `after` and up to `until`, without some documents. */
export async function markAllEmbedded(
  db: Database,
  { after, until, without = [] }: { after: number; until: number; without?: readonly string[] },
  now: number,
): Promise<void> {
  await db
    .updateTable('receipt')
    .set({ embedded_at: now })
    .where('mark', '>', after)
    .where('mark', '<=', until)
    .where('embedded_at', 'is', null)
    .where('error', 'is', null)
    .$if(without.length > 0, (it) => it.where('document_id', 'not in', without))
    .execute()
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

/** Which failed documents are meant: these, those of a pair, or every one. */
export type FailedDocuments = { document_ids: readonly string[] } | { cc_pair_id: number } | 'all'

const RETRY_BATCH = 500

/**
 * Makes it time to try again what failed and waits for no other try, or for a later one, as if it had failed once.
 * Only documents of a pair that may be written. Answers how many there were.
 */
export async function retryDocuments(
  db: Database,
  writable: WritablePairs,
  which: FailedDocuments,
  now: number,
): Promise<number> {
  let count = 0
  for (let after = ''; ; ) {
    const ids = await listFailed(db, writable, which, { after, now })
    if (ids.length === 0) return count
    const { numUpdatedRows } = await db
      .updateTable('receipt')
      // The one that counts is the failure that is known: a document without any has no news for its receipt.
      .set({ retry_at: now, attempts: 1 })
      .where('document_id', 'in', ids)
      .where('error', 'is not', null)
      .where((it) => it.or([it('retry_at', 'is', null), it('retry_at', '>', now)]))
      .executeTakeFirstOrThrow()
    count += Number(numUpdatedRows)
    after = ids.at(-1)!
  }
}

async function listFailed(
  db: Queries,
  writable: WritablePairs,
  which: FailedDocuments,
  { after, now }: { after: string; now: number },
): Promise<string[]> {
  const pairs = which !== 'all' && 'cc_pair_id' in which ? [which.cc_pair_id] : writable
  const rows = await db
    .selectFrom('receipt')
    .innerJoin('document', (join) =>
      join.onRef('document.id', '=', 'receipt.document_id').onRef('document.seq', '=', 'receipt.seq'),
    )
    .select('receipt.document_id')
    .where('receipt.error', 'is not', null)
    .where((it) => it.or([it('receipt.retry_at', 'is', null), it('receipt.retry_at', '>', now)]))
    .where('receipt.document_id', '>', after)
    .$if(which !== 'all' && 'document_ids' in which, (it) =>
      it.where('receipt.document_id', 'in', which !== 'all' && 'document_ids' in which ? which.document_ids : []),
    )
    .$if(pairs !== 'all', (it) => it.where('receipt.document_id', 'in', linkedTo(db, pairs === 'all' ? [] : pairs)))
    .orderBy('receipt.document_id')
    .limit(RETRY_BATCH)
    .execute()
  return rows.map((it) => it.document_id)
}
