import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Embedder } from './embedder.ts'
import { createFormerEmbedder } from './former-embedder.ts'

const { signal } = new AbortController()
const VECTOR = Float32Array.of(1, 0, 0)
const embedder: Embedder = {
  model: 'former',
  dimension: 3,
  reads: 'any',
  minSimilarity: 0.3,
  foreign: null,
  embedQuery: async () => VECTOR,
  embedTexts: async (texts) => texts.map(() => VECTOR),
  close: async () => {},
}

test('a server that has the model is checked once, then asked for vectors', async () => {
  let checks = 0
  const former = createFormerEmbedder(embedder, async () => ++checks === 1)
  assert.equal(await former.embedQuery('a', signal), VECTOR)
  assert.deepEqual(await former.embedTexts(['a', 'b'], signal), [VECTOR, VECTOR])
  assert.deepEqual([checks, former.model, former.dimension], [1, 'former', 3])
})

test('a server that answers with another model is not asked for vectors', async () => {
  const former = createFormerEmbedder({ ...embedder, embedQuery: assert.fail }, async () => false)
  await assert.rejects(former.embedQuery('a', signal), /the server does not have former: it answers with another model/)
})

test('an unreachable server fails at once, and is not checked again for a while', async () => {
  let checks = 0
  const former = createFormerEmbedder(embedder, async () => {
    checks++
    throw new Error('away')
  })
  for (let at = 0; at < 3; at++) await assert.rejects(former.embedQuery('a', signal), /away/)
  assert.equal(checks, 1)
})
