// Facts of the record about documents that were found, for the ranking.
import { type Access, ccPairToken } from '../../domain/access.ts'
import type { Queryable } from '../database/database.ts'
import { ANY_QUERY } from './click-counts.ts'

export interface RankingFacts {
  source: string
  /** The time that the source says, in epoch milliseconds; null if it says none. */
  own_time: number | null
  /** How many people opened it, and how many chose it for the query: see `clickLevel`. */
  opened: number
  chosen: number
  /** How many documents of its pair link to it. */
  links: number
}

/** One statement. Links count only if the reader may read the pair. */
export async function findRankingFacts(
  db: Queryable,
  access: Access,
  { ids, query_key }: { ids: readonly string[]; query_key: string },
): Promise<Map<string, RankingFacts>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('document')
    .leftJoin('document_popularity', (join) =>
      join
        .onRef('document_popularity.document_id', '=', 'document.id')
        .on('document_popularity.query_key', 'in', [ANY_QUERY, query_key]),
    )
    .leftJoin('linked_document', 'linked_document.document_id', 'document.id')
    .select([
      'document.id',
      'document.source',
      'document.doc_updated_at',
      'query_key',
      'level',
      'links',
      'linked_document.cc_pair_id',
    ])
    .where('document.id', 'in', ids)
    .execute()
  const facts = new Map<string, RankingFacts>()
  for (const { id, source, doc_updated_at, cc_pair_id, ...it } of rows) {
    const own = facts.get(id) ?? { source, own_time: doc_updated_at, opened: 0, chosen: 0, links: 0 }
    if (it.query_key === ANY_QUERY) own.opened = it.level ?? 0
    if (it.query_key === query_key) own.chosen = it.level ?? 0
    if (cc_pair_id !== null && access.includes(ccPairToken(cc_pair_id))) own.links = Math.max(own.links, it.links ?? 0)
    facts.set(id, own)
  }
  return facts
}
