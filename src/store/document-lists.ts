// Which documents there are, told in few words: of a pair, of those that were pushed, of those that failed.
import type { Database, Queries } from './database.ts'
import type { WritablePairs } from './documents.ts'

export interface ListedDocument {
  id: string
  semantic_identifier: string
  link: string | null
}

/** The documents that were pushed into these pairs, in order of their ids; `after`: only ids above that one. */
export function listPushedDocuments(
  db: Queries,
  writable: WritablePairs,
  { after, limit }: { after: string | null; limit: number },
): Promise<ListedDocument[]> {
  return selectListed(db, { after, limit })
    .where('from_ingestion_api', '=', 1)
    .$if(writable !== 'all', (it) => it.where('id', 'in', linkedTo(db, writable === 'all' ? [] : writable)))
    .execute()
}

export const listDocumentsOfPair = (
  db: Queries,
  pair: number,
  page: { after: string | null; limit: number },
): Promise<ListedDocument[]> =>
  selectListed(db, page)
    .where('id', 'in', linkedTo(db, [pair]))
    .execute()

const selectListed = (db: Queries, { after, limit }: { after: string | null; limit: number }) =>
  db
    .selectFrom('document')
    .select(['id', 'semantic_identifier', 'link'])
    .where('deleted_at', 'is', null)
    .$if(after !== null, (it) => it.where('id', '>', after ?? ''))
    .orderBy('id')
    .limit(limit)

/** An empty list is no SQL; no pair has the number -1. */
export const linkedTo = (db: Queries, pairs: readonly number[]) =>
  db
    .selectFrom('document_cc_pair')
    .select('document_id')
    .where('cc_pair_id', 'in', [-1, ...pairs])

export interface Failure {
  seq: number
  document_id: string
  link: string | null
  error: string
  accepted_at: number
  request_id: string | null
}

/** The documents of the pair that were given up, newest first, and how many there are. */
export async function listFailures(
  db: Database,
  pair: number,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ failures: Failure[]; total: number }> {
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
  const { total } = await failed.select((it) => it.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await failed
    .select(['document.seq', 'document.id as document_id', 'document.link', 'receipt.error', 'document.accepted_at'])
    .select('document.request_id')
    .orderBy('document.seq', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
  return { failures: rows.map((it) => ({ ...it, error: it.error ?? '' })), total }
}

/** Of its text, in all sections; 0 when it is not there. */
export async function countCharacters(db: Queries, id: string): Promise<number> {
  const row = await db.selectFrom('document').select('sections').where('id', '=', id).executeTakeFirst()
  const sections: { text?: string | null }[] = row === undefined ? [] : JSON.parse(row.sections)
  return sections.reduce((sum, it) => sum + (it.text?.length ?? 0), 0)
}

/** In the order of their ids; a document without any is left out. */
export async function listPairsOfDocuments(
  db: Queries,
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
