// Earlier expressions took minutes on these inputs: a test that does not finish has failed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMarkerScanner, type ScannedPiece } from './marker-scanner.ts'

/** The scanned text, with each marker shown as its numbers. */
function scanned(pieces: readonly string[]): string {
  const scanner = createMarkerScanner()
  const out: ScannedPiece[] = pieces.flatMap((it) => scanner.write(it))
  return [...out, ...scanner.end()].map((it) => (it.type === 'marker' ? `<${it.numbers}>` : it.text)).join('')
}

const SIZE = 200_000
const HOSTILE: [what: string, text: string][] = [
  ['words that begin like connectives', `See [A${'ETA'.repeat(30)}!`],
  ['spaces after a bracket', `[${' '.repeat(SIZE)}x`],
  ['spaces before a number', `[1${' '.repeat(SIZE)}x`],
  ['spaces after a hash', `[#${' '.repeat(SIZE)}x`],
  ['a line of spaces within code', `\`\`\`\n${' '.repeat(SIZE)}x`],
  ['unclosed ticks', '` '.repeat(SIZE)],
  ['brackets', '['.repeat(SIZE)],
]
for (const [what, text] of HOSTILE) {
  test(`${what} come out unchanged`, () => assert.equal(scanned([text]), text))
}

const MARKERS = [
  '[1] and [2, 3]',
  '[sources 1 and 2]',
  '[Documents: 1]',
  '[ #3 ]',
  '【4†travel policy】',
  '[1][2] [3]',
  '[1–3] [4 to 6]',
  '[Anna and 2 others]',
  '[1 et 2] [1 und 2]',
]
for (const text of MARKERS) {
  test(`"${text}" gives the same result in one piece and letter by letter`, () => {
    const whole = scanned([text])
    assert.equal(scanned([...text]), whole)
  })
}

test('a word that does not connect numbers does not start a marker', () => {
  const scanner = createMarkerScanner()
  assert.deepEqual(scanner.write('[12 monkeys'), [
    { type: 'text', text: '[' },
    { type: 'text', text: '12 monkeys' },
  ])
})

test('ten thousand adjacent markers are scanned in linear time', () => {
  const scanner = createMarkerScanner()
  for (let at = 0; at < 10_000; at++) {
    const held = scanner.write('[1]')
    if (held.length > 0) return
  }
  assert.fail('all of them are held')
})
