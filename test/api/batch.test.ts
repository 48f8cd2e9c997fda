// The NDJSON batch endpoint, with every kind of client.
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { settled, waitFor } from '../server.ts'
import { checkShape } from './request.ts'
import { documentOf, start } from './setup.ts'

const { server, ask, ok, found, receipt, makePair, makeKey } = await start()
const BATCH = '/service-api/ingestion/batch'
const NDJSON = 'application/x-ndjson'

type Json = Record<string, unknown>
const push = (id: string, text = `text of ${id}`, more: Json = {}) =>
  JSON.stringify({ document: documentOf(text, { id }), ...more })
const accepted = (line: number, document_id: string, already_existed = false) => ({
  line,
  document_id,
  already_existed,
  status: 'accepted',
})

interface Talk {
  /** Resolves when the connection has taken it. */
  write(text: string | Buffer): Promise<void>
  /** The last chunk: there is no more. */
  end(): Promise<void>
  pause(): void
  resume(): void
  /** Everything so far, without the head. */
  lines(): Json[]
  head(): string
  destroy(): void
  closed: Promise<void>
}

/** A raw client that writes and reads only when the test tells it to. */
async function talk(headers: Json = {}, path = BATCH, url = server.url): Promise<Talk> {
  const { hostname, port } = new URL(url)
  const socket: Socket = connect(Number(port), hostname)
  let received = ''
  socket.setEncoding('latin1')
  socket.on('data', (text) => {
    received += text
  })
  socket.on('error', () => {})
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()))
  const send = (bytes: string | Buffer) =>
    new Promise<void>((resolve) => {
      if (socket.destroyed) return resolve()
      socket.once('close', resolve)
      socket.write(bytes, () => {
        socket.off('close', resolve)
        resolve()
      })
    })
  const all: Json = {
    host: 'x',
    authorization: `Bearer ${server.key}`,
    'content-type': NDJSON,
    'transfer-encoding': 'chunked',
    ...headers,
  }
  const fields = Object.entries(all).filter(([, value]) => value !== null)
  await send(`POST ${path} HTTP/1.1\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`)
  const bodyOf = () => dechunked(received.slice(received.indexOf('\r\n\r\n') + 4))
  return {
    write: (text) => {
      const bytes = Buffer.from(text as string)
      return send(Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]))
    },
    end: () => send('0\r\n\r\n'),
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    lines: () =>
      received.includes('\r\n\r\n')
        ? bodyOf()
            .split('\n')
            .slice(0, -1)
            .map((it) => JSON.parse(it))
        : [],
    head: () => received.slice(0, Math.max(0, received.indexOf('\r\n\r\n'))),
    destroy: () => void socket.destroy(),
    closed,
  }
}

function dechunked(text: string): string {
  let body = ''
  for (let at = 0; ; ) {
    const end = text.indexOf('\r\n', at)
    const length = Number.parseInt(text.slice(at, end), 16)
    if (end < 0 || !(length > 0) || text.length < end + 2 + length) return Buffer.from(body, 'latin1').toString()
    body += text.slice(end + 2, end + 2 + length)
    at = end + 2 + length + 2
  }
}

const isOver = (it: Talk) => 'done' in (it.lines().at(-1) ?? {})
const answerOf = async (it: Talk, timeoutMs = 60_000) => {
  await waitFor(() => isOver(it), 'the last line of the answer', timeoutMs)
  return it.lines()
}

/** Sends a complete body. */
async function batch(body: string | Buffer, { path = BATCH, key = server.key } = {}): Promise<Json[]> {
  const it = await talk({ authorization: `Bearer ${key}` }, path)
  await it.write(body)
  await it.end()
  const lines = await answerOf(it)
  it.destroy()
  return lines
}

test('each line gets a numbered result in order, and the last line is a summary', async () => {
  assert.deepEqual(await batch(`${push('first')}\n${push('second')}\n${push('first', 'again')}\n`), [
    accepted(1, 'first'),
    accepted(2, 'second'),
    accepted(3, 'first', true),
    { done: true, lines: 3, accepted: 3, failed: 0 },
  ])
})

