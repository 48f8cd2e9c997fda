// Lists the tags and the sources of the documents that a subject may read, counted by the index.
import type { Access } from '../domain/access.ts'
import type { FacetRequest, Filters, Tag } from '../domain/search/query.ts'
import type { Facet, SearchIndex } from '../search-index/search-index.ts'

export interface TagQuery {
  /** A part of the key, of the value or of `key=value`, case-insensitive; empty for all. */
  pattern: string
  /** Limits the result to documents of these sources; null for all. */
  sources: readonly string[] | null
  limit: number
}

export interface FoundTag extends Tag {
  source: string
}

const MAX_SOURCES = 100
/** The number of most frequent tags considered per source. */
const MAX_TAGS_PER_SOURCE = 10_000

/** Most frequent tags first. A tag of several sources occurs once for each. */
export async function findTags(
  { searchIndex }: { searchIndex: Pick<SearchIndex, 'search'> },
  access: Access,
  { pattern, sources, limit }: TagQuery,
): Promise<FoundTag[]> {
  const filters = sources === null ? {} : { source_types: sources }
  const sourceFacets = await countFacet(searchIndex, access, filters, { field: 'source_type', size: MAX_SOURCES })
  const sourceCounts = sourceFacets.flatMap((it) => (it.field === 'source_type' ? it.values : []))
  const wanted = pattern.toLowerCase()
  const found: { tag: FoundTag; count: number }[] = []
  // A facet ignores the filter on its own field, so other sources are removed here.
  for (const { value: source } of sourceCounts.filter((it) => sources?.includes(it.value) ?? true)) {
    const request: FacetRequest = { field: 'tag', size: MAX_TAGS_PER_SOURCE }
    const tagFacets = await countFacet(searchIndex, access, { source_types: [source] }, request)
    found.push(
      ...tagFacets
        .flatMap((it) => (it.field === 'tag' ? it.values : []))
        .filter(({ value }) => `${value.tag_key}=${value.tag_value}`.toLowerCase().includes(wanted))
        .slice(0, limit)
        .map(({ value, count }) => ({ tag: { ...value, source }, count })),
    )
  }
  return found
    .sort((a, b) => b.count - a.count)
    .slice(0, limit)
    .map((it) => it.tag)
}

export interface FoundSource {
  source: string
  document_count: number
}

/** Lists the sources of the documents that a subject may read, the source with the most documents first. */
export async function findSources(
  { searchIndex }: { searchIndex: Pick<SearchIndex, 'search'> },
  access: Access,
): Promise<FoundSource[]> {
  const facets = await countFacet(searchIndex, access, {}, { field: 'source_type', size: MAX_SOURCES })
  const counts = facets.flatMap((it) => (it.field === 'source_type' ? it.values : []))
  return counts.map(({ value, count }) => ({ source: value, document_count: count }))
}

async function countFacet(
  searchIndex: Pick<SearchIndex, 'search'>,
  access: Access,
  filters: Filters,
  request: FacetRequest,
): Promise<readonly Facet[]> {
  // Sorting by time makes an empty query match all documents.
  const query = { text: '', access, filters, sort: 'newest', facets: [request], offset: 0, limit: 0 } as const
  return (await searchIndex.search(query)).facets
}
