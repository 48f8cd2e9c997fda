// What became of a document: computed from its row, its receipt and the position of the follower.
import { AppError } from '../domain/errors.ts'
import type { Queries } from '../store/database.ts'
import { isWritable, type WritablePairs } from '../store/documents.ts'
import { findReceipt, listReceipts, RECEIPT_STATES, type StoredReceipt } from '../store/receipts.ts'
import type { Indexer } from './indexer.ts'

export const RECEIPT_STATUSES = ['accepted', 'indexing', 'indexed', 'failed'] as const

export interface Receipt {
  /** Where the newest version stands in the stream of changes. */
  seq: number
  document_id: string
  status: (typeof RECEIPT_STATUSES)[number]
  accepted_at: number
  indexed_at: number | null
  /** When all its chunks had vectors, so that it is found by its meaning too. */
  embedded_at: number | null
  /** Why it waits, or why it failed; null when it is indexed. */
  reason: string | null
  attempts: number
  retry_at: number | null
  chunk_count: number | null
  /** The request that brought the newest version, as its answer named it. */
  request_id: string | null
  cc_pairs: { id: number; name: string }[]
  unknown_image_file_ids: string[]
}

/** Rejects with DOCUMENT_NOT_FOUND, also for a document that is none of the caller's business. `ids` are the forms in which a client may have spelled the id, best first. */
export async function getReceipt(
  { db, indexer }: { db: Queries; indexer: Indexer },
  writable: WritablePairs,
  ids: readonly string[],
): Promise<Receipt> {
  for (const id of ids) {
    const stored = await findReceipt(db, id)
    if (stored?.cc_pairs.some((it) => isWritable(writable, it.id))) return receiptOf(stored, indexer)
  }
  throw new AppError('DOCUMENT_NOT_FOUND')
}

export { RECEIPT_STATES }

export interface NamedReceipt extends Receipt {
  semantic_identifier: string
  link: string | null
}

/** What the caller may look after, newest first. */
export async function newestReceipts(
  { db, indexer }: { db: Queries; indexer: Indexer },
  writable: WritablePairs,
  page: Parameters<typeof listReceipts>[2],
): Promise<NamedReceipt[]> {
  const stored = await listReceipts(db, writable, page)
  return stored.map((it) => ({
    ...receiptOf(it, indexer),
    semantic_identifier: it.semantic_identifier,
    link: it.link,
  }))
}

/** Waits until a version is indexed or has failed, or until the signal; one that is overtaken waits for its successor. */
export async function awaitIndexed(
  needs: { db: Queries; indexer: Indexer },
  writable: WritablePairs,
  { document_id, seq }: { document_id: string; seq: number },
  signal: AbortSignal,
): Promise<Receipt> {
  for (let wanted = seq; ; ) {
    const isReached = await needs.indexer.waitUntil(wanted, signal)
    const receipt = await getReceipt(needs, writable, [document_id])
    if (!isReached || receipt.seq <= wanted) return receipt
    wanted = receipt.seq
  }
}

function receiptOf(stored: StoredReceipt, indexer: Indexer): Receipt {
  const { seq, document_id, accepted_at, request_id, cc_pairs, unknown_image_file_ids } = stored
  const base = {
    seq,
    document_id,
    accepted_at,
    request_id,
    cc_pairs,
    unknown_image_file_ids,
    indexed_at: null,
    embedded_at: null,
    chunk_count: null,
    retry_at: null,
    attempts: 0,
  }
  if (indexer.isIndexing(stored.seq)) return { ...base, status: 'indexing', reason: 'being indexed at this moment' }
  const { indexed_seq } = indexer.progress()
  if (stored.seq > indexed_seq || stored.receipt_seq !== stored.seq) {
    return { ...base, status: 'accepted', reason: waitReason(stored.seq - indexed_seq, indexer) }
  }
  const { indexed_at, embedded_at, chunk_count, attempts, error, retry_at } = stored
  if (error === null) return { ...base, status: 'indexed', reason: null, indexed_at, embedded_at, chunk_count }
  if (retry_at === null) return { ...base, status: 'failed', reason: failReason(error, attempts), attempts }
  const reason = `will be tried again at ${new Date(retry_at).toISOString()}; last error: ${error}`
  return { ...base, status: 'accepted', reason, attempts, retry_at }
}

/** What went wrong, and the way out. */
export const failReason = (error: string, attempts: number): string =>
  `given up after ${attempts} tries; POST /service-api/ingestion/retry tries again; last error: ${error}`

function waitReason(ahead: number, indexer: Indexer): string {
  const { waiting_for } = indexer.progress()
  return waiting_for ?? (ahead <= 1 ? 'next in line to be indexed' : `waits behind up to ${ahead - 1} other changes`)
}
