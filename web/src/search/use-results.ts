// One question to the service for each state of the search; an older answer never takes the place of a newer one.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { postSearch } from '../../../src/client/operations.ts'
import type { SearchRequest, SearchResponse } from '../../../src/client/schemas.ts'
import { api } from '../api.ts'
import { cutoffOf, type SearchState } from './search-state.ts'

export const PAGE_SIZE = 20
export type Found = SearchResponse
export type Hit = SearchResponse['results'][number]

const tz = Intl.DateTimeFormat().resolvedOptions().timeZone

export function useResults(state: SearchState) {
  const body = requestOf(state)
  return useQuery({
    queryKey: ['search', body],
    queryFn: ({ signal }) => postSearch(api, { body, signal }),
    enabled: body.query !== '',
    // What is shown stays until there is something newer: nothing flickers while somebody types.
    placeholderData: (previous) => keepPreviousData(body.query === '' ? undefined : previous),
    staleTime: 30_000,
  })
}

export const requestOf = ({ q = '', source, author, set, tag, since, sort, page = 1 }: SearchState): SearchRequest => ({
  query: q.trim(),
  num_hits: PAGE_SIZE,
  offset: (page - 1) * PAGE_SIZE,
  sort: sort ?? 'relevance',
  tz,
  facets: true,
  explain: true,
  // What is typed is asked at each key: `use-feedback.ts` says which of it was meant.
  record: false,
  ...(source && { sources: source }),
  ...(author && { authors: author }),
  ...(set && { document_sets: set }),
  ...(tag && { tags: tag.map(tagOf) }),
  ...(since && { time_cutoff: cutoffOf(since, Date.now()) }),
})

/** As the facet has it: `key=value`. */
function tagOf(text: string): { tag_key: string; tag_value: string } {
  const at = text.indexOf('=')
  return at < 0 ? { tag_key: text, tag_value: '' } : { tag_key: text.slice(0, at), tag_value: text.slice(at + 1) }
}
