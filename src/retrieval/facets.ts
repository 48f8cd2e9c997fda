// How many documents there are of each kind, as a person can choose them.
import { type FacetRequest, recentSpans } from '../domain/query.ts'
import type { Facet, SearchIndex } from '../search-index/search-index.ts'
import type { Asked } from './candidates.ts'

export interface CountedFacet {
  field: 'source_type' | 'author' | 'document_set' | 'tag' | 'time'
  /** A tag is written `key=value`, as in the search box. */
  values: { value: string; count: number }[]
  count_relation: 'eq' | 'gte'
}

/** A set that the asker may search in. */
export interface OfferedSet {
  name: string
  cc_pair_ids: readonly number[]
}

const SIZE = 20

export const facetRequests = (now: number): FacetRequest[] => [
  { field: 'source_type', size: SIZE },
  { field: 'author', size: SIZE },
  { field: 'tag', size: SIZE },
  { field: 'time', spans: recentSpans(now) },
]

/** Sets are counted one by one: a document may come in by several pairs of a set. */
export async function countFacets(
  searchIndex: SearchIndex,
  asked: Asked,
  counted: readonly Facet[],
  sets: readonly OfferedSet[],
): Promise<CountedFacet[]> {
  const ofSets = await Promise.all(sets.slice(0, SIZE).map((it) => countSet(searchIndex, asked, it)))
  const held = ofSets.filter((it) => it.count > 0).sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
  const [sources, ...others] = counted.map(plain)
  const relation = sources?.count_relation ?? 'eq'
  return [...(sources ? [sources] : []), { field: 'document_set', values: held, count_relation: relation }, ...others]
}

async function countSet(searchIndex: SearchIndex, asked: Asked, { name, cc_pair_ids }: OfferedSet) {
  const filters = { ...asked.filters, cc_pair_ids }
  // Only a search with facets counts to the end.
  const facets: FacetRequest[] = [{ field: 'time', spans: [] }]
  const { total } = await searchIndex.search({ ...asked, filters, facets, offset: 0, limit: 0 })
  return { value: name, count: total }
}

function plain(facet: Facet): CountedFacet {
  const field = facet.field === 'cc_pair' ? 'document_set' : facet.field
  const values = facet.values.map(({ value, count }) => ({
    value: typeof value === 'object' ? `${value.tag_key}=${value.tag_value}` : String(value),
    count,
  }))
  return { field, values, count_relation: facet.count_relation }
}
