import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { buildSegment } from './build-segment.ts'
import { LiveSegment } from './live-segment.ts'
import { termsNear, termsWithPrefix } from './terms.ts'

const options = { b: 0.75, dimensions: [], averageLength: 0 }
const letter = fc.constantFrom('a', 'b', 'c', 'é', '中', '😀')
const word = fc.string({ unit: letter, minLength: 1, maxLength: 7 })
const corpus = fc.array(fc.array(word, { maxLength: 12 }), { minLength: 1, maxLength: 8 })

/** One segment per two texts. */
function segmentsOf(texts: readonly string[][]): LiveSegment[] {
  const groups = texts.map((terms, at) => ({
    key: `k${at}`,
    language: 'en',
    time: null,
    labels: [],
    entries: [{ fields: [{ terms, weight: 1 }], stored: '' }],
  }))
  const halves = [groups.slice(0, 2), groups.slice(2)].filter((it) => it.length > 0)
  return halves.map((some, id) => new LiveSegment(buildSegment({ id, ...options }, some)))
}

function countsOf(texts: readonly string[][]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const text of texts) for (const term of new Set(text)) counts.set(term, (counts.get(term) ?? 0) + 1)
  return counts
}

test('every term with the prefix is found, with the entries that hold it', () => {
  fc.assert(
    fc.property(corpus, fc.string({ unit: letter, maxLength: 3 }), (texts, prefix) => {
      const expected = [...countsOf(texts)].filter(([term]) => term.startsWith(prefix))
      const found = termsWithPrefix(segmentsOf(texts), prefix, 1000)
      assert.deepEqual(new Map(found.map((it) => [it.term, it.entries])), new Map(expected))
    }),
  )
})

test('terms near a word are those that the full table of distances says', () => {
  fc.assert(
    fc.property(corpus, word, fc.constantFrom(1 as const, 2 as const), (texts, wanted, maxEdits) => {
      const expected = [...countsOf(texts)]
        .map(([term, entries]) => ({ term, entries, edits: distance([...term], [...wanted]) }))
        .filter((it) => it.edits <= maxEdits)
      const byTerm = (a: { term: string }, b: { term: string }) => (a.term < b.term ? -1 : 1)
      const found = termsNear(segmentsOf(texts), wanted, maxEdits, 1000)
      assert.deepEqual(found.toSorted(byTerm), expected.sort(byTerm))
    }),
    { numRuns: 300 },
  )
})

/** Optimal string alignment, cell by cell. */
function distance(one: string[], other: string[]): number {
  const [rows, columns] = [one.length, other.length]
  const d = Array.from({ length: rows + 1 }, (_, i) => Array.from({ length: columns + 1 }, (_, j) => (i === 0 ? j : i)))
  for (let i = 1; i <= rows; i++) {
    for (let j = 1; j <= columns; j++) {
      const cost = one[i - 1] === other[j - 1] ? 0 : 1
      d[i]![j] = Math.min(d[i - 1]![j]! + 1, d[i]![j - 1]! + 1, d[i - 1]![j - 1]! + cost)
      const isExchange = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      if (isExchange) d[i]![j] = Math.min(d[i]![j]!, d[i - 2]![j - 2]! + 1)
    }
  }
  return d[rows]![columns]!
}
