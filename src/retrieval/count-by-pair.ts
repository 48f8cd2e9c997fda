import type { Access } from '../domain/access.ts'
import type { SearchIndex } from '../search-index/search-index.ts'

const MAX_PAIRS = 10_000

/** Counts the documents that the access opens, by cc-pair. Pairs without any are left out. */
export async function countByPair(
  { searchIndex }: { searchIndex: Pick<SearchIndex, 'search'> },
  access: Access,
): Promise<ReadonlyMap<number, number>> {
  // Sorting by time makes an empty query match all documents.
  const facets = [{ field: 'cc_pair', size: MAX_PAIRS } as const]
  const query = { text: '', access, filters: {}, sort: 'newest', facets, offset: 0, limit: 0 } as const
  const found = await searchIndex.search(query)
  const counts = found.facets.flatMap((it) => (it.field === 'cc_pair' ? it.values : []))
  return new Map(counts.map(({ value, count }) => [value, count]))
}
