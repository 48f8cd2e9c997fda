// Facets as the engine counts them: labels of a dimension, or spans of time.
import type { FacetRequest, Filters, Tag } from '../domain/query.ts'
import type { Filter } from '../engine/mask.ts'
import type { FacetRequest as EngineFacet, FacetCounts } from '../engine/search.ts'
import type { Facet } from './search-index.ts'
import { OWN_FILTERS, widened } from './widened.ts'

/** A facet whose field has no filter keeps `filter` itself, which the engine has masks for already. */
export function facetRequestsOf(
  facets: readonly FacetRequest[],
  filter: Filter,
  filters: Filters,
  filterOf: (filters: Filters) => Filter,
): EngineFacet[] {
  return facets.map((facet) => {
    const hasOwn = OWN_FILTERS[facet.field].some((it) => filters[it] !== undefined)
    const own = hasOwn ? filterOf(widened(filters, facet.field)) : filter
    if (facet.field !== 'time') return { filter: own, dimension: DIMENSION[facet.field], size: facet.size }
    const spans = facet.spans.map(({ from = -Infinity, until = Infinity }) => ({ from, until }))
    return { filter: own, spans }
  })
}

const DIMENSION = { source_type: 'source', author: 'author', cc_pair: 'pair', tag: 'tag' } as const

export const facetsOf = (asked: readonly FacetRequest[], counts: readonly FacetCounts[]): Facet[] =>
  asked.map((facet, at) => facetOf(facet, counts[at]!))

function facetOf(facet: FacetRequest, { labels, spans, isExact }: FacetCounts): Facet {
  const count_relation = isExact ? 'eq' : 'gte'
  const values = labels.map(({ label, count }) => ({ value: label, count }))
  switch (facet.field) {
    case 'time':
      return {
        field: facet.field,
        values: facet.spans.map(({ value }, at) => ({ value, count: spans[at]! })),
        count_relation,
      }
    case 'cc_pair':
      return { field: facet.field, values: values.map((it) => ({ ...it, value: Number(it.value) })), count_relation }
    case 'tag':
      return { field: facet.field, values: values.map((it) => ({ ...it, value: tagOf(it.value) })), count_relation }
    default:
      return { field: facet.field, values, count_relation }
  }
}

/** What `tagLabel` made. */
function tagOf(label: string): Tag {
  const [tag_key, tag_value] = JSON.parse(label) as [string, string]
  return { tag_key, tag_value }
}
