// Combines the parsed query with the selected filters into a query for the index.
import { intersectFilters } from '../../domain/search/intersect-filters.ts'
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
  const sources = typed.sources.flatMap((it) => [it, it.toLowerCase()])
  const tags = union(chosen.tags, typed.tags)
  const authors = union(chosen.authors, typed.authors)
  return {
    ...intersectFilters(chosen, {
      source_types: sources.length > 0 ? [...new Set(sources)] : undefined,
      cc_pair_ids: documentSetPairs,
      updated_from: typed.updated_from ?? undefined,
      updated_until: typed.updated_until ?? undefined,
    }),
    ...(tags !== undefined && { tags }),
    ...(authors !== undefined && { authors }),
  }
}

const union = <T>(chosen: readonly T[] | undefined, typed: readonly T[]): readonly T[] | undefined =>
  typed.length === 0 ? chosen : [...(chosen ?? []), ...typed]
