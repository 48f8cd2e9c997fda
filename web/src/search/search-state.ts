// What is asked stands in the address, all of it: a search can be sent to somebody else.

export const SINCE = { day: 'Past day', week: 'Past week', month: 'Past month', year: 'Past year' } as const
export type Since = keyof typeof SINCE
/** Facets whose values are texts; a tag is `key=value`. */
export const LISTS = ['source', 'author', 'set', 'tag'] as const
export type ListName = (typeof LISTS)[number]

export interface SearchState {
  q?: string
  source?: string[]
  author?: string[]
  set?: string[]
  tag?: string[]
  since?: Since
  sort?: 'date'
  /** From 1. */
  page?: number
  /** The document in the preview. */
  doc?: string
}

const MAX_PAGE = 500

/** Whatever stands in the address: what makes no sense is left out. */
export function readSearchState(search: Record<string, unknown>): SearchState {
  const state: SearchState = {}
  if (typeof search.q === 'string' || typeof search.q === 'number') state.q = String(search.q)
  for (const name of LISTS) {
    const values = [search[name]].flat().filter((it) => typeof it === 'string' || typeof it === 'number')
    if (values.length > 0) state[name] = values.map(String)
  }
  if (typeof search.since === 'string' && search.since in SINCE) state.since = search.since as Since
  if (search.sort === 'date') state.sort = 'date'
  const page = Number(search.page)
  if (Number.isInteger(page) && page > 1 && page <= MAX_PAGE) state.page = page
  if (typeof search.doc === 'string' || typeof search.doc === 'number') state.doc = String(search.doc)
  return state
}

export const isFiltered = (state: SearchState): boolean =>
  state.since !== undefined || LISTS.some((it) => state[it] !== undefined)

export function toggled(state: SearchState, name: ListName, value: string): SearchState {
  const { [name]: before = [], page: _, doc: __, ...rest } = state
  const after = before.includes(value) ? before.filter((it) => it !== value) : [...before, value]
  return after.length === 0 ? rest : { ...rest, [name]: after }
}

const DAY_MS = 86_400_000
const DAYS: Record<Since, number> = { day: 1, week: 7, month: 30, year: 365 }
const HOUR_MS = 3_600_000

/** To the hour, so that the same question is the same question for a while. */
export function cutoffOf(since: Since, now: number): string {
  const at = now - DAYS[since] * DAY_MS
  return new Date(Math.floor(at / HOUR_MS) * HOUR_MS).toISOString()
}
