// Decisions of administrators about findings. Searches follow at once.
import type { SensitiveKind } from '../../domain/sensitive/kinds.ts'
import type { Database } from '../../store/database/database.ts'
import { setDismissed, setReleased } from '../../store/sensitive/quarantine.ts'
import type { Indexer } from '../index/indexer.ts'

interface DecideDeps {
  db: Database
  indexer: Pick<Indexer, 'wake'>
  now: () => number
}

/** FINDING_NOT_FOUND: nothing was found in the document. A released text stays released until it changes. */
export async function releaseDocument(
  { db, indexer, now }: DecideDeps,
  { document_id, released }: { document_id: string; released: boolean },
): Promise<void> {
  const seq = await setReleased(db, document_id, { isReleased: released, now: now() })
  if (seq !== null) indexer.wake(seq)
}

/** FINDING_NOT_FOUND: the document has no finding of this kind. */
export async function dismissFinding(
  { db, indexer, now }: DecideDeps,
  { document_id, kind, dismissed }: { document_id: string; kind: SensitiveKind; dismissed: boolean },
): Promise<void> {
  const seq = await setDismissed(db, document_id, { kind, isDismissed: dismissed, now: now() })
  if (seq !== null) indexer.wake(seq)
}
