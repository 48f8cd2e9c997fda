// Deleted documents lie in the trash for a while, then leave every place.
import { DAY_MS } from '../domain/date-time.ts'
import type { Database } from '../store/database.ts'
import { getSettings } from '../store/settings.ts'
import { purgeDocuments } from '../store/trash.ts'
import type { Indexer } from './indexer.ts'

interface Trash {
  db: Database
  indexer: Pick<Indexer, 'progress'>
  now: () => number
}

/** Answers how many documents went. */
export async function emptyTrash({ db, indexer, now }: Trash): Promise<number> {
  const { trash_retention_days } = await getSettings(db)
  return purgeDocuments(db, now() - trash_retention_days * DAY_MS, indexer.progress().indexed_seq)
}
