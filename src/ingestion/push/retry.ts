import type { Database } from '../../store/database/database.ts'
import { type FailedDocumentsFilter, retryDocuments } from '../../store/documents/receipts.ts'
import type { DocumentScope } from '../../store/documents/scope.ts'
import type { Indexer } from '../index/indexer.ts'

interface RetryDeps {
  db: Database
  indexer: Pick<Indexer, 'wake'>
  now: () => number
}

/** Schedules failed documents for an immediate retry. Returns their number. */
export async function retryFailedDocuments(
  { db, indexer, now }: RetryDeps,
  scope: DocumentScope,
  selection: FailedDocumentsFilter,
): Promise<number> {
  const count = await retryDocuments(db, scope, selection, now())
  if (count > 0) indexer.wake(0)
  return count
}
