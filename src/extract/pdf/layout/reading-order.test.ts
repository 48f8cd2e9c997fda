// The order of lines keeps each word.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seeded } from '../../../../test/random.ts'
import type { PageLine } from './page-lines.ts'
import { inReadingOrder } from './reading-order.ts'

type Random = ReturnType<typeof seeded>

/** One to three columns, rows across them, wide lines, and lines anywhere. */
function randomPage(random: Random): PageLine[] {
  const columns = 1 + random.below(3)
  const width = 540 / columns
  return Array.from({ length: random.below(80) }, (_, at) => {
    const baseline = random.below(8) === 0 ? random.below(800) : 760 - (at % 50) * 12
    const count = random.below(6) === 0 ? 1 + random.below(columns + 2) : 1
    const first = random.below(columns) * width + random.below(5)
    const parts = Array.from({ length: count }, (_, part) => {
      const left = first + part * width
      const right = left + (random.below(40) === 0 ? random.below(600) : width - 14 - random.below(9))
      return { text: `w${random.below(200)} and ${at} more words of ${part}`, left, right }
    })
    return {
      text: parts.map((it) => it.text).join(' '),
      left: first,
      right: Math.max(...parts.map((it) => it.right)),
      baseline,
      size: 10,
      isBold: false,
      hasFixedWidth: false,
      isTurned: random.below(30) === 0,
      parts,
    }
  })
}

const wordsOf = (lines: readonly PageLine[]): string[] => lines.flatMap((it) => it.text.split(' ')).sort()

test('no order loses or repeats a word', () => {
  let changed = 0
  for (let seed = 0; seed < 2_000; seed++) {
    const lines = randomPage(seeded(seed))
    const ordered = inReadingOrder(lines)
    if (ordered !== lines) changed++
    assert.deepEqual(wordsOf(ordered), wordsOf(lines), `seed ${seed}`)
  }
  assert.ok(changed > 50, `only ${changed} pages have columns`)
})
