import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { DictionaryWriter } from '../codec/dictionary.ts'
import { encodeSorted } from '../codec/text-encoding.ts'
import { fuzzyMatches } from './fuzzy-matches.ts'

function dictionaryOf(strings: Iterable<string>) {
  const writer = new DictionaryWriter()
  for (const it of encodeSorted(new Set(strings))) writer.add(it)
  return { bytes: writer.bytes.view(), blocks: Uint32Array.from(writer.blocks.view()), size: writer.size }
}

/** Optimal string alignment, with the whole table. */
function distance(one: string, other: string): number {
  const [a, b] = [[...one], [...other]]
  const rows = Array.from({ length: a.length + 1 }, (_, i) =>
    Array.from({ length: b.length + 1 }, (_, j) => (i === 0 ? j : i)),
  )
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      let least = Math.min(rows[i - 1]![j]! + 1, rows[i]![j - 1]! + 1, rows[i - 1]![j - 1]! + cost)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, rows[i - 2]![j - 2]! + 1)
      rows[i]![j] = least
    }
  }
  return rows[a.length]![b.length]!
}

const letters = fc.constantFrom('a', 'b', 'c', 'é', '東', '😀')
const word = fc.array(letters, { maxLength: 9 }).map((it) => it.join(''))

test('the matches are those of a comparison with every string, in the order of the dictionary', () =>
  fc.assert(
    fc.property(
      fc.array(word, { maxLength: 300 }),
      word,
      fc.constantFrom(1 as const, 2 as const),
      (strings, near, most) => {
        const sorted = encodeSorted(new Set(strings)).map((it) => new TextDecoder().decode(it))
        const expected = sorted.flatMap((text, ordinal) => {
          const edits = distance(near, text)
          return edits <= most ? [{ text, ordinal, edits }] : []
        })
        assert.deepEqual([...fuzzyMatches(dictionaryOf(strings), near, most)], expected)
      },
    ),
    { numRuns: 400 },
  ))

test('long runs of strings with the same dead prefix are passed', () => {
  const far = Array.from({ length: 500 }, (_, at) => `xyzzy${String(at).padStart(4, '0')}`)
  const found = [...fuzzyMatches(dictionaryOf(['wolf', ...far, 'zwolf', 'zzz']), 'wolf', 1)]
  assert.deepEqual(found, [
    { text: 'wolf', ordinal: 0, edits: 0 },
    { text: 'zwolf', ordinal: 501, edits: 1 },
  ])
})
