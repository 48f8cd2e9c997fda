// Finds matched words in a text. Spans are offsets in UTF-16 code units, end exclusive, in ascending order.

export function findSpans(words: readonly string[], text: string): [number, number][] {
  const lower = lowerCaseSameLength(text)
  const wanted = new Set(words.map(lowerCaseSameLength).filter((it) => it.trim() !== ''))
  const found = [...wanted].flatMap((word) => findOccurrences(word, lower))
  // When two spans start together, the longer one wins.
  found.sort(([a, aEnd], [b, bEnd]) => a - b || bEnd - aEnd)
  let end = 0
  return found.filter(([from, to]) => {
    if (from < end) return false
    end = to
    return true
  })
}

/** Ignores case without changing offsets: characters whose lower-case form is longer stay as they are. */
function lowerCaseSameLength(text: string): string {
  const lower = text.toLowerCase()
  if (lower.length === text.length) return lower
  return [...text].map((it) => (it.toLowerCase().length === it.length ? it.toLowerCase() : it)).join('')
}

const ENDS_IN_WORD = /[\p{L}\p{N}]$/u
const BEGINS_WITH_WORD = /^[\p{L}\p{N}]/u

function findOccurrences(word: string, text: string): [number, number][] {
  const occurrences: [number, number][] = []
  for (let from = text.indexOf(word); from !== -1; from = text.indexOf(word, from + 1)) {
    const to = from + word.length
    const isWhole =
      !ENDS_IN_WORD.test(text.slice(Math.max(0, from - 2), from)) && !BEGINS_WITH_WORD.test(text.slice(to, to + 2))
    if (isWhole) occurrences.push([from, to])
  }
  return occurrences
}