test('the content type of the response is NDJSON', async () => {
  const it = await talk()
  await it.write(push('media'))
  await it.end()
  await answerOf(it)
  assert.match(it.head(), /^HTTP\/1\.1 200 /)
  assert.match(it.head(), /^content-type: application\/x-ndjson$/m)
  assert.match(it.head(), /^x-content-type-options: nosniff$/m)
  it.destroy()
})

test('documents of a batch are found', async () => {
  await batch(`${push('findable', 'batchfindable')}\n`)
  await settled(server)
  assert.deepEqual(await found('batchfindable'), ['findable'])
})

test('a byte order mark, CRLF, blank lines and a missing final line break are accepted', async () => {
  const body = `\ufeff${push('bom')}\r\n\r\n  \n${push('last')}`
  assert.deepEqual(await batch(body), [
    accepted(1, 'bom'),
    accepted(4, 'last'),
    { done: true, lines: 4, accepted: 2, failed: 0 },
  ])
})

test('an empty body is accepted', async () => {
  assert.deepEqual(await batch('\n'), [{ done: true, lines: 1, accepted: 0, failed: 0 }])
  const it = await talk()
  await it.end()
  assert.deepEqual(await answerOf(it), [{ done: true, lines: 0, accepted: 0, failed: 0 }])
  it.destroy()
})

