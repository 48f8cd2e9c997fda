// Receipts tell what the indexer did with each document.
import { sql } from 'kysely'
import type { DocumentSection, DocumentWarning } from '../../domain/document.ts'
import { likePart, lowerAscii } from '../../domain/values/like-part.ts'
import { commitStatements } from '../database/commit-statements.ts'
import type { Database, Queryable, SqlStatement } from '../database/database.ts'
import { type DocumentModelFile, listModelFilesOfDocuments } from '../made-texts/model-texts.ts'
import { type DocumentPicture, listPicturesOfDocuments } from '../recognition/recognition.ts'
import { listPairsOfDocuments, selectIdsOfPairs } from './lists.ts'
import {
  collectInScope,
  type DocumentScope,
  filterByScope,
  isWritablePair,
  type OwnedDocument,
  writablePairsOf,
} from './scope.ts'

/** A receipt of an older version says nothing about the waiting one; then `receipt_seq` differs from `seq`. */
export interface StoredReceipt extends OwnedDocument {
  document_id: string
  seq: number
  accepted_at: number
  from_ingestion_api: boolean
  /** Restored from the trash; its source may no longer have it. */
  held_from_prune: boolean
  is_hidden: boolean
  is_quarantined: boolean
  receipt_seq: number | null
  indexed_at: number | null
  chunk_count: number | null
  attempts: number
  error: string | null
  retry_at: number | null
  embedded_at: number | null
  /** Id of the request that brought the newest version. */
  request_id: string | null
  cc_pairs: { id: number; name: string }[]
  /** Images that its sections name but that are unknown. */
  unknown_image_file_ids: string[]
  warnings: DocumentWarning[]
  /** The pictures that it shows and the files of which models make texts, with the state of these. */
  pictures: DocumentPicture[]
  modelFiles: DocumentModelFile[]
}

export async function findReceipt(db: Queryable, documentId: string): Promise<StoredReceipt | undefined> {
  const row = await db
    .selectFrom('document')
    .leftJoin('receipt', 'receipt.document_id', 'document.id')
    .select(['document.id as document_id', 'document.seq', 'document.accepted_at', 'receipt.seq as receipt_seq'])
    .select(['from_ingestion_api', 'request_id', 'pushed_by', 'external_access', 'no_text'])
    .select(['held_from_prune', 'hidden_at', 'quarantined_at'])
    .select(['indexed_at', 'chunk_count', 'attempts', 'error', 'retry_at', 'embedded_at', SECTIONS_WITH_IMAGES])
    .where('document.id', '=', documentId)
    .where('document.deleted_at', 'is', null)
    .executeTakeFirst()
  if (row === undefined) return undefined
  return toStoredReceipt(row, await relationsOf(db, [documentId]))
}

/** Selects the sections only if one names an image: most documents have none, and their texts may be long. */
const SECTIONS_WITH_IMAGES = sql<string | null>`case when sections like '%"image_file_id":"%' then sections end`.as(
  'illustrated',
)

interface ReceiptColumns
  extends Omit<
    StoredReceipt,
    | 'attempts'
    | 'from_ingestion_api'
    | 'external_access'
    | 'cc_pair_ids'
    | 'cc_pairs'
    | 'unknown_image_file_ids'
    | 'warnings'
    | 'modelFiles'
    | 'pictures'
    | 'held_from_prune'
    | 'is_hidden'
    | 'is_quarantined'
  > {
  attempts: number | null
  external_access: string | null
  from_ingestion_api: number
  illustrated: string | null
  no_text: 0 | 1 | null
  held_from_prune: 0 | 1
  hidden_at: number | null
  quarantined_at: number | null
}

