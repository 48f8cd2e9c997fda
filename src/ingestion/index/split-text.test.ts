import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { splitText } from './split-text.ts'

const LIMIT = 2_000
const split = (text: string, limit = LIMIT) => [...splitText(text, limit)]
const words = (text: string) => text.replace(/\s+/g, '')

const row = (at: number) => `Lamp ${at} | Brass. Polished | ${at * 10}`
const rows = (count: number) => Array.from({ length: count }, (_, at) => row(at)).join('\n')
const MARKED = '| Name | Material | Price |'

test('each piece of a table begins with its header and has whole rows', () => {
  const pieces = split(`${MARKED}\n${rows(500)}`)
  assert.ok(pieces.length > 4)
  for (const piece of pieces) {
    const [first, ...own] = piece.split('\n')
    assert.equal(first, MARKED)
    assert.ok(own.every((it) => /^Lamp \d+ \| Brass\. Polished \| \d+$/.test(it)))
    assert.ok(piece.length <= LIMIT)
  }
  assert.equal(pieces.flatMap((it) => it.split('\n').slice(1)).join('\n'), rows(500))
})

test('text around a table has no header of it', () => {
  const before = 'A sentence before. '.repeat(80).trim()
  const pieces = split(`${before}\n\n${MARKED}\n${rows(100)}\n\n${'A sentence after. '.repeat(200)}`)
  assert.equal(pieces[0], before)
  assert.equal(pieces.at(-1)?.includes('|'), false)
  assert.ok(pieces[2]?.startsWith(`${MARKED}\n`))
})

test('a header that is not marked is repeated between bars', () => {
  const [, second] = split(`Name | Material | Price\n${rows(200)}`)
  assert.equal(second?.split('\n')[0], MARKED)
})

test('a Markdown table is repeated with its line of dashes', () => {
  const text = `| Name | Price |\n|---|--:|\n${Array.from({ length: 300 }, (_, at) => `| Lamp | ${at} |`).join('\n')}`
  const [first, second] = split(text)
  assert.ok(first?.startsWith('| Name | Price |\n|---|--:|\n| Lamp | 0 |'))
  assert.ok(second?.startsWith('| Name | Price |\n| --- | --- |\n| Lamp | '))
})

test('a row that is longer than a piece has its header once, and the next row has it again', () => {
  const pieces = split(`${MARKED}\nLamp | ${'x '.repeat(2_000)}| 1\n${row(2)}\n${rows(3)}`)
  assert.deepEqual(
    pieces.map((it) => it.startsWith(MARKED)),
    [true, false, false, true],
  )
  assert.equal(pieces.at(-1), `${MARKED}\n${row(2)}\n${rows(3)}`)
})

test('a header is never alone at the end of a piece', () => {
  for (let length = 1_900; length < 2_000; length++) {
    const pieces = split(`${'x'.repeat(length)}\n${MARKED}\n${rows(100)}`)
    assert.ok(pieces.every((it) => !it.endsWith(MARKED)))
  }
})

const BREAKS = [/\n\s*\n/g, /[.!?]["')\]]*\s|[。！？]|\n/g, /\s/g]

/** How text was cut before tables were known. */
function splitPlain(text: string): string[] {
  const pieces: string[] = []
  let start = 0
  while (text.length - start > LIMIT) {
    const half = text.slice(start + LIMIT / 2, start + LIMIT)
    const ends = BREAKS.map((it) => [...half.matchAll(it)].at(-1)).map((it) => it && it.index + it[0].length)
    const hard = /[\ud800-\udbff]/.test(text.charAt(start + LIMIT - 1)) ? LIMIT - 1 : LIMIT
    const found = ends.find((it) => it)
    const end = start + (found ? LIMIT / 2 + found : hard)
    pieces.push(text.slice(start, end).trim())
    start = end
  }
  return [...pieces, text.slice(start).trim()].filter((it) => it !== '')
}

const textWith = (parts: string[]) =>
  fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 6_000 }),
    fc.array(fc.constantFrom(...parts), { maxLength: 2_000 }).map((it) => it.join('')),
  )

test('text without a table is cut as before tables were known', () => {
  const parts = ['word ', 'Sentence. ', '\n', '\n\n', '😀', '漢字。', 'a | b\n', 'Home | Up | Next\n', '- | ']
  fc.assert(
    fc.property(textWith(parts), (text) => assert.deepEqual(split(text), splitPlain(text))),
    { numRuns: 300 },
  )
})

test('pieces of any tables have all of the text in its order, within the limit', () => {
  const parts = [
    '\n',
    '\n\n',
    'Word. ',
    '| Name | Price |\n',
    '|---|---|\n| a | 1 |\n',
    'b | 2\n',
    `${'x '.repeat(900)}| 3\n`,
  ]
  fc.assert(
    fc.property(textWith(parts), (text) => {
      let left = words(text)
      for (const piece of split(text)) {
        assert.ok(piece.length <= LIMIT)
        const lines = piece.split('\n')
        // A piece may begin with a header of one or two lines.
        const own = [0, 1, 2].map((header) => words(lines.slice(header).join(''))).find((it) => left.startsWith(it))
        assert.ok(own !== undefined && own !== '')
        left = left.slice(own.length)
      }
      assert.equal(left, '')
    }),
    { numRuns: 300 },
  )
})

test('8 million characters of rows are cut in linear time', () => {
  const started = performance.now()
  assert.ok(split(`${MARKED}\n${'Lamp | Brass | 1\n'.repeat(480_000)}`).length > 4_000)
  assert.ok(performance.now() - started < 20_000)
})
