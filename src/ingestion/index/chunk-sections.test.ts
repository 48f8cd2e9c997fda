import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { chunkSections, MAX_CHUNK } from './chunk-sections.ts'

const section = (text: string, link: string | null = null) => ({ text, link, heading: null, image_file_id: null })
const words = (text: string) => text.replace(/\s+/g, '')

test('a short document is one chunk', () => {
  assert.deepEqual(chunkSections([section('One. Two.', 'https://a/')]), [
    { chunk_ind: 0, content: 'One. Two.', link: 'https://a/' },
  ])
})

test('adjacent short sections share a chunk only if they share a link', () => {
  const chunks = chunkSections([section('a', 'x'), section('b'), section('c', 'x'), section('d', 'y')])
  assert.deepEqual(
    chunks.map((it) => [it.content, it.link]),
    [
      ['a\n\nb\n\nc', 'x'],
      ['d', 'y'],
    ],
  )
})

test('a long section is cut at a paragraph, otherwise at a sentence, otherwise between words', () => {
  const cases = [
    [`${'x'.repeat(1_500)}\n\n${'y. '.repeat(400)}`, 'x'.repeat(1_500)],
    [`${'x'.repeat(1_500)}. ${'y '.repeat(400)}`, `${'x'.repeat(1_500)}.`],
    [`${'x'.repeat(1_900)} ${'y'.repeat(400)}`, 'x'.repeat(1_900)],
  ] as const
  for (const [text, first] of cases) assert.equal(chunkSections([section(text)])[0]!.content, first)
})

test('sections without text yield no chunk', () => {
  assert.deepEqual(chunkSections([section(''), section(' \n ')]), [])
})

test('a heading precedes its text', () => {
  assert.equal(chunkSections([{ ...section('text'), heading: 'Heading' }])[0]!.content, 'Heading\ntext')
})

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 6_000 }),
  fc
    .array(fc.constantFrom('word ', 'Sentence. ', '\n\n', '😀', '漢字。'), { maxLength: 2_000 })
    .map((it) => it.join('')),
)

test('chunks contain the whole text in order, within the limit, as well-formed strings', () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 5 }), (texts) => {
      const chunks = chunkSections(texts.map((it) => section(it)))
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

test('16 million characters are cut in linear time', () => {
  const started = performance.now()
  chunkSections([section('word '.repeat(3_200_000))])
  assert.ok(performance.now() - started < 20_000)
})
