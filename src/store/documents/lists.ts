// Short listings of documents: of a pair, of pushed ones, of failed ones.
import type { Database, Queryable } from '../database/database.ts'
import { collectInScope, type DocumentScope } from './scope.ts'

export interface DocumentListing {
  id: string
  semantic_identifier: string
  link: string | null
  external_access: string | null
}

interface DocumentIdPage {
  /** Only ids greater than this one. */
  after: string | null
  limit: number
  signal?: AbortSignal
}

/** Lists the pushed documents of the scope, in order of their ids. */
export const listPushedDocuments = (
  db: Queryable,
  scope: DocumentScope,
  page: DocumentIdPage,
): Promise<DocumentListing[]> =>
  collectInScope(db, scope, page, (last, limit) =>
    selectDocumentListing(db, scope, { after: last?.id ?? page.after, limit })
      .where('from_ingestion_api', '=', 1)
      .$if(scope !== 'all', (it) => it.where('id', 'in', selectIdsOfPairs(db, scope === 'all' ? [] : scope.pairs)))
      .execute(),
  )

/** Lists the documents of the pair, which must be in the scope, as far as the scope covers them. */
export const listDocumentsOfPair = (
  db: Queryable,
  scope: DocumentScope,
  pair: number,
  page: DocumentIdPage,
): Promise<DocumentListing[]> =>
  collectInScope(db, scope, page, (last, limit) =>
    selectDocumentListing(db, scope, { after: last?.id ?? page.after, limit })
      .where('id', 'in', selectIdsOfPairs(db, [pair]))
      .execute(),
  )

const selectDocumentListing = (
  db: Queryable,
  scope: DocumentScope,
  { after, limit }: { after: string | null; limit: number },
) =>
  db
    .selectFrom('document')
    .select(['id', 'semantic_identifier', 'link', 'external_access'])
    .where('deleted_at', 'is', null)
    .$if(scope !== 'all', (it) =>
      it.where((of) =>
        of.or([
          of.and([of('hidden_at', 'is', null), of('quarantined_at', 'is', null)]),
          of('pushed_by', '=', scope === 'all' ? '' : scope.owner),
        ]),
      ),
    )
    .$if(after !== null, (it) => it.where('id', '>', after ?? ''))
    .orderBy('id')
    .limit(limit)

/** SQL has no empty list; no pair has the id -1. */
export const selectIdsOfPairs = (db: Queryable, pairs: readonly number[]) =>
  db
    .selectFrom('document_cc_pair')
    .select('document_id')
    .where('cc_pair_id', 'in', [-1, ...pairs])

export interface DocumentFailure {
  seq: number
  document_id: string
  link: string | null
  error: string
  accepted_at: number
  request_id: string | null
}

/** Lists the documents of the pair whose indexing was given up, as far as the scope covers them, newest first. */
export async function listDocumentFailures(
  db: Database,
  scope: DocumentScope,
  pair: number,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ failures: DocumentFailure[]; total: number }> {
  const failed = db
    .selectFrom('document_cc_pair as place')
    .innerJoin('document', 'document.id', 'place.document_id')
    .innerJoin('receipt', (join) =>
      join.onRef('receipt.document_id', '=', 'document.id').onRef('receipt.seq', '=', 'document.seq'),
    )
    .where('place.cc_pair_id', '=', pair)
    .where('document.deleted_at', 'is', null)
    .where('receipt.error', 'is not', null)
    .where('receipt.retry_at', 'is', null)
  const rows = failed
    .select(['document.seq', 'document.id', 'document.link', 'receipt.error', 'document.accepted_at'])
    .select(['document.request_id', 'document.external_access'])
    .orderBy('document.seq', 'desc')
  if (scope === 'all') {
    const { total } = await failed.select((it) => it.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
    return { failures: (await rows.limit(limit).offset(offset).execute()).map(toFailure), total }
  }
  const everything = { limit: Number.MAX_SAFE_INTEGER }
  const covered = await collectInScope<ScannedFailure>(db, scope, everything, (last, size) =>
    rows
      .$if(last !== undefined, (it) => it.where('document.seq', '<', last?.seq ?? 0))
      .limit(size)
      .execute(),
  )
  return { failures: covered.slice(offset, offset + limit).map(toFailure), total: covered.length }
}

type FailureRow = Omit<DocumentFailure, 'document_id' | 'error'> & { id: string; error: string | null }

type ScannedFailure = FailureRow & { external_access: string | null }

const toFailure = ({ id, error, seq, link, accepted_at, request_id }: FailureRow): DocumentFailure => ({
  seq,
  document_id: id,
  link,
  error: error ?? '',
  accepted_at,
  request_id,
})

export interface DocumentSyncState {
  id: string
  accepted_at: number
  changed_at: number | null
  /** Null until the index has this version. */
  indexed_at: number | null
}

/** Lists the documents of the pair, as far as the scope covers them, in order of their ids. */
export const listDocumentSyncStates = (
  db: Queryable,
  scope: DocumentScope,
  pair: number,
  { after, limit }: { after: string | null; limit: number },
): Promise<DocumentSyncState[]> =>
  collectInScope<DocumentSyncState & { external_access: string | null }>(db, scope, { limit }, (last, size) =>
    selectSyncStates(db, pair, { after: last?.id ?? after, limit: size }).execute(),
  )

const selectSyncStates = (db: Queryable, pair: number, { after, limit }: { after: string | null; limit: number }) =>
  db
    .selectFrom('document_cc_pair as place')
    .innerJoin('document', 'document.id', 'place.document_id')
    .leftJoin('receipt', (join) =>
      join.onRef('receipt.document_id', '=', 'document.id').onRef('receipt.seq', '=', 'document.seq'),
    )
    .select(['document.id', 'document.accepted_at', 'document.changed_at', 'document.external_access'])
    .select('receipt.indexed_at')
    .where('place.cc_pair_id', '=', pair)
    .where('document.deleted_at', 'is', null)
    .$if(after !== null, (it) => it.where('document.id', '>', after ?? ''))
    .orderBy('document.id')
    .limit(limit)

/** Counts the characters of all sections; 0 when the document does not exist. */
export async function countDocumentCharacters(db: Queryable, id: string): Promise<number> {
  const row = await db.selectFrom('document').select('sections').where('id', '=', id).executeTakeFirst()
  const sections: { text?: string | null }[] = row === undefined ? [] : JSON.parse(row.sections)
  return sections.reduce((sum, it) => sum + (it.text?.length ?? 0), 0)
}

/** Pairs are in order of their ids. Documents without a pair are left out. */
export async function listPairsOfDocuments(
  db: Queryable,
  ids: readonly string[],
): Promise<Map<string, { id: number; name: string }[]>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('document_cc_pair')
    .innerJoin('cc_pair', 'cc_pair.id', 'document_cc_pair.cc_pair_id')
    .select(['document_id', 'cc_pair.id', 'cc_pair.name'])
    .where('document_id', 'in', ids)
    .orderBy('cc_pair.id')
    .execute()
  const byDocument = Map.groupBy(rows, (it) => it.document_id)
  return new Map([...byDocument].map(([id, group]) => [id, group.map(({ id, name }) => ({ id, name }))]))
}

/** Maps documents to their sources, those in the trash too. Unknown documents are left out. */
export async function mapDocumentSources(db: Queryable, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('document').select(['id', 'source']).where('id', 'in', ids).execute()
  return new Map(rows.map((it) => [it.id, it.source]))
}