function toStoredReceipt<T extends ReceiptColumns>(
  { illustrated, no_text, hidden_at, quarantined_at, ...row }: T,
  { pairs, pictures, modelFiles }: Awaited<ReturnType<typeof relationsOf>>,
) {
  const cc_pairs = pairs.get(row.document_id) ?? []
  return {
    ...row,
    attempts: row.attempts ?? 0,
    from_ingestion_api: row.from_ingestion_api === 1,
    held_from_prune: row.held_from_prune === 1,
    is_hidden: hidden_at !== null,
    is_quarantined: quarantined_at !== null,
    warnings: warningsOfRow({ no_text }),
    external_access: row.external_access === null ? null : JSON.parse(row.external_access),
    cc_pair_ids: cc_pairs.map((it) => it.id),
    cc_pairs,
    pictures: pictures.filter((it) => it.document_id === row.document_id),
    modelFiles: modelFiles.filter((it) => it.document_id === row.document_id),
    unknown_image_file_ids: unknownImageFileIds(illustrated === null ? [] : JSON.parse(illustrated)),
  }
}

const relationsOf = async (db: Queryable, ids: readonly string[]) => ({
  pairs: await listPairsOfDocuments(db, ids),
  pictures: await listPicturesOfDocuments(db, ids),
  modelFiles: await listModelFilesOfDocuments(db, ids),
})

export const warningsOfRow = ({ no_text }: { no_text: 0 | 1 | null }): DocumentWarning[] =>
  no_text === 1 ? ['no_text'] : []

const unknownImageFileIds = (sections: readonly DocumentSection[]): string[] => [
  ...new Set(
    sections.flatMap((it) => (it.image_file_name === undefined && it.image_file_id !== null ? it.image_file_id : [])),
  ),
]

export const RECEIPT_STATES = ['waiting', 'failed'] as const

export interface ListedReceipt extends StoredReceipt {
  semantic_identifier: string
  link: string | null
  source: string
}

export interface ReceiptPage {
  /** Only versions with a lower sequence number. */
  before: number | null
  limit: number
  state: (typeof RECEIPT_STATES)[number] | null
  /** Only documents with this warning. */
  warning: DocumentWarning | null
  /** Only documents of this cc-pair. */
  ccPairId: number | null
  /** Only documents of this source. */
  source: string | null
  /** Only hidden documents, or only others; null: both. */
  isHidden: boolean | null
  /** Only documents with this part in their title; ASCII letters match in either case. */
  title: string | null
  documentId: string | null
  signal?: AbortSignal
}

/** Returns documents of the scope, newest versions first, and the `before` of the next page. */
export async function listReceipts(
  db: Queryable,
  scope: DocumentScope,
  page: ReceiptPage,
): Promise<{ receipts: ListedReceipt[]; next_before: number | null }> {
  const found = await collectInScope(db, scope, page, (last: ScopedVersion | undefined, limit) =>
    selectScopedVersions(db, scope, { ...page, before: last?.seq ?? page.before, limit }).execute(),
  )
  const listed: ListedReceipt[] = []
  for (let at = 0; at < found.length; at += LIST_BATCH) {
    const part = found.slice(at, at + LIST_BATCH)
    // Newer versions may be outside of the scope, so exactly these are read.
    const [ids, seqs] = [part.map((it) => it.id), part.map((it) => it.seq)]
    const rows = await selectReceipts(db).where('document.seq', 'in', seqs).orderBy('document.seq', 'desc').execute()
    const relations = await relationsOf(db, ids)
    for (const row of rows) listed.push(toStoredReceipt(row, relations))
  }
  return { receipts: listed, next_before: found.length < page.limit ? null : (found.at(-1)?.seq ?? null) }
}

interface ScopedVersion {
  id: string
  seq: number
  external_access: string | null
}

const LIST_BATCH = 500

