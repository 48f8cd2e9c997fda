// What happens while a client waits: the document is written down, nothing else.

import { contentOf, type IngestionDocument } from '../domain/document.ts'
import { AppError } from '../domain/errors.ts'
import type { Database } from '../store/database.ts'
import { type Acceptance, acceptDocuments, deleteDocument, isWritable, type WritablePairs } from '../store/documents.ts'
import { findReceipt, firstKnown } from '../store/receipts.ts'
import type { Indexer } from './indexer.ts'

/** The pair of the documents that name none. It is not listed. */
const DEFAULT_PAIR = 1

interface Needs {
  db: Database
  indexer: Indexer
  now: () => number
}

interface Push {
  document: IngestionDocument
  cc_pair_id: number | null
}

/**
 * Resolves when the document is on the disk. Rejects with CC_PAIR_NOT_FOUND, DOCUMENT_NOT_WRITABLE or STORE_FULL, and
 * keeps nothing.
 */
export async function accept(needs: Needs, writable: WritablePairs, push: Push): Promise<Acceptance> {
  const [result] = await acceptAll(needs, writable, [push])
  if (result instanceof Error) throw result
  return result!
}

/** Resolves when they are on the disk, with one commit for all of them; each fails alone, except with STORE_FULL. */
export async function acceptAll(
  { db, indexer, now }: Needs,
  writable: WritablePairs,
  pushes: readonly Push[],
): Promise<(Acceptance | Error)[]> {
  const documents = pushes.map(({ document, cc_pair_id }) => ({
    content: contentOf(document),
    ccPairId: cc_pair_id === null || cc_pair_id === 0 ? DEFAULT_PAIR : cc_pair_id,
  }))
  const results = await acceptDocuments(db, writable, documents, now())
  for (const it of results) if (!(it instanceof Error)) indexer.wake(it.seq, it.addedBytes)
  return results
}

/** Puts a pushed document into the trash. `ids` are the spellings a client may have meant, best first. */
export async function removeIngested(
  { db, indexer, now }: Needs,
  writable: WritablePairs,
  ids: readonly string[],
): Promise<void> {
  // The first spelling that ever was a document is the one that is meant: a repeated call must not reach another one.
  const id = await firstKnown(db, ids)
  const stored = id === undefined ? undefined : await findReceipt(db, id)
  if (id === undefined || !stored?.cc_pairs.every((it) => isWritable(writable, it.id))) {
    throw new AppError('DOCUMENT_NOT_FOUND')
  }
  if (!stored.from_ingestion_api) throw new AppError('NOT_INGESTED')
  const seq = await deleteDocument(db, id, now())
  if (seq === null) throw new AppError('DOCUMENT_NOT_FOUND')
  indexer.wake(seq)
}
