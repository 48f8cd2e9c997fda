// Reads the body of POST /.search.
import { invalidValue, readAttributes } from './attributes.ts'

const MAX_FILTER_TEXT = 16_000
const MAX_NAMES = 100
const MAX_NAME = 200
const MAX_NUMBER = 1_000_000_000

export interface SearchRequest {
  filter: string | null
  startIndex: number | null
  count: number | null
  /** Names with commas between them. */
  attributes: string | null
  excludedAttributes: string | null
}

export function readSearch(body: unknown): SearchRequest {
  const sent = readAttributes(body, 'The search')
  const filter = sent.get('filter') ?? null
  if (filter !== null && (typeof filter !== 'string' || filter.length > MAX_FILTER_TEXT))
    throw invalidValue('`filter` must be a text.')
  return {
    filter,
    startIndex: readNumber(sent.get('startindex'), 'startIndex'),
    count: readNumber(sent.get('count'), 'count'),
    attributes: readNames(sent.get('attributes'), 'attributes'),
    excludedAttributes: readNames(sent.get('excludedattributes'), 'excludedAttributes'),
  }
}

function readNumber(value: unknown, name: string): number | null {
  if (value === undefined || value === null) return null
  if (typeof value !== 'number' || !Number.isInteger(value) || Math.abs(value) > MAX_NUMBER)
    throw invalidValue(`\`${name}\` must be a whole number.`)
  return value
}

function readNames(value: unknown, name: string): string | null {
  if (value === undefined || value === null) return null
  const names: unknown[] = [value].flat()
  if (names.length > MAX_NAMES || !names.every((it) => typeof it === 'string' && it.length <= MAX_NAME))
    throw invalidValue(`\`${name}\` must be a list of names.`)
  return names.join(',')
}
