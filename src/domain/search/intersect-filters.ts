// Combines filters (AND): a document must meet all of them.
import type { Filters } from './query.ts'

/**
 * Tags and authors are not among them: an author's name can match by a part of it, so the intersection of two lists
 * would lose documents that meet both.
 */
type FilterLimits = {
  [Field in 'source_types' | 'cc_pair_ids' | 'updated_from' | 'updated_until']?: Filters[Field] | undefined
}

export function intersectFilters(filters: Filters, limits: FilterLimits): Filters {
  const source_types = intersectLists(filters.source_types, limits.source_types)
  const cc_pair_ids = intersectLists(filters.cc_pair_ids, limits.cc_pair_ids)
  const updated_from = latest(filters.updated_from, limits.updated_from)
  const updated_until = earliest(filters.updated_until, limits.updated_until)
  return {
    ...filters,
    ...(source_types !== undefined && { source_types }),
    ...(cc_pair_ids !== undefined && { cc_pair_ids }),
    ...(updated_from !== undefined && { updated_from }),
    ...(updated_until !== undefined && { updated_until }),
  }
}

/** The values of `one` that `other` has, too; values with the same key are the same. An absent list is no condition. */
export function intersectLists<T>(
  one: readonly T[] | undefined,
  other: readonly T[] | undefined,
  keyOf: (it: T) => unknown = (it) => it,
): readonly T[] | undefined {
  if (one === undefined || other === undefined) return one ?? other
  const keys = new Set(other.map(keyOf))
  return one.filter((it) => keys.has(keyOf(it)))
}

const latest = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.max(one, other)

const earliest = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.min(one, other)
