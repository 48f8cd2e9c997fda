import assert from 'node:assert/strict'
import test from 'node:test'
import { createSentencePieceTokenizer } from './sentence-pieces.ts'
import vocabulary from './sentence-pieces-cases.json' with { type: 'json' }

const [BEGIN, UNKNOWN, END] = [0, 3, 2]
const pieces = createSentencePieceTokenizer(encodeVocabulary())
const idOf = (piece: string) => vocabulary.pieces.findIndex(([text]) => text === piece)

// Part of the vocabulary of multilingual-e5-small, and what the reference makes of it (Unigram of the package tokenizers 0.22).
for (const [text, ids] of vocabulary.cases as [string, number[]][]) {
  test(`${JSON.stringify(text.slice(0, 40))} has the same pieces as the reference`, () => {
    assert.deepEqual(pieces.encode(text, 512), ids)
  })
}

test('a text that spells a special token does not become that token', () => {
  assert.ok(!pieces.encode('</s>', 512).slice(1, -1).includes(END))
})

test('successive unknown characters are one unknown piece', () => {
  assert.deepEqual(pieces.encode('\u2600\u2601\u2602', 512), [BEGIN, idOf('\u2581'), UNKNOWN, END])
  assert.deepEqual(pieces.encode('\ud800', 512), [BEGIN, idOf('\u2581'), UNKNOWN, END])
})

test('a long text is truncated and still ends with the end token', () => {
  const cut = pieces.encode('How many days '.repeat(500), 9)
  assert.equal(cut.length, 9)
  assert.equal(cut.at(-1), END)
  assert.deepEqual(cut.slice(0, 8), pieces.encode('How many days '.repeat(3), 512).slice(0, 8))
})

function encodeVocabulary(): Buffer {
  const texts = vocabulary.pieces.map(([text]) => Buffer.from(String(text)))
  const scores = new Float32Array(vocabulary.pieces.map(([, score]) => Number(score)))
  const replacements = (vocabulary.replacements as [string, string][]).flatMap(([from, to]) => {
    const points = Array.from(to, (it) => it.codePointAt(0) ?? 0)
    return [numbers(from.codePointAt(0) ?? 0), Buffer.of(points.length), numbers(...points)]
  })
  return Buffer.concat([
    numbers(texts.length),
    Buffer.from(texts.map((it) => it.length)),
    Buffer.from(scores.buffer),
    ...texts,
    numbers(vocabulary.replacements.length),
    ...replacements,
  ])
}

function numbers(...values: number[]): Buffer {
  return Buffer.from(new Uint32Array(values).buffer)
}
