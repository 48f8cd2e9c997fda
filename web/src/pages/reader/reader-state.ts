// The URL of a document's text: the document, and the chunk or the section at which it opens.

export interface ReaderState {
  id: string
  chunk?: number
  section?: number
}

const MAX_NUMBER = 1_000_000

/** Parses the query string; invalid values are ignored. */
export function readReaderState(search: Record<string, unknown>): ReaderState {
  const id = typeof search.id === 'string' ? search.id : ''
  const [chunk, section] = [search.chunk, search.section].map(readNumber)
  if (section !== undefined) return { id, section }
  return chunk === undefined ? { id } : { id, chunk }
}

function readNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' || typeof value === 'number' ? Number(value) : Number.NaN
  return Number.isInteger(number) && number >= 0 && number <= MAX_NUMBER ? number : undefined
}
