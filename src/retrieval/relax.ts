// Finds the conditions that leave nothing: phrases that nothing contains are given up, other operators are named.
import type { SearchScope } from '../domain/search/query.ts'
import type { SearchIndex } from '../search-index/search-index.ts'
import type { ParsedQuery, QueryOperator } from './query/parse-query.ts'
import type { SearchQuery } from './ranking/candidates.ts'

/** More phrases or operators are not tried one by one, because each costs a search. */
const MAX_TRIED = 8

/**
 * Returns the query without the phrases that no document contains, or without all of them if the rest is never met
 * together. Documents count that the caller may read and that pass the filters of `scope`; other filters and conditions
 * do not matter here. If something meets all phrases, returns the query itself.
 */
export async function relaxPhrases(
  searchIndex: Pick<SearchIndex, 'search'>,
  query: SearchQuery,
  scope: SearchScope = {},
): Promise<SearchQuery> {
  const { phrases = [], ...withoutPhrases } = query
  const { access } = query
  const isMet = async (some: readonly string[]) =>
    (await searchIndex.search({ text: '', phrases: some, access, filters: scope, offset: 0, limit: 0 })).total > 0
  if (phrases.length === 0 || (await isMet(phrases))) return query
  const isEachTried = phrases.length > 1 && phrases.length <= MAX_TRIED
  const tries = await Promise.all(isEachTried ? phrases.map((it) => isMet([it])) : [])
  const met = phrases.filter((_, at) => tries[at])
  return met.length > 0 && met.length < phrases.length && (await isMet(met))
    ? { ...withoutPhrases, phrases: met }
    : withoutPhrases
}

/** The typed phrases that the query no longer has. */
export const droppedPhrases = ({ operators }: ParsedQuery, { phrases = [] }: SearchQuery): QueryOperator[] =>
  operators.filter((it) => it.kind === 'phrase' && !phrases.includes(it.value))

/**
 * The operators without which `isFound` would be true: each that is enough by itself, otherwise all of them if they are
 * enough together.
 */
export async function findBlockingOperators(
  input: string,
  operators: readonly QueryOperator[],
  isFound: (query: string) => Promise<boolean>,
): Promise<QueryOperator[]> {
  const tried = operators.slice(0, MAX_TRIED)
  const found = await Promise.all(tried.map((it) => isFound(withoutOperators(input, [it]))))
  if (found.includes(true)) return tried.filter((_, at) => found[at])
  return tried.length > 1 && (await isFound(withoutOperators(input, tried))) ? tried : []
}

/** The operators are in their order. */
const withoutOperators = (input: string, operators: readonly QueryOperator[]): string =>
  operators.reduceRight((text, { start, end }) => `${text.slice(0, start)} ${text.slice(end)}`, input)
