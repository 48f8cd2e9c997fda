// Counts documents by source, author, document set, tag and time.
import { type FacetRequest, recentTimeRanges, type SearchScope, type TimeRange } from '../../domain/search/query.ts'
import type { Facet, SearchIndex } from '../../search-index/search-index.ts'
import type { SearchQuery } from '../ranking/candidates.ts'

export interface CountedFacet {
  field: 'source_type' | 'author' | 'document_set' | 'tag' | 'time'
  /** Tags have the form `key=value`, as in a query. */
  values: { value: string; count: number }[]
  count_relation: 'eq' | 'gte'
}

/** A document set that the subject may search. */
export interface SelectableSet {
  name: string
  cc_pair_ids: readonly number[]
}

const FACET_SIZE = 20
/** Larger, because tags are grouped by key and tags that occur once are hidden. */
const TAG_FACET_SIZE = 60

export const facetRequests = (now: number, { updated_from }: SearchScope = {}): FacetRequest[] => [
  { field: 'source_type', size: FACET_SIZE },
  { field: 'author', size: FACET_SIZE },
  { field: 'tag', size: TAG_FACET_SIZE },
  { field: 'time', spans: recentTimeRanges(now).map((it) => clampSpan(it, updated_from)) },
]

const clampSpan = (span: TimeRange, start: number | undefined): TimeRange =>
  start === undefined ? span : { ...span, from: Math.max(span.from ?? start, start) }

/** All documents that match the words, and the semantic candidates that do not. */
export interface MatchedDocuments {
  searchQuery: SearchQuery
  semanticOnly: readonly string[]
}

/** Adds the semantic candidates without words to the counts. */
export async function addSemanticOnlyCounts(
  searchIndex: SearchIndex,
  { searchQuery, semanticOnly }: MatchedDocuments,
  requests: readonly FacetRequest[],
  counted: readonly Facet[],
): Promise<readonly Facet[]> {
  if (requests.length === 0 || semanticOnly.length === 0) return counted
  const { facets } = await searchIndex.search({
    ...semanticOnlyQuery(searchQuery, semanticOnly),
    facets: requests,
    offset: 0,
    limit: 0,
  })
  return counted.map((facet, at) => {
    const request = requests[at]!
    return mergeFacets(facet, facets[at]!, 'size' in request ? request.size : Number.POSITIVE_INFINITY)
  })
}

/** An empty query matches all of these documents. */
const semanticOnlyQuery = (searchQuery: SearchQuery, semanticOnly: readonly string[]) => ({
  ...searchQuery,
  text: '',
  sort: 'newest' as const,
  filters: { ...searchQuery.filters, document_ids: semanticOnly },
})

/** A value below the `size` most frequent has an unknown count and is left out. */
function mergeFacets<T extends Facet>(facet: T, other: Facet, size: number): T {
  const counts = new Map(facet.values.map((it) => [JSON.stringify(it.value), { ...it }]))
  const isComplete = facet.values.length < size
  for (const it of other.values) {
    const key = JSON.stringify(it.value)
    const known = counts.get(key)
    if (known !== undefined) known.count += it.count
    else if (isComplete) counts.set(key, { ...it } as (typeof facet.values)[number])
  }
  const values = [...counts.values()]
  if (facet.field !== 'time') values.sort((a, b) => b.count - a.count)
  return { ...facet, values: values.slice(0, size) }
}

/** Each set is counted separately, because a document can belong to several of its cc-pairs. */
export async function countFacets(
  searchIndex: SearchIndex,
  matched: MatchedDocuments,
  counted: readonly Facet[],
  sets: readonly SelectableSet[],
): Promise<CountedFacet[]> {
  const setCounts = await Promise.all(sets.slice(0, FACET_SIZE).map((it) => countDocumentSet(searchIndex, matched, it)))
  const nonEmptySets = setCounts
    .filter((it) => it.count > 0)
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
  const [sources, ...others] = counted.map(toCountedFacet)
  const relation = sources?.count_relation ?? 'eq'
  return [
    ...(sources ? [sources] : []),
    { field: 'document_set', values: nonEmptySets, count_relation: relation },
    ...others,
  ]
}

/** The facets of a search without results. */
export const emptyFacets = (facets: readonly Facet[]): CountedFacet[] =>
  facets.map(toCountedFacet).map(({ field, values }) => ({
    field,
    values: field === 'time' ? values.map((it) => ({ ...it, count: 0 })) : [],
    count_relation: 'eq',
  }))

async function countDocumentSet(
  searchIndex: SearchIndex,
  { searchQuery, semanticOnly }: MatchedDocuments,
  { name, cc_pair_ids }: SelectableSet,
) {
  const within = { ...searchQuery, filters: { ...searchQuery.filters, cc_pair_ids } }
  // Only searches with facets count all matches.
  const rest = { facets: [{ field: 'time', spans: [] }] satisfies FacetRequest[], offset: 0, limit: 0 }
  const totals = await Promise.all([
    searchIndex.search({ ...within, ...rest }),
    ...(semanticOnly.length === 0 ? [] : [searchIndex.search({ ...semanticOnlyQuery(within, semanticOnly), ...rest })]),
  ])
  return { value: name, count: totals.reduce((sum, it) => sum + it.total, 0) }
}

function toCountedFacet(facet: Facet): CountedFacet {
  const field = facet.field === 'cc_pair' ? 'document_set' : facet.field
  const values = facet.values.map(({ value, count }) => ({
    value: typeof value === 'object' ? `${value.tag_key}=${value.tag_value}` : String(value),
    count,
  }))
  return { field, values, count_relation: facet.count_relation }
}
