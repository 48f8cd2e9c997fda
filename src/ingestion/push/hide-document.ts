import { AppError } from '../../domain/errors.ts'
import type { Database } from '../../store/database/database.ts'
import { isDocumentKept, setDocumentHidden } from '../../store/documents/hidden.ts'
import type { Indexer } from '../index/indexer.ts'

interface HideDeps {
  db: Database
  indexer: Pick<Indexer, 'wake'>
  now: () => number
}

/** Searches leave a hidden document out at once. DOCUMENT_NOT_FOUND: it does not exist, or is in the trash. */
export async function hideDocument(
  { db, indexer, now }: HideDeps,
  id: string,
  { isHidden, requestId }: { isHidden: boolean; requestId: string },
): Promise<void> {
  const seq = await setDocumentHidden(db, id, { isHidden, now: now(), requestId })
  if (seq !== null) return indexer.wake(seq)
  if (!(await isDocumentKept(db, id))) throw new AppError('DOCUMENT_NOT_FOUND')
}
