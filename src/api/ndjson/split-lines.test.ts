import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { splitLines } from './split-lines.ts'

/** The lines as text, null for a line that is too long; the input is cut into chunks of this size. */
function split(text: string, pieceBytes = 1_000, maxBytes = 20): [number, string | null][] {
  const bytes = Buffer.from(text)
  const splitter = splitLines({ maxBytes })
  const pieces = Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, at) =>
    bytes.subarray(at * pieceBytes, (at + 1) * pieceBytes),
  )
  const lines = [...pieces.flatMap((it) => splitter.push(it)), ...splitter.end()]
  return lines.map((it) => [it.number, it.bytes === null ? null : it.bytes.toString()])
}

const CASES: [what: string, text: string, lines: [number, string | null][]][] = [
  ['nothing', '', []],
  ['a line without a break', 'a', [[1, 'a']]],
  [
    'line breaks of Windows',
    'a\r\nb\r\n',
    [
      [1, 'a'],
      [2, 'b'],
    ],
  ],
  [
    'blank lines, which count',
    'a\n\n \t\r\nb',
    [
      [1, 'a'],
      [4, 'b'],
    ],
  ],
  ['a byte order mark', '\ufeffa\n', [[1, 'a']]],
  ['nothing but a byte order mark', '\ufeff\n', []],
  [
    'a byte order mark that is content',
    'a\n\ufeffb',
    [
      [1, 'a'],
      [2, '\ufeffb'],
    ],
  ],
  ['a line of the longest length', `${'x'.repeat(20)}\r\n`, [[1, 'x'.repeat(20)]]],
  [
    'a line that is too long, and one after it',
    `${'x'.repeat(21)}\nb\n`,
    [
      [1, null],
      [2, 'b'],
    ],
  ],
  ['a last line that is too long', 'x'.repeat(1_000), [[1, null]]],
]
for (const [what, text, lines] of CASES) {
  for (const size of [1, 2, 3, 1_000]) {
    test(`${what}, in chunks of ${size}`, () => assert.deepEqual(split(text, size), lines))
  }
}

test('the lines do not depend on how the bytes are cut', () => {
  const text = fc.array(fc.constantFrom('a', '\n', '\r', ' ', 'é', '0123456789'), { maxLength: 60 })
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 9 }), (parts, size) => {
      assert.deepEqual(split(parts.join(''), size), split(parts.join('')))
    }),
  )
})

test('an endless line is not kept in memory', () => {
  const splitter = splitLines({ maxBytes: 1_000 })
  const piece = Buffer.alloc(1 << 16, 'x')
  const before = process.memoryUsage().arrayBuffers
  for (let round = 0; round < 2_000; round++) splitter.push(Buffer.from(piece))
  assert.ok(process.memoryUsage().arrayBuffers - before < 100 << 20)
  assert.deepEqual(splitter.end(), [{ number: 1, bytes: null }])
})
