// Combines the parsed query with the selected filters into a query for the index.
import type { Filters } from '../../domain/search/query.ts'
import type { SearchQuery } from '../ranking/candidates.ts'
import type { ParsedQuery } from './parse-query.ts'

/** `documentSetPairs` are the cc-pairs of the document sets in the query; absent if the query names none. */
export function buildSearchQuery(
  parsed: ParsedQuery,
  { access, filters }: Pick<SearchQuery, 'access' | 'filters'>,
  documentSetPairs: readonly number[] | undefined,
): SearchQuery {
  const { text, phrases, excluded, title } = parsed
  return {
    text,
    access,
    filters: mergeFilters(parsed, filters, documentSetPairs),
    ...(phrases.length > 0 && { phrases }),
    ...(excluded.length > 0 && { excluded }),
    ...(title.length > 0 && { titleWords: title }),
  }
}

/**
 * Typed and selected filters both apply. For tags and authors, the index matches any item of a list, so the lists are
 * joined.
 */
function mergeFilters(typed: ParsedQuery, chosen: Filters, documentSetPairs: readonly number[] | undefined): Filters {
  const { source_types, cc_pair_ids, tags, authors, updated_from, updated_until, ...others } = chosen
  const sources =
    typed.sources.length > 0 ? [...new Set(typed.sources.flatMap((it) => [it, it.toLowerCase()]))] : undefined
  return {
    ...others,
    ...optional('source_types', intersect(source_types, sources)),
    ...optional('cc_pair_ids', intersect(cc_pair_ids, documentSetPairs)),
    ...optional('tags', union(tags, typed.tags)),
    ...optional('authors', union(authors, typed.authors)),
    ...optional('updated_from', latest(updated_from, typed.updated_from)),
    ...optional('updated_until', earliest(updated_until, typed.updated_until)),
  }
}

const optional = <Key extends string, Value>(key: Key, value: Value | undefined): { [key in Key]?: Value } =>
  value === undefined ? {} : ({ [key]: value } as { [key in Key]: Value })

const intersect = <T>(one: readonly T[] | undefined, other: readonly T[] | undefined): readonly T[] | undefined =>
  one === undefined || other === undefined ? (one ?? other) : one.filter((it) => other.includes(it))

const union = <T>(chosen: readonly T[] | undefined, typed: readonly T[]): readonly T[] | undefined =>
  typed.length === 0 ? chosen : [...(chosen ?? []), ...typed]

const latest = (one: number | undefined, other: number | null): number | undefined =>
  one === undefined || other === null ? (one ?? other ?? undefined) : Math.max(one, other)

const earliest = (one: number | undefined, other: number | null): number | undefined =>
  one === undefined || other === null ? (one ?? other ?? undefined) : Math.min(one, other)
