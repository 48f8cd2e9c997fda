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
  if (search.sort === 'date') state.sort = 'date'
  const page = Number(search.page)
  if (Number.isInteger(page) && page > 1 && page <= MAX_PAGE) state.page = page
  if (typeof search.doc === 'string' || typeof search.doc === 'number') state.doc = String(search.doc)
  return state
}

export const isFiltered = (state: SearchState): boolean =>
  state.since !== undefined || LIST_FACETS.some((it) => state[it] !== undefined)

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
