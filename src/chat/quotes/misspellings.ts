// Finds the words of the passages that a misspelt word of the question probably means.
import type { QuestionWord } from './question.ts'

/** Shorter words have too many neighbours. */
const MIN_LENGTH = 5
const MIN_LENGTH_FOR_TWO = 8
const MAX_LENGTH = 40

/** Adds the terms of similar words to the words that no passage contains. Words with digits are never corrected. */
export function addSimilarTerms(words: readonly QuestionWord[], vocabulary: ReadonlySet<string>): QuestionWord[] {
  return words.map((word) => {
    if (word.terms.some((it) => vocabulary.has(it))) return word
    const similar = word.terms.flatMap((it) => similarTerms(it, vocabulary))
    const parts = word.parts.map((part) =>
      part.some((it) => vocabulary.has(it)) ? part : [...part, ...part.flatMap((it) => similarTerms(it, vocabulary))],
    )
    return { ...word, terms: [...word.terms, ...similar], parts }
  })
}

function similarTerms(term: string, vocabulary: ReadonlySet<string>): string[] {
  if (term.length < MIN_LENGTH || term.length > MAX_LENGTH || /\d/.test(term)) return []
  const most = term.length < MIN_LENGTH_FOR_TWO ? 1 : 2
  return [...vocabulary].filter(
    (it) => Math.abs(it.length - term.length) <= most && it[0] === term[0] && editDistance(term, it) <= most,
  )
}

/** Insertions, deletions, replacements and exchanges of neighbours. */
function editDistance(one: string, other: string): number {
  let before: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let row = 1; row <= one.length; row++) {
    const next = [row]
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1]
      let cost = Math.min(at(last, column) + 1, at(next, column - 1) + 1, at(last, column - 1) + (isSame ? 0 : 1))
      if (row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1])
        cost = Math.min(cost, at(before, column - 2) + 1)
      next.push(cost)
    }
    before = last
    last = next
  }
  return at(last, other.length)
}

const at = (row: readonly number[], column: number): number => row[column] ?? Number.POSITIVE_INFINITY