const BAD: [what: string, line: string | Buffer, status: number][] = [
  ['no JSON', '{"document": ', 422],
  ['a document without sections', '{"document": {"semantic_identifier": "x", "metadata": {}}}', 422],
  ['an array', '[]', 422],
  ['two values', `${push('x')} ${push('y')}`, 422],
  ['bytes that are no UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 422],
  ['JSON that is too deep', '['.repeat(10_000), 422],
  ['an unknown pair', push('unknown-pair', 'x', { cc_pair_id: 99_999 }), 404],
]
for (const [what, line, status] of BAD) {
  test(`${what} is rejected as in a single request, and the other lines are accepted`, async () => {
    const [before, after] = [`before ${what}`, `after ${what}`]
    const body = Buffer.concat([
      Buffer.from(`${push(before)}\n`),
      Buffer.from(line as string),
      Buffer.from(`\n${push(after)}\n`),
    ])
    const lines = await batch(body)
    assert.deepEqual([lines[0], lines[2]], [accepted(1, before), accepted(3, after)])
    assert.deepEqual(lines[3], { done: true, lines: 3, accepted: 2, failed: 1 })
    const single = await ask('POST', '/service-api/ingestion', { bytes: line })
    assert.equal(single.status, status)
    assert.deepEqual(lines[1], { line: 2, error: single.body })
    checkShape(what, status, lines[1]!.error)
  })
}

test('a line of 10 MB is accepted', async () => {
  const text = 'tenmegabytes '.repeat(800_000)
  const lines = await batch(`${push('small before')}\n${push('large', text)}\n${push('small after')}\n`)
  assert.deepEqual(
    lines.slice(0, 3),
    ['small before', 'large', 'small after'].map((id, at) => accepted(at + 1, id)),
  )
})

test('a line over 32 MiB is rejected without being buffered, and the others are accepted', async () => {
  const it = await talk()
  await it.write(`${push('before the giant')}\n{"document": "`)
  for (let sent = 0; sent < 40; sent++) await it.write('x'.repeat(1 << 20))
  await it.write(`"}\n${push('after the giant')}\n`)
  await it.end()
  const lines = await answerOf(it)
  assert.deepEqual(lines[1], {
    line: 2,
    error: { error_code: 'LINE_TOO_LARGE', detail: 'The line is larger than 32 MiB. Split the document.' },
  })
  assert.deepEqual(lines[2], accepted(3, 'after the giant'))
  it.destroy()
})

test('lines before from_line are counted and skipped', async () => {
  const body = `${push('skipped')}\n\n${push('taken')}\nno JSON\n`
  const lines = await batch(body, { path: `${BATCH}?from_line=3` })
  assert.deepEqual(lines[0], accepted(3, 'taken'))
  assert.equal(lines[1]!.line, 4)
  assert.deepEqual(lines[2], { done: true, lines: 4, accepted: 1, failed: 1 })
  assert.equal((await ask('GET', '/service-api/ingestion/skipped')).status, 404)
})

test('sending everything again changes nothing', async () => {
  const body = `${push('twice a')}\n${push('twice b')}\n`
  await batch(body)
  const { accepted_at } = await receipt('twice a')
  assert.deepEqual(await batch(body), [
    accepted(1, 'twice a', true),
    accepted(2, 'twice b', true),
    { done: true, lines: 2, accepted: 2, failed: 0 },
  ])
  assert.equal((await receipt('twice a')).accepted_at, accepted_at)
})

for (const from of ['0', '-1', 'x']) {
  test(`from_line=${from} is 422 before a line is read`, async () => {
    const reply = await ask('POST', `${BATCH}?from_line=${from}`, { headers: { 'content-type': NDJSON } })
    assert.equal(reply.status, 422)
    assert.deepEqual(reply.body.detail[0].loc, ['query', 'from_line'])
  })
}

test('access to a pair is checked for each line', async () => {
  const open = await makePair('Batch open')
  const closed = await makePair('Batch closed', { access_type: 'private', groups: [7] })
  const key = await makeKey({ role: 'limited', scopes: ['ingest'] })
  const body = [open, closed, open].map((cc_pair_id, at) => push(`pair ${at}`, 'x', { cc_pair_id })).join('\n')
  const lines = await batch(body, { key })
  assert.deepEqual([lines[0], lines[2]], [accepted(1, 'pair 0'), accepted(3, 'pair 2')])
  assert.equal((lines[1]!.error as Json).error_code, 'CC_PAIR_NOT_FOUND')
})

for (const [what, headers, status] of [
  ['without a key', { authorization: null }, 401],
  ['with a wrong key', { authorization: 'Bearer wrong' }, 401],
  ['with another media type', { 'content-type': 'application/json' }, 415],
  ['packed', { 'content-encoding': 'gzip' }, 415],
] as const) {
  test(`${what} the response is ${status} before the body is read`, async () => {
    const it = await talk(headers)
    await waitFor(() => it.head() !== '', 'the head of the answer')
    assert.match(it.head(), new RegExp(`^HTTP/1\\.1 ${status} `))
    it.destroy()
  })
}

test('a compressed body is 415', async () => {
  const headers = { 'content-type': NDJSON, 'content-encoding': 'gzip' }
  const reply = await ask('POST', BATCH, { bytes: gzipSync(push('packed')), headers })
  assert.deepEqual([reply.status, reply.body.error_code], [415, 'UNSUPPORTED_MEDIA_TYPE'])
})

test('a key without the right to push is 403', async () => {
  const key = await makeKey({ role: 'basic' })
  const reply = await ask('POST', BATCH, { key, bytes: push('forbidden'), headers: { 'content-type': NDJSON } })
  assert.equal(reply.status, 403)
})

test('deleting the key ends the batch, and the response names the line', async () => {
  const { api_key, api_key_id } = await ok('POST', '/admin/api-key', { body: { role: 'limited', scopes: ['ingest'] } })
  const it = await talk({ authorization: `Bearer ${api_key}` })
  await it.write(`${push('while it lives')}\n`)
  await waitFor(() => it.lines().length === 1, 'the first line')
  await ok('DELETE', `/admin/api-key/${api_key_id}`)
  await it.write(`${push('after its end')}\n`)
  const { error, ...end } = (await answerOf(it)).at(-1)!
  assert.deepEqual(end, { done: false, lines: 1, accepted: 1, failed: 0, resume_line: 2 })
  assert.equal((error as Json).error_code, 'UNAUTHENTICATED')
  it.destroy()
})

test('results arrive while lines are still being sent', async () => {
  const it = await talk()
  for (let at = 1; at <= 3; at++) {
    await it.write(`${push(`live ${at}`)}\n`)
    await waitFor(() => it.lines().length === at, `the answer to line ${at}`)
  }
  await it.end()
  await answerOf(it)
  it.destroy()
})

test('a client that writes 50,000 lines before reading gets 50,000 results', async () => {
  const it = await talk()
  it.pause()
  const id = (at: number) => `unread-${at}-${'x'.repeat(300)}`
  for (let at = 0; at < 50_000; at += 500) {
    await it.write(Array.from({ length: 500 }, (_, more) => `${push(id(at + more), 'w')}\n`).join(''))
  }
  await it.end()
  it.resume()
  const lines = await answerOf(it, 100_000)
  assert.equal(lines.length, 50_001)
  for (const [at, line] of lines.slice(0, -1).entries()) assert.deepEqual(line, accepted(at + 1, id(at)))
  assert.deepEqual(lines.at(-1), { done: true, lines: 50_000, accepted: 50_000, failed: 0 })
  it.destroy()
})

test('a client may write byte by byte', async () => {
  const it = await talk()
  for (const byte of Buffer.from(`${push('bytewise é 🚀')}\n`)) await it.write(Buffer.from([byte]))
  await it.end()
  assert.deepEqual((await answerOf(it))[0], accepted(1, 'bytewise é 🚀'))
  it.destroy()
})

test('after a disconnect the answered lines are stored and the unfinished line is not', async () => {
  const it = await talk()
  const half = push('broken off')
  await it.write(`${push('kept before')}\n`)
  await waitFor(() => it.lines().length === 1, 'the answer to the first line')
  await it.write(half)
  it.destroy()
  await it.closed
  await batch(`${push('after the break')}\n`)
  assert.equal((await receipt('kept before')).document_id, 'kept before')
  assert.equal((await ask('GET', `/service-api/ingestion/${encodeURIComponent('broken off')}`)).status, 404)
})

test('the connection is reusable after a batch', async () => {
  const headers = { 'content-type': NDJSON }
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  let received = ''
  socket.setEncoding('utf8').on('data', (text: string) => {
    received += text
  })
  const body = push('reused')
  const head = Object.entries({
    ...headers,
    host: 'x',
    authorization: `Bearer ${server.key}`,
    'content-length': body.length,
  })
  const request = `POST ${BATCH} HTTP/1.1\r\n${head.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`
  for (const count of [1, 2, 3]) {
    socket.write(request)
    await waitFor(() => received.split('"done":true').length === count + 1, `answer ${count}`)
  }
  socket.destroy()
})

test('a shutdown ends the batch with a resume_line and does not wait for the client', async () => {
  const { server: other } = await start()
  const it = await talk({}, BATCH, other.url)
  await it.write(`${push('before the end')}\n`)
  await waitFor(() => it.lines().length === 1, 'the first line')
  const stopped = other.stop()
  const { error, ...end } = (await answerOf(it)).at(-1)!
  assert.deepEqual(end, { done: false, lines: 1, accepted: 1, failed: 0, resume_line: 2 })
  assert.deepEqual((error as Json).error_code, 'SHUTTING_DOWN')
  assert.deepEqual(await stopped, { code: 0, signal: null })
  await it.closed
})

for (const path of ['/api/service-api/ingestion/batch', '/onyx-api/ingestion/batch', '/api/onyx-api/ingestion/batch']) {
  test(`${path} is the same endpoint`, async () => {
    assert.equal((await batch(push(`alias ${path}`), { path })).at(-1)!.done, true)
  })
}

test('the OpenAPI document lists the media types', async () => {
  const { paths } = await ok('GET', '/openapi.json', { key: null })
  const { requestBody, responses } = paths[BATCH].post
  assert.deepEqual(Object.keys(requestBody.content), [
    NDJSON,
    'application/ndjson',
    'application/jsonl',
    'application/octet-stream',
  ])
  assert.deepEqual(Object.keys(responses['200'].content), [NDJSON])
})
