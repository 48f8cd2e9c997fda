// Identifies a search: two searches with the same key have the same result while neither the index nor the record
// changes.
import type { RetrievalRequest } from './retrieve.ts'

/** Contains the whole subject and its access list, so that no two persons and no two access lists share a key. */
export const requestKey = (request: RetrievalRequest): string =>
  JSON.stringify(sortedEntries(request), (_, value: unknown) =>
    isPlain(value) ? sortedEntries(value) : replace(value),
  )

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** Sorted, so that the order in which fields were set does not matter. */
const sortedEntries = (value: object): unknown[] =>
  Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))

let unknowns = 0

/** JSON knows neither sets nor infinite numbers. An object of another class gets a key of its own, so nothing is shared. */
function replace(value: unknown): unknown {
  if (value instanceof Set) return ['set', ...[...value].map(String).sort()]
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return `unknown ${++unknowns}`
  return typeof value === 'number' && !Number.isFinite(value) ? `number ${value}` : value
}
