import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '../../test/server.ts'
import type { Embedder } from './embedder.ts'
import { createEmbedders } from './embedders.ts'

const logger = { debug() {}, info() {}, warn() {}, error() {} }
const ONE = { model: 'one', dimension: 3 }

/** The open embedders, by name. */
function opening() {
  const open: string[] = []
  const embedders = createEmbedders({
    configured: { kind: 'ready', model: ONE },
    open: (model) => {
      if (model.model === 'nobody') return null
      open.push(model.model)
      const close = async () => void open.splice(open.indexOf(model.model), 1)
      const unused = {
        reads: 'any',
        minSimilarity: 0.3,
        foreign: null,
        embedQuery: assert.fail,
        embedTexts: assert.fail,
      } as const
      const embedder: Embedder = { ...model, ...unused, close }
      return embedder
    },
    logger,
    onReady: assert.fail,
  })
  return { open, embedders }
}

test('a model is opened once, and closed when it is released', async () => {
  const { open, embedders } = opening()
  assert.equal(embedders.forModel(ONE), embedders.forModel({ ...ONE }))
  assert.notEqual(embedders.forModel(ONE), embedders.forModel({ ...ONE, dimension: 4 }))
  assert.deepEqual(open, ['one', 'one'])
  embedders.release(ONE)
  assert.deepEqual(open, ['one'])
  embedders.forModel({ model: 'two', dimension: 3 })
  await embedders.close()
  assert.deepEqual(open, [])
})

test('an unavailable model is not an error', async () => {
  const { embedders } = opening()
  assert.equal(embedders.forModel({ model: 'nobody', dimension: 3 }), null)
  embedders.release({ model: 'nobody', dimension: 3 })
  await embedders.close()
})

test('a silent model is retried until it answers', async () => {
  let asked = 0
  let ready = 0
  const probeDimension = async () => {
    if (asked++ === 0) throw new Error('still away')
    return 8
  }
  const embedders = createEmbedders({
    configured: { kind: 'silent', name: 'late', reason: 'away', failures: 1, probeDimension },
    open: () => null,
    logger,
    onReady: () => ready++,
  })
  const working = embedders.run(new AbortController().signal)
  await waitFor(() => {
    const it = embedders.configured()
    return it.kind === 'silent' && it.reason === 'still away'
  }, 'the reason')
  await working
  assert.deepEqual(
    [embedders.configured(), asked, ready],
    [{ kind: 'ready', model: { model: 'late', dimension: 8 } }, 2, 1],
  )
})

test('the signal ends the retries', async () => {
  const stop = new AbortController()
  const probeDimension = async () => {
    stop.abort()
    throw new Error('away')
  }
  const configured = { kind: 'silent', name: 'late', reason: 'away', failures: 1, probeDimension } as const
  await createEmbedders({ configured, open: () => null, logger, onReady: assert.fail }).run(stop.signal)
})
