// The URL holds the complete search state, so a search can be shared as a link.

/** Time spans that end now. */
export const SINCES = ['day', 'week', 'month', 'year'] as const
export type Since = (typeof SINCES)[number]
/** Facets with string values; a tag is `key=value`. */
export const LIST_FACETS = ['source', 'author', 'set', 'tag'] as const
export type ListFacet = (typeof LIST_FACETS)[number]

export interface SearchState {
  q?: string
  source?: string[]
  author?: string[]
  set?: string[]
  tag?: string[]
  since?: Since
  /** Days such as 2026-05-31, both inclusive; they take the place of `since`. */
  from?: string
  until?: string
  /** The query is searched as it is typed: its spelling is not corrected, and its phrases are not given up. */
  exact?: true
  /** Results are shown even if nothing answers the query. */
  any?: true
  sort?: 'date'
  /** Starts at 1. */
  page?: number
  /** The id of the document in the preview. */
  doc?: string
}

const MAX_PAGE = 500

/** Parses the query string; invalid values are ignored. */
export function readSearchState(search: Record<string, unknown>): SearchState {
  const state: SearchState = {}
  if (typeof search.q === 'string' || typeof search.q === 'number') state.q = String(search.q)
  for (const name of LIST_FACETS) {
    const values = [search[name]].flat().filter((it) => typeof it === 'string' || typeof it === 'number')
    if (values.length > 0) state[name] = values.map(String)
  }
  const since = SINCES.find((it) => it === search.since)
  if (since !== undefined) state.since = since
  else for (const name of ['from', 'until'] as const) if (isDay(search[name])) state[name] = search[name]
  if (search.exact === 'true' || search.exact === true) state.exact = true
  if (search.any === 'true' || search.any === true) state.any = true
  if (search.sort === 'date') state.sort = 'date'
  const page = Number(search.page)
  if (Number.isInteger(page) && page > 1 && page <= MAX_PAGE) state.page = page
  if (typeof search.doc === 'string' || typeof search.doc === 'number') state.doc = String(search.doc)
  return state
}

/** February 30 is no day. */
const isDay = (it: unknown): it is string =>
  typeof it === 'string' && /^\d{4}-\d\d-\d\d$/.test(it) && !Number.isNaN(Date.parse(it)) && toDay(it) === it
const toDay = (it: string): string => new Date(Date.parse(it)).toISOString().slice(0, 10)

const FILTERS = [...LIST_FACETS, 'since', 'from', 'until'] as const
export const isFiltered = (state: SearchState): boolean => FILTERS.some((it) => state[it] !== undefined)

export function withoutFilters(state: SearchState): SearchState {
  const { page: _, doc: __, ...rest } = state
  for (const name of FILTERS) delete rest[name]
  return rest
}

/** Null removes the bound. */
export function withDay(state: SearchState, name: 'from' | 'until', day: string | null): SearchState {
  const { [name]: _, since: __, page: ___, doc: ____, ...rest } = state
  return day !== null && isDay(day) ? { ...rest, [name]: day } : rest
}

/** Null removes the limit. */
export function withSince(state: SearchState, since: Since | null): SearchState {
  const { since: _, from: __, until: ___, page: ____, doc: _____, ...rest } = state
  return since === null ? rest : { ...rest, since }
}

export function toggleFacet(state: SearchState, name: ListFacet, value: string): SearchState {
  const { [name]: before = [], page: _, doc: __, ...rest } = state
  const after = before.includes(value) ? before.filter((it) => it !== value) : [...before, value]
  return after.length === 0 ? rest : { ...rest, [name]: after }
}

const DAY_MS = 86_400_000
const DAYS: Record<Since, number> = { day: 1, week: 7, month: 30, year: 365 }
const HOUR_MS = 3_600_000

/** Rounded down to the hour, so that repeated searches share a query key. */
export function timeCutoff(since: Since, now: number): string {
  const at = now - DAYS[since] * DAY_MS
  return new Date(Math.floor(at / HOUR_MS) * HOUR_MS).toISOString()
}
