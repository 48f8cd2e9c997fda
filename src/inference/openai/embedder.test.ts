// Against a real server that speaks the documented protocol.
import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, beforeEach, test } from 'node:test'
import { EmbeddingError } from '../embedder.ts'
import { distinguishesModels, openOpenaiEmbedder, probeDimension } from './embedder.ts'

interface Sent {
  method: string | undefined
  url: string | undefined
  authorization: string | undefined
  body: { model: string; input: string[]; encoding_format: string }
}
let sent: Sent[] = []
let answer: (body: Sent['body'], response: ServerResponse) => void

const json = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) =>
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
const wire = ({ model, input }: Sent['body']) => ({
  object: 'list',
  model,
  data: input.map((text, index) => ({ object: 'embedding', index, embedding: [text.length, 4, 0] })),
  usage: { prompt_tokens: 1, total_tokens: 1 },
})

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const pieces: Buffer[] = []
  for await (const it of request) pieces.push(it as Buffer)
  const body = JSON.parse(Buffer.concat(pieces).toString())
  const { method, url, headers } = request
  sent.push({ method, url, authorization: headers.authorization, body })
  answer(body, response)
}
const server = createServer((request, response) => void serve(request, response)).listen(0, '127.0.0.1')
await new Promise((resolve) => server.once('listening', resolve))
after(() => {
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  sent = []
  answer = (body, response) => json(response, 200, wire(body))
})

const { signal } = new AbortController()
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
const settings = { url, key: 'a-secret-key', model: 'small' }
const embedder = openOpenaiEmbedder(settings, 3)

const failure = (promise: Promise<unknown>): Promise<EmbeddingError> =>
  promise.then(
    () => assert.fail('it answered'),
    (error: unknown) => {
      assert.ok(error instanceof EmbeddingError, String(error))
      return error
    },
  )

test('the request follows the OpenAI protocol', async () => {
  await embedder.embedQuery('hello', signal)
  assert.deepEqual(sent, [
    {
      method: 'POST',
      url: '/v1/embeddings',
      authorization: 'Bearer a-secret-key',
      body: { model: 'small', input: ['hello'], encoding_format: 'float' },
    },
  ])
})

test('no key is sent to a server without keys', async () => {
  await openOpenaiEmbedder({ ...settings, key: null }, 3).embedQuery('hello', signal)
  assert.equal(sent[0]?.authorization, undefined)
})

test('the dimension can be probed, and nothing is sent before the first text', async () => {
  const { dimension, model } = openOpenaiEmbedder(settings, 3)
  assert.deepEqual([dimension, model, sent.length], [3, 'openai:small', 0])
  assert.deepEqual([await probeDimension(settings, signal), sent.length], [3, 1])
})

test('a server that ignores the model name is distinguished from one that has both models', async () => {
  assert.equal(await distinguishesModels(settings, 'large', signal), false)
  answer = (body, response) => {
    const data = wire(body).data.map((it) => ({ ...it, embedding: [body.model.charCodeAt(0), 4, 0] }))
    json(response, 200, { ...wire(body), data })
  }
  assert.equal(await distinguishesModels(settings, 'large', signal), true)
  assert.equal(await distinguishesModels(settings, 'small', signal), false)
})

test('a server that rejects the configured name distinguishes the models', async () => {
  answer = (body, response) => {
    if (body.model === 'small') json(response, 404, { error: { message: 'no such model' } })
    else json(response, 200, wire(body))
  }
  assert.equal(await distinguishesModels(settings, 'large', signal), true)
  assert.match((await failure(distinguishesModels({ ...settings, model: 'large' }, 'small', signal))).message, /404/)
})

test('vectors have length 1 and come in the order of the texts, whatever the order of the response', async () => {
  answer = (body, response) => json(response, 200, { ...wire(body), data: wire(body).data.toReversed() })
  const [one, two] = await embedder.embedTexts(['abc', ''], signal)
  assert.deepEqual([...one!], [...Float32Array.of(0.6, 0.8, 0)])
  assert.deepEqual([...two!], [0, 1, 0])
})

test('many texts are sent in requests of 32', async () => {
  const vectors = await embedder.embedTexts(
    Array.from({ length: 70 }, (_, at) => 'x'.repeat(at)),
    signal,
  )
  assert.deepEqual([vectors.length, sent.map((it) => it.body.input.length)], [70, [32, 32, 6]])
})

test('a busy server is not retried at once, and gives the wait time', async () => {
  answer = (_, response) => json(response, 429, { error: { message: 'slow down' } }, { 'retry-after': '7' })
  const { message, retryAfterMs, isInputRejected } = await failure(embedder.embedTexts(['a'], signal))
  assert.match(message, /^the server answered 429: .*slow down/)
  assert.deepEqual([retryAfterMs, isInputRejected, sent.length], [7_000, false, 1])
})

test('the wait time may be a date', async () => {
  const later = new Date(Date.now() + 60_000).toUTCString()
  answer = (_, response) => json(response, 503, {}, { 'retry-after': later })
  const { retryAfterMs } = await failure(embedder.embedTexts(['a'], signal))
  assert.ok(retryAfterMs! > 30_000 && retryAfterMs! <= 60_000, String(retryAfterMs))
})

test('a rejected text is distinguished from a failing server', async () => {
  answer = (_, response) => json(response, 400, { error: { message: 'too many tokens' } })
  assert.equal((await failure(embedder.embedTexts(['a'], signal))).isInputRejected, true)
  answer = (_, response) => json(response, 500, {})
  assert.equal((await failure(embedder.embedTexts(['a'], signal))).isInputRejected, false)
})

test('no message contains the key', async () => {
  answer = (_, response) => json(response, 401, { error: { message: 'Incorrect API key provided: a-secret-key' } })
  const { message } = await failure(embedder.embedTexts(['a'], signal))
  assert.equal(message, 'the server answered 401: the server rejected EMBEDDING_KEY')
})

const strange: [what: string, body: unknown, message: RegExp][] = [
  ['data that is not a list', { data: 'x' }, /not a list of embeddings/],
  ['too few', { data: [] }, /0 embeddings for 1 texts/],
  ['another index', { data: [{ index: 5, embedding: [1, 2, 3] }] }, /1 embeddings for 1 texts/],
  ['another dimension', { data: [{ index: 0, embedding: [1, 2] }] }, /vectors of dimension 2 instead of 3/],
  ['a zero vector', { data: [{ index: 0, embedding: [0, 0, 0] }] }, /zero vector/],
  ['a component that is not a number', { data: [{ index: 0, embedding: [1, null, 3] }] }, /not a list of embeddings/],
]
for (const [what, body, message] of strange)
  test(`a response with ${what} is rejected`, async () => {
    answer = (_, response) => json(response, 200, body)
    assert.match((await failure(embedder.embedTexts(['a'], signal))).message, message)
  })

test('an unreachable server is reported as such', async () => {
  const gone = openOpenaiEmbedder({ ...settings, url: 'http://127.0.0.1:1/v1' }, 3)
  assert.match((await failure(gone.embedQuery('a', signal))).message, /^the server cannot be reached: /)
})

test('a query times out after two seconds', async () => {
  answer = () => {}
  assert.equal((await failure(embedder.embedQuery('a', signal))).message, 'the server did not answer in time')
})

test('an aborted call ends', async () => {
  answer = () => {}
  await assert.rejects(embedder.embedTexts(['a'], AbortSignal.timeout(50)), { name: 'TimeoutError' })
})
