import assert from 'node:assert/strict'
import { once } from 'node:events'
import test, { after } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { openLocalEmbedder } from './embedder.ts'
import { englishModel, explainMissingFiles, explainMissingRuntime, multilingualModel } from './local-models.ts'
import storedVectors from './stored-vectors.json' with { type: 'json' }

const { signal } = new AbortController()
const embedder = openLocalEmbedder(englishModel)
after(() => embedder.close())

const dot = (one: Float32Array, other: Float32Array) => one.reduce((sum, it, at) => sum + it * other[at]!, 0)

test('a question is nearer to its answer than to an unrelated text', async () => {
  const query = await embedder.embedQuery('How many days of holiday do I get?', signal)
  const texts = ['Everybody has 30 days of paid leave a year.', 'The printer is on the second floor.']
  const [answer, other] = await embedder.embedTexts(texts, signal)
  assert.ok(dot(query, answer!) > dot(query, other!) + 0.2)
})

test('vectors have length 1 and come in the order of the texts, independent of the batch', async () => {
  const texts = Array.from({ length: 40 }, (_, at) => `${'word '.repeat((at * 37) % 300)}number ${at}`)
  const vectors = await embedder.embedTexts(texts, signal)
  for (const at of [0, 7, 39]) {
    const [alone] = await embedder.embedTexts([texts[at]!], signal)
    assert.equal(alone!.length, englishModel.dimension)
    assert.ok(Math.abs(dot(alone!, alone!) - 1) < 1e-5)
    assert.ok(dot(alone!, vectors[at]!) > 0.98, `text ${at}`)
  }
})

// The file has vectors of the first release of the model, alone in their batch, as bytes with a common scale.
for (const { text, vector } of storedVectors) {
  test(`a stored vector of ${JSON.stringify(text.slice(0, 30))} is still the vector of the text`, async () => {
    assert.equal(englishModel.model, 'all-MiniLM-L6-v2-int8')
    const bytes = Buffer.from(vector, 'base64')
    const stored = Float32Array.from(bytes.subarray(4), (it) => (it << 24) >> 24)
    const [now] = await embedder.embedTexts([text], signal)
    assert.ok(dot(now!, stored) / Math.hypot(...stored) > 0.999)
  })
}

test('no texts give no vectors', async () => {
  assert.deepEqual(await embedder.embedTexts([], signal), [])
})

test('an aborted call rejects', async () => {
  await assert.rejects(embedder.embedTexts(['a'], AbortSignal.abort()), { name: 'AbortError' })
})

test('an idle model is unloaded, and the next text loads it again', async () => {
  const threads: Worker[] = []
  const remember = (it: Worker) => void threads.push(it)
  process.on('worker', remember)
  const brief = openLocalEmbedder(englishModel, { idleMs: 1 })
  try {
    const [first] = await brief.embedTexts(['holiday'], signal)
    assert.equal(threads.length, 1)
    await once(threads[0]!, 'exit')
    const [second] = await brief.embedTexts(['holiday'], signal)
    assert.deepEqual(second, first)
    assert.equal(threads.length, 2)
  } finally {
    process.off('worker', remember)
    await brief.close()
  }
})

test('a system without a runtime library is named', () => {
  assert.equal(explainMissingRuntime(process), null)
  assert.match(explainMissingRuntime({ platform: 'aix', arch: 'ppc64' }) ?? '', /no library for aix on ppc64/)
})

test('a model without its files names the command that adds them', () => {
  assert.equal(explainMissingFiles(englishModel), null)
  assert.match(explainMissingFiles(multilingualModel('/nowhere')) ?? '', /"pharos model add multilingual"/)
})
