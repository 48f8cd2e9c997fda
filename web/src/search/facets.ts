// Counts by source, author, set, tag and time, in the words of the address; none where the service counts none.
import { LISTS, type ListName, type SearchState } from './search-state.ts'
import type { Found } from './use-results.ts'

export interface FacetValue {
  value: string
  /** Undefined where it is not among the most frequent. */
  count: number | undefined
}

export interface FacetGroup {
  name: ListName
  values: FacetValue[]
  isLowerBound: boolean
}

const FIELDS = { source: 'source_type', author: 'author', set: 'document_set', tag: 'tag' } as const

/** What is chosen stays in the list, also when nothing is left of it. */
export function facetGroups(found: Found | undefined, state: SearchState): FacetGroup[] {
  return LISTS.flatMap((name) => {
    const facet = found?.facets?.find((it) => it.field === FIELDS[name])
    const values: FacetValue[] = facet?.values ?? []
    const missing = (state[name] ?? []).filter((it) => !values.some(({ value }) => value === it))
    const all = [...missing.map((value) => ({ value, count: undefined })), ...values]
    return all.length === 0 ? [] : [{ name, values: all, isLowerBound: facet?.count_relation === 'gte' }]
  })
}

/** By span: `day`, `week`, `month`, `year`. */
export const timeCounts = (found: Found | undefined): Map<string, number> =>
  new Map(found?.facets?.find((it) => it.field === 'time')?.values.map((it) => [it.value, it.count]))
