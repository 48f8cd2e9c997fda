import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeLine } from './decode-line.ts'

const CHARACTERS = ['a', 'b', ' ']
const NOTHING = [1, 0, 0, 0]
const A = [0, 1, 0, 0]
const B = [0.2, 0, 0.8, 0]
const SPACE = [0, 0, 0, 1]
const decode = (...steps: number[][]) =>
  decodeLine({ values: Float32Array.from(steps.flat()), steps: steps.length }, CHARACTERS)

test('a character that lasts is read once, and twice after a pause', () => {
  assert.equal(decode(A, A, NOTHING, B).text, 'ab')
  assert.equal(decode(A, NOTHING, A).text, 'aa')
})

test('a likely space between characters is read', () => {
  assert.equal(decode(A, [0.9, 0, 0, 0.1], B).text, 'a b')
  assert.equal(decode(A, [0.97, 0, 0, 0.03], B).text, 'ab')
  assert.equal(decode([0.9, 0, 0, 0.1], A, [0.9, 0, 0, 0.1]).text, 'a')
})

test('a space is read once', () => {
  assert.equal(decode(A, [0.9, 0, 0, 0.1], SPACE, [0.9, 0, 0, 0.1], B).text, 'a b')
})

test('the confidence is the mean over the characters', () => {
  const { confidence, characters } = decode(A, NOTHING, B)
  assert.equal(characters, 2)
  assert.ok(Math.abs(confidence - 0.9) < 1e-6)
  assert.deepEqual(decode(NOTHING), { text: '', confidence: 0, characters: 0 })
})