/** Reads only columns that are stored before the text, which may be long. */
const selectScopedVersions = (
  db: Queryable,
  scope: DocumentScope,
  { before, limit, state, warning, ccPairId, title, documentId, source, isHidden }: ReceiptPage,
) =>
  joinReceipts(db)
    .select(['document.id', 'document.seq', 'document.external_access'])
    .where('document.deleted_at', 'is', null)
    .$if(before !== null, (it) => it.where('document.seq', '<', before ?? 0))
    .$if(scope !== 'all', (it) =>
      it.where('document.id', 'in', selectIdsOfPairs(db, scope === 'all' ? [] : scope.pairs)),
    )
    .$if(state === 'failed', (it) => it.where('receipt.error', 'is not', null).where('receipt.retry_at', 'is', null))
    .$if(state === 'waiting', (it) =>
      it.where((of) => of.or([of('receipt.seq', 'is', null), of('receipt.retry_at', 'is not', null)])),
    )
    // A caller that does not manage all documents sees a hidden or quarantined one only if it is their own.
    .$if(scope !== 'all', (it) =>
      it.where((of) =>
        of.or([
          of.and([of('document.hidden_at', 'is', null), of('document.quarantined_at', 'is', null)]),
          of('document.pushed_by', '=', scope === 'all' ? '' : scope.owner),
        ]),
      ),
    )
    .$if(isHidden !== null, (it) => it.where('document.hidden_at', isHidden === true ? 'is not' : 'is', null))
    .$if(source !== null, (it) => it.where('document.source', '=', source ?? ''))
    .$if(warning === 'no_text', (it) => it.where('document.no_text', '=', 1))
    .$if(ccPairId !== null, (it) => it.where('document.id', 'in', selectIdsOfPairs(db, [ccPairId ?? -1])))
    .$if(documentId !== null, (it) => it.where('document.id', '=', documentId ?? ''))
    .$if(title !== null, (it) =>
      it.where(sql<boolean>`lower(semantic_identifier) like ${likePart(lowerAscii(title ?? ''))} escape '\\'`),
    )
    .orderBy('document.seq', 'desc')
    .limit(limit)

const selectReceipts = (db: Queryable) =>
  joinReceipts(db)
    .select(['document.id as document_id', 'document.seq', 'document.accepted_at', 'receipt.seq as receipt_seq'])
    .select(['document.semantic_identifier', 'document.link', 'document.source', 'from_ingestion_api', 'request_id'])
    .select(['pushed_by', 'external_access', 'no_text', 'held_from_prune', 'hidden_at', 'quarantined_at'])
    .select(['indexed_at', 'chunk_count', 'attempts', 'error', 'retry_at', 'embedded_at', SECTIONS_WITH_IMAGES])
    .where('document.deleted_at', 'is', null)

const joinReceipts = (db: Queryable) =>
  db
    .selectFrom('document')
    .leftJoin('receipt', (join) =>
      join.onRef('receipt.document_id', '=', 'document.id').onRef('receipt.seq', '=', 'document.seq'),
    )

export interface NewReceipt {
  document_id: string
  seq: number
  indexed_at: number | null
  chunk_count: number | null
  attempts: number
  error: string | null
  retry_at: number | null
}

/** Runs first, so that marks become visible in the order of their numbers, regardless of the writer. */
const ADVANCE_MARKS = `update sequence set value = value + ?1 where name = 'mark'`
const UPSERT_RECEIPT = `insert into receipt (document_id, seq, indexed_at, chunk_count, attempts, error, retry_at, mark)
  values (?1, ?2, ?3, ?4, ?5, ?6, ?7, (select value from sequence where name = 'mark') - ?8)
  on conflict (document_id) do update set seq = excluded.seq, indexed_at = excluded.indexed_at,
    chunk_count = excluded.chunk_count, attempts = excluded.attempts, error = excluded.error,
    retry_at = excluded.retry_at, mark = excluded.mark, embedded_at = null
  where receipt.seq <= excluded.seq`

/** Writes all receipts or none. */
export async function writeReceipts(db: Database, marks: readonly NewReceipt[]): Promise<void> {
  const statements: SqlStatement[] = marks.map((it, at) => {
    const values = [it.document_id, it.seq, it.indexed_at, it.chunk_count, it.attempts, it.error, it.retry_at]
    return { sql: UPSERT_RECEIPT, parameters: [...values, marks.length - 1 - at] }
  })
  await commitStatements(db, [{ sql: ADVANCE_MARKS, parameters: [marks.length] }, ...statements])
}

/** `seq` is the newest version that the vectors cover. */
export interface EmbeddedVersion {
  document_id: string
  seq: number
}

