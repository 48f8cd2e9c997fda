import type { FacetField, Filters } from '../domain/search/query.ts'

/** The filters that a facet ignores when it counts, so that it shows the other values as well. */
export const OWN_FILTERS: Record<FacetField, readonly (keyof Filters)[]> = {
  source_type: ['source_types'],
  author: ['authors'],
  cc_pair: ['cc_pair_ids'],
  tag: ['tags'],
  time: ['updated_from', 'updated_until'],
}

export function withoutOwnFilter(filters: Filters, field: FacetField): Filters {
  const others = { ...filters }
  for (const own of OWN_FILTERS[field]) delete others[own]
  return others
}
