import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { buildSegment } from '../segment/build-segment.ts'
import { LiveSegment } from '../segment/live-segment.ts'
import type { PassageGroup } from '../segment/passage-group.ts'
import { findWords, type WordQuery } from './find-words.ts'

const options = { b: 0.75, dimensions: ['access'], averageLength: 0 }
const letter = fc.constantFrom('a', 'b', 'c', 'é', '中', '😀')
const word = fc.string({ unit: letter, minLength: 1, maxLength: 7 })
const isVisible = { weight: 3, arbitrary: fc.constant(true) }
const corpus = fc.array(
  fc.record({
    words: fc.array(word, { maxLength: 12 }),
    isVisible: fc.oneof(isVisible, fc.constant(false)),
    isDeleted: fc.oneof(isVisible, fc.constant(false)).map((it) => !it),
  }),
  { minLength: 1, maxLength: 8 },
)
type Text = { words: string[]; isVisible: boolean; isDeleted: boolean }

/** Words that differ only in their last letter share a term, and some words are terms themselves. */
const termsOf = (it: string): string[] => {
  const letters = [...it]
  const stem = letters.length > 2 ? letters.slice(0, -1).join('') : it
  return it.startsWith('c') ? [stem, `${stem}:c`] : [stem]
}

/** One segment per two texts. */
function segmentsOf(texts: readonly Text[]): LiveSegment[] {
  const groups = texts.map(
    ({ words, isVisible }, at): PassageGroup => ({
      key: `k${at}`,
      language: 'en',
      time: null,
      labels: [[isVisible ? 'public' : 'nobody']],
      passages: [{ fields: [{ terms: words.flatMap(termsOf), weight: 1 }], stored: JSON.stringify(words) }],
    }),
  )
  const words = texts.flatMap((it) => it.words).map((it) => ({ word: it, terms: termsOf(it) }))
  const halves = [groups.slice(0, 2), groups.slice(2)].filter((it) => it.length > 0)
  const segments = halves.map((some, id) => new LiveSegment(buildSegment({ id, ...options }, some, words)))
  for (const [at, { isDeleted }] of texts.entries()) {
    const live = segments[at < 2 ? 0 : 1]!
    if (isDeleted) live.applyDeletion(live.createDeletion([at < 2 ? at : at - 2]))
  }
  return segments
}

const readable = (texts: readonly Text[]) => texts.filter((it) => it.isVisible && !it.isDeleted)

function expected(texts: readonly Text[], editsOf: (word: string) => number | undefined, limit: number) {
  const visible = readable(texts)
  return [...new Set(visible.flatMap((it) => it.words))]
    .flatMap((it) => {
      const edits = editsOf(it)
      const holds = ({ words }: Text) => words.some((own) => termsOf(own).some((term) => termsOf(it).includes(term)))
      return edits === undefined
        ? []
        : [{ word: it, spelling: it.toUpperCase(), edits, groups: visible.filter(holds).length }]
    })
    .sort((a, b) => a.edits - b.edits || b.groups - a.groups || (a.word < b.word ? -1 : 1))
    .slice(0, limit)
}

const query = (match: WordQuery['match'], limit: number): WordQuery => ({
  match,
  filter: { labels: [{ dimension: 'access', any: ['public'] }] },
  limit,
  wordsFor(stored, _language, term) {
    // `segmentsOf` stored the text.
    const words = JSON.parse(stored) as string[]
    return words.filter((it) => termsOf(it).includes(term)).map((it) => ({ word: it, spelling: it.toUpperCase() }))
  },
})

const limit = fc.constantFrom(0, 1, 3, 1_000)

test('a prefix finds only words of visible passages, with the number of groups that contain a form of them', () => {
  fc.assert(
    fc.property(corpus, fc.string({ unit: letter, maxLength: 3 }), limit, (texts, prefix, most) => {
      const editsOf = (it: string) => (it.startsWith(prefix) ? 0 : undefined)
      assert.deepEqual(findWords(segmentsOf(texts), query({ prefix }, most)), expected(texts, editsOf, most))
    }),
    { numRuns: 300 },
  )
})

test('a fuzzy lookup finds the same words as a full edit distance table', () => {
  fc.assert(
    fc.property(corpus, word, fc.constantFrom(1 as const, 2 as const), limit, (texts, near, maxEdits, most) => {
      const editsOf = (it: string) => {
        const edits = distance([...it], [...near])
        return edits <= maxEdits ? edits : undefined
      }
      assert.deepEqual(findWords(segmentsOf(texts), query({ near, maxEdits }, most)), expected(texts, editsOf, most))
    }),
    { numRuns: 300 },
  )
})

/** Edit distance by optimal string alignment, cell by cell. */
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

test('a word is found among far more frequent forms of its term', () => {
  const texts = Array.from(
    { length: 40 },
    (_, at): Text => ({
      words: [at === 39 ? 'bobcé' : 'bobca'],
      isVisible: true,
      isDeleted: false,
    }),
  )
  const found = findWords(segmentsOf(texts), query({ near: 'bobé', maxEdits: 1 }, 3))
  assert.deepEqual(
    found.map((it) => it.word),
    ['bobcé'],
  )
})