/** Records that all chunks of the documents have vectors, where that is not yet recorded. */
export async function markEmbedded(db: Database, marks: readonly EmbeddedVersion[], now: number): Promise<void> {
  if (marks.length === 0) return
  const statements = marks.map(({ document_id, seq }) => ({
    sql: `update receipt set embedded_at = ?3
      where document_id = ?1 and seq <= ?2 and embedded_at is null and error is null`,
    parameters: [document_id, seq, now],
  }))
  await commitStatements(db, statements)
}

export const getLastMark = async (db: Queryable): Promise<number> => {
  const row = await db.selectFrom('sequence').select('value').where('name', '=', 'mark').executeTakeFirstOrThrow()
  return row.value
}

/** Does the same for all receipts marked after `after` and up to `until`, except for some documents. */
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

/** Returns the first of the last `limit` changes up to a position that has no receipt. */
export async function findChangeWithoutReceipt(db: Queryable, position: number, limit: number): Promise<number | null> {
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

/** Returns the earliest time of a retry, or null when no document waits for one. */
export async function nextRetryAt(db: Queryable): Promise<number | null> {
  const row = await db
    .selectFrom('receipt')
    .select((it) => it.fn.min('retry_at').as('retry_at'))
    .where('retry_at', 'is not', null)
    .executeTakeFirst()
  return row?.retry_at ?? null
}

/** Returns the first of the ids under which a document exists, in the trash or not. */
export async function findFirstKnownId(db: Queryable, ids: readonly string[]): Promise<string | undefined> {
  const rows = await db.selectFrom('document').select('id').where('id', 'in', ids).execute()
  return ids.find((id) => rows.some((it) => it.id === id))
}

/** Selects failed documents: some, those of a pair, or all. */
export type FailedDocumentsFilter = { document_ids: readonly string[] } | { cc_pair_id: number } | 'all'

const RETRY_BATCH = 500

/**
 * Schedules an immediate retry of failed documents of the scope that wait for a later retry or none, as if they had
 * failed once. Returns how many there were.
 */
export async function retryDocuments(
  db: Database,
  scope: DocumentScope,
  which: FailedDocumentsFilter,
  now: number,
): Promise<number> {
  let count = 0
  for (let after: string | undefined = ''; after !== undefined; ) {
    const failed = await listRetryable(db, scope, which, { after, now })
    const ids = (await filterByScope(db, scope, failed)).map((it) => it.id)
    if (ids.length > 0) count += await scheduleRetry(db, ids, now)
    // Only a full batch has an item at this place: then there may be more.
    after = failed[RETRY_BATCH - 1]?.id
  }
  return count
}

async function scheduleRetry(db: Database, ids: readonly string[], now: number): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('receipt')
    // One attempt stands for the known failure; with none, the receipt would not report it.
    .set({ retry_at: now, attempts: 1 })
    .where('document_id', 'in', ids)
    .where('error', 'is not', null)
    .where((it) => it.or([it('retry_at', 'is', null), it('retry_at', '>', now)]))
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}

function listRetryable(
  db: Queryable,
  scope: DocumentScope,
  which: FailedDocumentsFilter,
  { after, now }: { after: string; now: number },
): Promise<{ id: string; external_access: string | null }[]> {
  const open = writablePairsOf(scope)
  const pairs =
    which === 'all' || 'document_ids' in which ? open : [which.cc_pair_id].filter((it) => isWritablePair(open, it))
  return db
    .selectFrom('receipt')
    .innerJoin('document', (join) =>
      join.onRef('document.id', '=', 'receipt.document_id').onRef('document.seq', '=', 'receipt.seq'),
    )
    .select(['document.id', 'document.external_access'])
    .where('receipt.error', 'is not', null)
    .where((it) => it.or([it('receipt.retry_at', 'is', null), it('receipt.retry_at', '>', now)]))
    .where('receipt.document_id', '>', after)
    .$if(which !== 'all' && 'document_ids' in which, (it) =>
      it.where('receipt.document_id', 'in', which !== 'all' && 'document_ids' in which ? which.document_ids : []),
    )
    .$if(pairs !== 'all', (it) =>
      it.where('receipt.document_id', 'in', selectIdsOfPairs(db, pairs === 'all' ? [] : pairs)),
    )
    .orderBy('receipt.document_id')
    .limit(RETRY_BATCH)
    .execute()
}
