import type { Database } from '../store/database.ts'
import type { WritablePairs } from '../store/documents.ts'
import { type FailedDocuments, retryDocuments } from '../store/receipts.ts'
import type { Indexer } from './indexer.ts'

interface Needs {
  db: Database
  indexer: Pick<Indexer, 'wake'>
  now: () => number
}

/** Has failed documents tried again at once. Answers how many there are. */
export async function retryFailed(
  { db, indexer, now }: Needs,
  writable: WritablePairs,
  which: FailedDocuments,
): Promise<number> {
  const count = await retryDocuments(db, writable, which, now())
  if (count > 0) indexer.wake(0)
  return count
}
