// Facet counts by source, author, document set, tag and time, with the names used in the URL.
import type { SearchResponse } from '../../../../src/client/schemas.ts'
import { LIST_FACETS, type ListFacet, type SearchState } from './search-state.ts'

type SearchResults = SearchResponse

export interface FacetValue {
  value: string
  /** Undefined when the value is not among the most frequent ones. */
  count: number | undefined
}

export interface FacetGroup {
  name: ListFacet
  /** Set for tags, which are grouped by key. */
  key?: string
  values: FacetValue[]
  isLowerBound: boolean
}

const FIELDS = { source: 'source_type', author: 'author', set: 'document_set', tag: 'tag' } as const

/** Selected values stay in the list even when no result has them. */
export function facetGroups(found: SearchResults | undefined, state: SearchState): FacetGroup[] {
  return LIST_FACETS.flatMap((name): FacetGroup[] => {
    const facet = found?.facets?.find((it) => it.field === FIELDS[name])
    const values: FacetValue[] = facet?.values ?? []
    const missing = (state[name] ?? []).filter((it) => !values.some(({ value }) => value === it))
    const all = [...missing.map((value) => ({ value, count: undefined })), ...values]
    const isLowerBound = facet?.count_relation === 'gte'
    if (name === 'tag')
      return tagGroups(all, new Set(state.tag), found?.total ?? 0).map((it) => ({ ...it, name, isLowerBound }))
    return all.length === 0 ? [] : [{ name, values: all, isLowerBound }]
  })
}

const MAX_KEYS = 6
/** A key whose values are shared by fewer documents on average, such as a path, names documents instead of dividing them. */
const MIN_DOCUMENTS_PER_VALUE = 2

/** Groups tags by key, most documents first, and drops keys that do not divide the results. */
function tagGroups(
  values: readonly FacetValue[],
  chosen: ReadonlySet<string>,
  total: number,
): { key: string; values: FacetValue[] }[] {
  const byKey = Map.groupBy(values, ({ value }) => value.slice(0, Math.max(value.indexOf('='), 0)))
  const groups = [...byKey].map(([key, own]) => ({ key, values: own }))
  const sum = (own: readonly FacetValue[]) => own.reduce((all, it) => all + (it.count ?? 0), 0)
  return groups
    .filter(({ values: own }) => own.some((it) => chosen.has(it.value)) || dividesResults(own, total))
    .sort((a, b) => sum(b.values) - sum(a.values))
    .slice(0, MAX_KEYS)
}

function dividesResults(values: readonly FacetValue[], total: number): boolean {
  const counts = values.map((it) => it.count ?? 0)
  const sum = counts.reduce((all, it) => all + it, 0)
  if (sum < MIN_DOCUMENTS_PER_VALUE * values.length) return false
  return counts.some((it) => it < total)
}

/** The value of a tag without its key. */
export const valueLabel = ({ key }: FacetGroup, value: string): string =>
  key === undefined ? value : value.slice(value.indexOf('=') + 1)

/** Keyed by time span: `day`, `week`, `month`, `year`. */
export const timeCounts = (found: SearchResults | undefined): Map<string, number> =>
  new Map(found?.facets?.find((it) => it.field === 'time')?.values.map((it) => [it.value, it.count]))

/** Counts of results outside the selectable time spans, so that the counts add up to the total. */
export function outsideSpans(found: SearchResults | undefined): { older: number; undated: number } {
  const counts = timeCounts(found)
  const older = counts.get('older') ?? 0
  const undated = (found?.total ?? 0) - older - (counts.get('year') ?? 0)
  const isKnown = found?.facets != null && found.total_relation === 'eq'
  return isKnown ? { older, undated: Math.max(0, undated) } : { older: 0, undated: 0 }
}
