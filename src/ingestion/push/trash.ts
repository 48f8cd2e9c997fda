// Deleted documents stay in the trash for a while, where they can be listed, restored or deleted permanently. After that
// they leave the record and the index.

import { AppError } from '../../domain/errors.ts'
import type { Database } from '../../store/database/database.ts'
import { type DocumentScope, isWritablePair, writablePairsOf } from '../../store/documents/scope.ts'
import {
  expireTrashedDocuments,
  findTrashedDocuments,
  listTrashedDocuments,
  purgeTrashedDocuments,
  restoreTrashedDocuments,
  type TrashedDocument,
  type TrashFilter,
  type TrashScope,
} from '../../store/documents/trash.ts'
import { getSettings } from '../../store/settings/settings.ts'
import { listCcPairNames } from '../../store/sources/connectors.ts'
import { DAY_MS, daysBefore } from '../../wire/date-time.ts'
import type { Indexer } from '../index/indexer.ts'

interface TrashDeps {
  db: Database
  indexer: Pick<Indexer, 'progress'>
  now: () => number
}

/** The caller of a trash operation. */
export interface TrashCaller {
  owner: string
  scope: DocumentScope
}

/** Deletes expired documents permanently. Returns their number. */
export async function purgeExpiredTrash({ db, indexer, now }: TrashDeps): Promise<number> {
  const { trash_retention_days } = await getSettings(db)
  return purgeTrashedDocuments(db, daysBefore(now(), trash_retention_days), indexer.progress().indexed_seq)
}

/**
 * A key without the permission to manage connectors sees only what its owner pushed or deleted. Read access to a document
 * gives no access to it in the trash.
 */
const trashScope = ({ owner, scope }: TrashCaller): TrashScope => (scope === 'all' ? 'all' : { owner })

export interface ListedTrash
  extends Omit<TrashedDocument, 'cc_pair_ids' | 'pushed_by' | 'deleter_email' | 'body_bytes'> {
  /** When the document is deleted permanently. */
  expires_at: number
  cc_pairs: { id: number; name: string }[]
}

/** Most recently deleted first; `after` is the end of the previous page. */
export async function listTrash(
  { db }: Pick<TrashDeps, 'db'>,
  caller: TrashCaller,
  filter: TrashFilter,
  page: { after: { deleted_at: number; seq: number } | null; limit: number },
): Promise<ListedTrash[]> {
  const { trash_retention_days } = await getSettings(db)
  const found = await listTrashedDocuments(db, trashScope(caller), filter, page)
  const names = await listCcPairNames(db)
  const writablePairs = writablePairsOf(caller.scope)
  return found.map(({ cc_pair_ids, pushed_by: _, body_bytes: __, deleter_email, ...it }) => ({
    ...it,
    // Only callers who manage connectors may see who else deletes documents.
    deleted_by: caller.scope === 'all' || it.deleted_by === caller.owner ? (deleter_email ?? it.deleted_by) : null,
    expires_at: it.deleted_at + trash_retention_days * DAY_MS,
    cc_pairs: cc_pair_ids.flatMap((id) => {
      const name = names.get(id)
      return name === undefined || !isWritablePair(writablePairs, id) ? [] : { id, name }
    }),
  }))
}

export type RestoreResult = { document_id: string } & (
  | { status: 'restored'; seq: number; isHeldFromPrune: boolean }
  | { status: 'failed'; error: AppError }
)

/**
 * Restores documents one by one, into their former cc-pairs or into the given one. A document whose pairs are gone or
 * unknown needs a given pair, because the pair decides who may read it.
 */
export async function restoreFromTrash(
  { db, indexer, now }: { db: Database; indexer: Pick<Indexer, 'wake'>; now: () => number },
  caller: TrashCaller,
  { ids, ccPairId }: { ids: readonly string[]; ccPairId: number | null },
  requestId: string,
): Promise<RestoreResult[]> {
  const trashed = await findTrashedDocuments(db, trashScope(caller), ids)
  const names = await listCcPairNames(db)
  const writablePairs = writablePairsOf(caller.scope)
  const isWritable = (id: number) => names.has(id) && isWritablePair(writablePairs, id)
  if (ccPairId !== null && !isWritable(ccPairId)) throw new AppError('CC_PAIR_NOT_FOUND', { id: ccPairId })
  const targets = ids.flatMap((id) => {
    const document = trashed.get(id)
    if (document === undefined) return []
    const cc_pair_ids = ccPairId === null ? document.cc_pair_ids.filter(isWritable) : [ccPairId]
    return cc_pair_ids.length === 0 ? [] : [{ id, seq: document.seq, cc_pair_ids }]
  })
  const written = await restoreTrashedDocuments(db, targets, { now: now(), requestId })
  const seqs = new Map(targets.map((it, at) => [it.id, written[at] ?? null]))
  return ids.map((document_id): RestoreResult => {
    const document = trashed.get(document_id)
    const seq = seqs.get(document_id)
    if (document === undefined || seq === null) {
      return { document_id, status: 'failed', error: new AppError('NOT_IN_TRASH') }
    }
    if (seq === undefined) return { document_id, status: 'failed', error: new AppError('RESTORE_NEEDS_PAIR') }
    indexer.wake(seq, document.body_bytes)
    return { document_id, status: 'restored', seq, isHeldFromPrune: !document.from_ingestion_api }
  })
}

/**
 * Deletes documents in the trash permanently. They leave the record as soon as the index has removed them. A key without
 * the permission to manage connectors deletes only what its owner pushed. Returns the number of documents.
 */
export async function deletePermanently(
  { db, indexer }: TrashDeps,
  { owner, scope }: TrashCaller,
  ids: readonly string[] | 'all',
): Promise<number> {
  const count = await expireTrashedDocuments(db, ids, scope === 'all' ? null : owner)
  // Documents that the index still holds are purged by the next housekeeping run.
  if (count > 0) await purgeTrashedDocuments(db, 1, indexer.progress().indexed_seq)
  return count
}
