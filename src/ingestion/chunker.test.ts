import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { chunk, MAX_CHUNK } from './chunker.ts'

const section = (text: string, link: string | null = null) => ({ text, link, heading: null, image_file_id: null })
const words = (text: string) => text.replace(/\s+/g, '')

test('a short document is one chunk', () => {
  assert.deepEqual(chunk([section('One. Two.', 'https://a/')]), [
    { chunk_ind: 0, content: 'One. Two.', link: 'https://a/' },
  ])
})

test('short neighbours with the same link share a chunk, others do not', () => {
  const chunks = chunk([section('a', 'x'), section('b'), section('c', 'x'), section('d', 'y')])
  assert.deepEqual(
    chunks.map((it) => [it.content, it.link]),
    [
      ['a\n\nb\n\nc', 'x'],
      ['d', 'y'],
    ],
  )
})

test('a long section is cut at a paragraph, else at a sentence, else between words', () => {
  const cases = [
    [`${'x'.repeat(1_500)}\n\n${'y. '.repeat(400)}`, 'x'.repeat(1_500)],
    [`${'x'.repeat(1_500)}. ${'y '.repeat(400)}`, `${'x'.repeat(1_500)}.`],
    [`${'x'.repeat(1_900)} ${'y'.repeat(400)}`, 'x'.repeat(1_900)],
  ] as const
  for (const [text, first] of cases) assert.equal(chunk([section(text)])[0]!.content, first)
})

test('sections without text give no chunk', () => {
  assert.deepEqual(chunk([section(''), section(' \n ')]), [])
})

test('a heading stands before its text', () => {
  assert.equal(chunk([{ ...section('text'), heading: 'Heading' }])[0]!.content, 'Heading\ntext')
})

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 6_000 }),
  fc
    .array(fc.constantFrom('word ', 'Sentence. ', '\n\n', '😀', '漢字。'), { maxLength: 2_000 })
    .map((it) => it.join('')),
)

test('chunks hold the whole text, in order, within the limit, in well formed pieces', () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 5 }), (texts) => {
      const chunks = chunk(texts.map((it) => section(it)))
      assert.equal(words(chunks.map((it) => it.content).join('')), words(texts.join('')))
      for (const [at, it] of chunks.entries()) {
        assert.equal(it.chunk_ind, at)
        assert.ok(it.content.length <= MAX_CHUNK)
        assert.ok(it.content.isWellFormed() || !texts.every((given) => given.isWellFormed()))
      }
    }),
    { numRuns: 300 },
  )
})

test('16 million characters are cut within a second', () => {
  const started = performance.now()
  chunk([section('word '.repeat(3_200_000))])
  assert.ok(performance.now() - started < 1_500)
})
