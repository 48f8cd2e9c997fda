// The status of a document, computed from its row, its receipt and the position of the follower.
import type { DocumentWarning } from '../../domain/document.ts'
import { AppError } from '../../domain/errors.ts'
import type { ModelTextState } from '../../domain/made-texts/model-text.ts'
import type { Queryable } from '../../store/database/database.ts'
import {
  findReceipt,
  listReceipts,
  RECEIPT_STATES,
  type ReceiptPage,
  type StoredReceipt,
} from '../../store/documents/receipts.ts'
import { type DocumentScope, isWritablePair, maySeeDocument, writablePairsOf } from '../../store/documents/scope.ts'
import type { Indexer } from '../index/indexer.ts'

export const RECEIPT_STATUSES = ['accepted', 'indexing', 'indexed', 'failed'] as const

/** How many files of a document wait for their text, were read, or could not be read. */
export interface PictureStates {
  waiting: number
  read: number
  failed: number
  /** Why some of them wait or failed, some of the reasons. */
  reasons: string[]
}

export interface CaptionStates extends PictureStates {
  /** Pictures that get none, such as icons. */
  skipped: number
}

export interface Receipt {
  /** The sequence number of the newest version. */
  seq: number
  document_id: string
  status: (typeof RECEIPT_STATUSES)[number]
  accepted_at: number
  indexed_at: number | null
  /** When all chunks had vectors, so that semantic search finds the document. */
  embedded_at: number | null
  /** Why the document waits or failed; null when it is indexed. */
  reason: string | null
  attempts: number
  retry_at: number | null
  chunk_count: number | null
  /** The id of the request that sent the newest version. */
  request_id: string | null
  cc_pairs: { id: number; name: string }[]
  unknown_image_file_ids: string[]
  warnings: DocumentWarning[]
  /** Null if it shows no pictures. */
  recognition: PictureStates | null
  /** Null if it has no recordings. */
  transcripts: PictureStates | null
  /** Null if it shows no pictures that were ever to get a caption. */
  captions: CaptionStates | null
  /** An administrator hid the document: the index does not have it. */
  is_hidden: boolean
  /** It has a secret, and nobody finds it until an administrator releases it. */
  is_quarantined: boolean
}

/**
 * Rejects with DOCUMENT_NOT_FOUND, also for a document outside the caller's scope. `ids` are the possible spellings of
 * the id, most likely first.
 */
export async function getReceipt(
  { db, indexer }: { db: Queryable; indexer: Indexer },
  scope: DocumentScope,
  ids: readonly string[],
): Promise<Receipt> {
  for (const id of ids) {
    const stored = await findReceipt(db, id)
    if (stored !== undefined && maySeeDocument(scope, stored)) return toReceipt(stored, scope, indexer)
  }
  throw new AppError('DOCUMENT_NOT_FOUND')
}

export { RECEIPT_STATES }

export interface NamedReceipt extends Receipt {
  semantic_identifier: string
  link: string | null
  source: string
}

/** Receipts in the caller's scope, newest first, and the `before` of the next page. */
export async function listNewestReceipts(
  { db, indexer }: { db: Queryable; indexer: Indexer },
  scope: DocumentScope,
  page: ReceiptPage,
): Promise<{ items: NamedReceipt[]; next_before: number | null }> {
  const { receipts, next_before } = await listReceipts(db, scope, page)
  const items = receipts.map((it) => ({
    ...toReceipt(it, scope, indexer),
    semantic_identifier: it.semantic_identifier,
    link: it.link,
    source: it.source,
  }))
  return { items, next_before }
}

/** Waits until the version is indexed or has failed, or until the signal. A superseded version waits for its successor. */
export async function waitUntilIndexed(
  deps: { db: Queryable; indexer: Indexer },
  scope: DocumentScope,
  { document_id, seq }: { document_id: string; seq: number },
  signal: AbortSignal,
): Promise<Receipt> {
  for (let awaitedSeq = seq; ; ) {
    const isReached = await deps.indexer.waitUntil(awaitedSeq, signal)
    const receipt = await getReceipt(deps, scope, [document_id])
    if (!isReached || receipt.seq <= awaitedSeq) return receipt
    awaitedSeq = receipt.seq
  }
}

function toReceipt(stored: StoredReceipt, scope: DocumentScope, indexer: Indexer): Receipt {
  const { seq, document_id, accepted_at, request_id, unknown_image_file_ids, warnings, is_hidden, is_quarantined } =
    stored
  const pairs = writablePairsOf(scope)
  const base = {
    seq,
    document_id,
    accepted_at,
    request_id,
    cc_pairs: stored.cc_pairs.filter((it) => isWritablePair(pairs, it.id)),
    unknown_image_file_ids,
    warnings,
    recognition: fileStates(stored.pictures),
    transcripts: fileStates(stored.modelFiles.filter((it) => it.kind === 'transcript')),
    captions: captionStates(stored.modelFiles.filter((it) => it.kind === 'caption')),
    is_hidden,
    is_quarantined,
    indexed_at: null,
    embedded_at: null,
    chunk_count: null,
    retry_at: null,
    attempts: 0,
  }
  if (indexer.isIndexing(stored.seq)) return { ...base, status: 'indexing', reason: 'being indexed' }
  const { indexed_seq } = indexer.progress()
  if (stored.seq > indexed_seq || stored.receipt_seq !== stored.seq) {
    return { ...base, status: 'accepted', reason: waitReason(stored.seq - indexed_seq, indexer) }
  }
  const { indexed_at, embedded_at, chunk_count, attempts, error, retry_at } = stored
  if (error === null) return { ...base, status: 'indexed', reason: null, indexed_at, embedded_at, chunk_count }
  if (retry_at === null) return { ...base, status: 'failed', reason: failureReason(error, attempts), attempts }
  const reason = `will be tried again at ${new Date(retry_at).toISOString()}; last error: ${error}`
  return { ...base, status: 'accepted', reason, attempts, retry_at }
}

const MAX_REASONS = 10

interface FileState {
  name: string
  state: ModelTextState
  error: string | null
}

function fileStates(files: readonly FileState[]): PictureStates | null {
  const states = captionStates(files)
  if (states === null) return null
  const { skipped: _, ...counts } = states
  return counts
}

function captionStates(files: readonly FileState[]): CaptionStates | null {
  const shown = files.filter((it) => it.state !== 'removed')
  if (shown.length === 0) return null
  const counts = { waiting: 0, read: 0, failed: 0, skipped: 0, removed: 0 }
  const reasons = new Set<string>()
  for (const { name, state, error } of shown) {
    counts[state]++
    if (error !== null) reasons.add(name === '' ? error : `${name}: ${error}`)
  }
  const { removed: _, ...states } = counts
  return { ...states, reasons: [...reasons].slice(0, MAX_REASONS) }
}

/** States the error and how to retry. */
export const failureReason = (error: string, attempts: number): string =>
  `gave up after ${attempts} attempts; POST /service-api/ingestion/retry tries again; last error: ${error}`

function waitReason(ahead: number, indexer: Indexer): string {
  const { waiting_for } = indexer.progress()
  return waiting_for ?? (ahead <= 1 ? 'next in line to be indexed' : `waiting behind up to ${ahead - 1} other changes`)
}
