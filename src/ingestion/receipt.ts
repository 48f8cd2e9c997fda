// What became of a document: computed from its row, its receipt and the position of the follower.
import { AppError } from '../domain/errors.ts'
import type { Queries } from '../store/database.ts'
import { findReceipt, type StoredReceipt } from '../store/receipts.ts'
import type { Indexer } from './indexer.ts'

export const RECEIPT_STATUSES = ['accepted', 'indexing', 'indexed', 'failed'] as const

export interface Receipt {
  document_id: string
  status: (typeof RECEIPT_STATUSES)[number]
  accepted_at: number
  indexed_at: number | null
  /** Why it waits, or why it failed; null when it is indexed. */
  reason: string | null
  attempts: number
  retry_at: number | null
  chunk_count: number | null
  cc_pairs: { id: number; name: string }[]
}

/** Rejects with DOCUMENT_NOT_FOUND. `ids` are the forms in which a client may have spelled the id, best first. */
export async function getReceipt(
  { db, indexer }: { db: Queries; indexer: Indexer },
  ids: readonly string[],
): Promise<Receipt> {
  for (const id of ids) {
    const stored = await findReceipt(db, id)
    if (stored !== undefined) return receiptOf(stored, indexer)
  }
  throw new AppError('DOCUMENT_NOT_FOUND')
}

function receiptOf(stored: StoredReceipt, indexer: Indexer): Receipt {
  const { document_id, accepted_at, cc_pairs } = stored
  const base = { document_id, accepted_at, cc_pairs, indexed_at: null, chunk_count: null, retry_at: null, attempts: 0 }
  if (indexer.isIndexing(stored.seq)) return { ...base, status: 'indexing', reason: 'being indexed at this moment' }
  const { indexed_seq } = indexer.progress()
  if (stored.seq > indexed_seq || stored.receipt_seq !== stored.seq) {
    return { ...base, status: 'accepted', reason: waitReason(stored.seq - indexed_seq, indexer) }
  }
  const { indexed_at, chunk_count, attempts, error, retry_at } = stored
  if (error === null) return { ...base, status: 'indexed', reason: null, indexed_at, chunk_count }
  if (retry_at === null) return { ...base, status: 'failed', reason: error, attempts }
  const reason = `will be tried again at ${new Date(retry_at).toISOString()}; last error: ${error}`
  return { ...base, status: 'accepted', reason, attempts, retry_at }
}

function waitReason(ahead: number, indexer: Indexer): string {
  const { waiting_for } = indexer.progress()
  return waiting_for ?? (ahead <= 1 ? 'next in line to be indexed' : `waits behind up to ${ahead - 1} other changes`)
}
