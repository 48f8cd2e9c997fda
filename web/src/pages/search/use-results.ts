// One request for each search state; an older response never replaces a newer one.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { searchDocuments } from '../../../../src/client/operations.ts'
import type { SearchRequest, SearchResponse } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { timeZone } from '../../text/language.ts'
import { type SearchState, timeCutoff } from './search-state.ts'

export const PAGE_SIZE = 20
export type SearchResults = SearchResponse
export type FoldedHit = SearchResponse['results'][number]
/** A result, or a copy that is folded into one. */
export type Hit = Omit<FoldedHit, 'similar' | 'similar_count'>

export const withCopies = (found: SearchResults | undefined): Hit[] =>
  found?.results.flatMap((it) => [it, ...(it.similar ?? [])]) ?? []

export function useResults(state: SearchState) {
  const body = toSearchRequest(state)
  return useQuery({
    queryKey: ['search', body],
    queryFn: ({ signal }) => searchDocuments(api, { body, signal }),
    enabled: body.query !== '',
    // The previous results stay until new ones arrive, so nothing flickers during typing.
    placeholderData: (previous) => keepPreviousData(body.query === '' ? undefined : previous),
    staleTime: 30_000,
  })
}

export const toSearchRequest = ({
  q = '',
  source,
  author,
  set,
  tag,
  since,
  from,
  until,
  exact,
  any,
  sort,
  page = 1,
}: SearchState): SearchRequest => ({
  query: q.trim(),
  num_hits: PAGE_SIZE,
  offset: (page - 1) * PAGE_SIZE,
  sort: sort ?? 'relevance',
  tz: timeZone,
  facets: true,
  explain: true,
  fold_similar: true,
  // Every key press searches. `use-feedback.ts` records only searches that the user paused on or acted on.
  record: false,
  ...(source && { sources: source }),
  ...(author && { authors: author }),
  ...(set && { document_sets: set }),
  ...(tag && { tags: tag.map(parseTag) }),
  ...(from && { date_from: from }),
  ...(until && { date_until: until }),
  ...(exact && { correct_spelling: false, relax: false }),
  ...(any && { answers_only: false }),
  ...(since && { time_cutoff: timeCutoff(since, Date.now()) }),
})

/** Parses `key=value`. */
function parseTag(text: string): { tag_key: string; tag_value: string } {
  const at = text.indexOf('=')
  return at < 0 ? { tag_key: text, tag_value: '' } : { tag_key: text.slice(0, at), tag_value: text.slice(at + 1) }
}
