// Valid requests with random damage to framing, lengths, chunks and header bytes. The service must survive all of them,
// and answer malformed ones with 4xx or not at all.
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import type { TestContext } from 'node:test'
import { form, formHeaders, png } from '../api/multipart-form.ts'
import { checkInside } from '../api/request.ts'
import { documentOf } from '../api/setup.ts'
import { parallel } from '../parallel.ts'
import { chooseSeed, type Random, seeded } from '../random.ts'
import { type Server, startServer } from '../server.ts'

const AT_ONCE = 32
const TIMEOUT_MS = 60_000

export async function fuzzRawHttp(t: TestContext, requests: number): Promise<void> {
  const server = await startServer({ env: { LOG_LEVEL: 'warn' } })
  const random = seeded(chooseSeed((line) => t.diagnostic(line)))
  const wholes = wholeRequests(server.key)
  const mutants = Array.from({ length: requests }, () => mutated(wholes[random.below(wholes.length)]!, wholes, random))
  const statuses = new Map<string, number>()
  await parallel(mutants, AT_ONCE, async (bytes) => {
    const answer = await send(server, bytes)
    const status = statusOf(bytes, answer)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  })
  t.diagnostic(JSON.stringify(Object.fromEntries([...statuses].sort())))
  assert.equal((await server.api('GET', '/health')).status, 200)
  assert.doesNotMatch(server.output(), /"level":(?:50|60)/)
}

function wholeRequests(key: string): Buffer[] {
  const head = `Host: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n`
  const json = JSON.stringify({ document: documentOf('heliotrope', { id: 'fuzzed' }) })
  const search = JSON.stringify({ query: 'heliotrope' })
  const upload = form(png, { ...png, field: 'files' })
  const post = (path: string, type: string, body: string | Buffer, more = '') =>
    Buffer.concat([
      Buffer.from(
        `POST ${path} HTTP/1.1\r\n${head}Content-Type: ${type}\r\nContent-Length: ${body.length}\r\n${more}\r\n`,
      ),
      Buffer.from(body),
    ])
  const chunks = `4\r\n${search.slice(0, 4)}\r\n${(search.length - 4).toString(16)};x=y\r\n${search.slice(4)}\r\n0\r\nX-Trailer: z\r\n\r\n`
  return [
    Buffer.from(`GET /version HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: */*\r\n\r\n`),
    Buffer.from(`GET /manage/admin/credential?limit=5&after=0 HTTP/1.1\r\n${head}\r\n`),
    Buffer.from(`DELETE /service-api/ingestion/a%2Fb HTTP/1.1\r\n${head}\r\n`),
    Buffer.from(`GET /me HTTP/1.1\r\n${head}Connection: upgrade\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n`),
    Buffer.from(
      `POST /search HTTP/1.1\r\n${head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`,
    ),
    post('/service-api/ingestion', 'application/json; charset=utf-8', json),
    post('/search', 'application/json', search, 'Expect: 100-continue\r\n'),
    post('/user/file/upload', formHeaders['content-type'], upload),
  ]
}

type Mutation = (bytes: Buffer, random: Random, wholes: readonly Buffer[]) => Buffer

const SPECIAL = ['\r', '\n', '\r\n', '\r\n\r\n', '\0', ':', ' ', '\t', '%', '%00', '..', '\xff', '0', '-1', ';', '"']
const NUMBERS = [
  '0',
  '-1',
  '1',
  '4294967296',
  '9007199254740993',
  '99999999999999999999',
  '0x10',
  '+5',
  '1e3',
  'ffffffff',
]
const HEADERS = [
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: gzip, chunked',
  'Content-Length: 5',
  'Content-Encoding: gzip',
  'Expect: 100-continue',
  'Expect: x',
  'Connection: close',
  'Host: elsewhere',
  'X-Folded: a\r\n b',
  `X-Long: ${'a'.repeat(70_000)}`,
]
const pick = <T>(list: readonly T[], random: Random): T => list[random.below(list.length)]!
const splice = (bytes: Buffer, from: number, to: number, piece: Buffer | string) =>
  Buffer.concat([bytes.subarray(0, from), Buffer.from(piece as string, 'latin1'), bytes.subarray(to)])

const MUTATIONS: readonly Mutation[] = [
  (bytes, random) => {
    const copy = Buffer.from(bytes)
    copy[random.below(copy.length)] = random.below(256)
    return copy
  },
  (bytes, random) => {
    const at = random.below(bytes.length)
    return splice(bytes, at, at, pick(SPECIAL, random))
  },
  (bytes, random) => {
    const at = random.below(bytes.length)
    return splice(bytes, at, at + 1 + random.below(20), '')
  },
  (bytes, random) => bytes.subarray(0, random.below(bytes.length)),
  (bytes, random) => {
    const numbers = [...bytes.toString('latin1').matchAll(/\d+/g)]
    if (numbers.length === 0) return bytes
    const { index, 0: digits } = pick(numbers, random)
    return splice(bytes, index, index + digits.length, pick(NUMBERS, random))
  },
  (bytes, random) => {
    const end = bytes.indexOf('\r\n') + 2
    return splice(bytes, end, end, `${pick(HEADERS, random)}\r\n`)
  },
  (bytes, random, wholes) => Buffer.concat([bytes, pick(wholes, random)]),
  (bytes, random) => {
    const lines = bytes.toString('latin1').split('\r\n')
    const [from, to] = [random.below(lines.length), random.below(lines.length)]
    lines.splice(to, 0, lines[from]!)
    return Buffer.from(lines.join('\r\n'), 'latin1')
  },
  (bytes) => Buffer.from(bytes.toString('latin1').replaceAll('\r\n', '\n'), 'latin1'),
  (bytes, random) =>
    Buffer.concat([Buffer.from(Array.from({ length: 1 + random.below(20) }, () => random.below(256))), bytes]),
]

function mutated(whole: Buffer, wholes: readonly Buffer[], random: Random): Buffer {
  let bytes = whole
  for (let left = 1 + random.below(3); left > 0 && bytes.length > 0; left--) {
    bytes = pick(MUTATIONS, random)(bytes, random, wholes)
  }
  return bytes
}

/** Everything received until the service closes the connection; the client half-closes it at once. */
function send({ url }: Pick<Server, 'url'>, bytes: Buffer): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    let received = ''
    socket.setEncoding('latin1')
    socket.setTimeout(TIMEOUT_MS, () => {
      socket.destroy()
      reject(new Error(`no end after ${TIMEOUT_MS} ms: ${shown(bytes)}`))
    })
    socket.on('data', (part: string) => {
      received += part
    })
    // The service may close while bytes are still in transit.
    socket.on('error', () => {})
    socket.on('close', () => resolve(received))
    socket.on('connect', () => socket.end(bytes))
  })
}

const shown = (bytes: Buffer) => JSON.stringify(bytes.toString('latin1').slice(0, 2_000))

/** The status of the last response, as there may be several. Fails if one of them does not come from this service. */
function statusOf(sent: Buffer, received: string): string {
  if (received === '') return 'closed'
  const statuses = [...received.matchAll(/^HTTP\/1\.1 (\d{3}) .*\r$/gm)].map((it) => it[1]!)
  assert.ok(
    received.startsWith('HTTP/1.1 ') && statuses.length > 0,
    `${shown(sent)} was answered ${received.slice(0, 500)}`,
  )
  for (const status of statuses) assert.ok(status < '500', `${shown(sent)} was answered ${received.slice(0, 2_000)}`)
  if (statuses.every((it) => it >= '400')) checkInside(shown(sent), received)
  return statuses.at(-1)!
}
