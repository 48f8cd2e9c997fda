// Maps facets to the engine's label counts and time ranges, and back.
import type { FacetRequest, Filters, Tag } from '../../domain/search/query.ts'
import type { Filter } from '../../engine/query/filter-mask.ts'
import type { FacetRequest as EngineFacet, FacetCounts } from '../../engine/query/text-search.ts'
import { OWN_FILTERS, withoutOwnFilter } from '../facet-filters.ts'
import type { Facet } from '../search-index.ts'

/** A facet whose field has no filter uses `filter` itself, whose masks the engine has already computed. */
export function toEngineFacets(
  facets: readonly FacetRequest[],
  filter: Filter,
  filters: Filters,
  filterOf: (filters: Filters) => Filter,
): EngineFacet[] {
  return facets.map((facet) => {
    const hasOwn = OWN_FILTERS[facet.field].some((it) => filters[it] !== undefined)
    const own = hasOwn ? filterOf(withoutOwnFilter(filters, facet.field)) : filter
    if (facet.field !== 'time') return { filter: own, dimension: DIMENSION[facet.field], size: facet.size }
    const spans = facet.spans.map(({ from = -Infinity, until = Infinity }) => ({ from, until }))
    return { filter: own, spans }
  })
}

const DIMENSION = { source_type: 'source', author: 'author', cc_pair: 'pair', tag: 'tag' } as const

export const fromEngineFacets = (requests: readonly FacetRequest[], counts: readonly FacetCounts[]): Facet[] =>
  requests.map((facet, at) => fromEngineFacet(facet, counts[at]!))

function fromEngineFacet(facet: FacetRequest, { labels, spans, isExact }: FacetCounts): Facet {
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
      return {
        field: facet.field,
        values: values.map((it) => ({ ...it, value: parseTagLabel(it.value) })),
        count_relation,
      }
    default:
      return { field: facet.field, values, count_relation }
  }
}

/** The inverse of `tagLabel`. */
function parseTagLabel(label: string): Tag {
  const [tag_key, tag_value]: [string, string] = JSON.parse(label)
  return { tag_key, tag_value }
}
