// Deleted documents lie in the trash for a while, then leave every place.
import type { Database } from '../store/database.ts'
import { purgeDocuments } from '../store/documents.ts'
import type { Indexer } from './indexer.ts'

const KEPT_MS = 30 * 86_400_000

export const emptyTrash = ({ db, indexer, now }: { db: Database; indexer: Indexer; now: () => number }) =>
  purgeDocuments(db, now() - KEPT_MS, indexer.progress().indexed_seq)
