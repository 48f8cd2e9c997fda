// Sends requests to the program under test and checks that no response reveals internals.
import assert from 'node:assert/strict'
import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { connect } from 'node:net'
import type { Server } from '../server.ts'

export interface Reply {
  status: number
  headers: IncomingHttpHeaders
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: each test checks the response.
  body: any
}

export interface Question {
  /** Sent as JSON. */
  body?: unknown
  /** Sent unchanged, as JSON unless `headers` say otherwise. */
  bytes?: Buffer | string
  /** Replaces the administrator's key; null for none. */
  key?: string | null
  headers?: Record<string, string>
}

/** Sends the path unchanged, because HTTP clients would normalize it. */
export type Requester = (method: string, path: string, question?: Question) => Promise<Reply>

export function createRequester(server: Pick<Server, 'url' | 'key'>): Requester {
  const { hostname: host, port } = new URL(server.url)
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  return (method, path, { body, bytes, key = server.key, headers = {} } = {}) => {
    const payload = bytes ?? (body === undefined ? undefined : JSON.stringify(body))
    const length = payload === undefined ? {} : { 'content-length': String(Buffer.byteLength(payload)) }
    const type = payload === undefined ? {} : { 'content-type': 'application/json' }
    const authorization = key === null ? {} : { authorization: `Bearer ${key}` }
    const options = { host, port, method, path, agent, headers: { ...authorization, ...type, ...length, ...headers } }
    return new Promise((resolve, reject) => {
      const sent = request(options, (response) => {
        const parts: Buffer[] = []
        response.on('data', (part: Buffer) => parts.push(part))
        response.on('error', reject)
        response.on('end', () => {
          const { statusCode: status = 0, headers } = response
          try {
            resolve(checked(`${method} ${path}`, status, headers, Buffer.concat(parts).toString()))
          } catch (error) {
            reject(error)
          }
        })
      })
      sent.on('error', reject)
      sent.end(payload)
    })
  }
}

const PAGES =
  /^text\/(?:html|css|javascript|plain(?:; version=0\.0\.4)?|csv); charset=utf-8$|^application\/samlmetadata\+xml; charset=utf-8$|^application\/x-ndjson$|^text\/event-stream(?:; charset=utf-8)?$/

/** Intended responses about features that this service does not have. */
const NOT_IMPLEMENTED = 501

function checked(asked: string, status: number, headers: Reply['headers'], text: string): Reply {
  assert.ok(status < 500 || status === NOT_IMPLEMENTED, `${asked} answered ${status}: ${text}`)
  const type = String(headers['content-type'])
  if (status === 204 && text === '') return { status, headers, text, body: undefined }
  if (status === 303 && text === '') return { status, headers, text, body: undefined }
  const isFile = headers['content-disposition']?.startsWith('attachment;')
  if (status === 200 && (PAGES.test(type) || isFile)) return { status, headers, text, body: text }
  assert.match(type, /^application\/(?:scim\+)?json(?:; charset=utf-8)?$/, `${asked} answered ${type}`)
  const body = text === '' ? undefined : JSON.parse(text)
  if (status >= 400 && text !== '') {
    checkInside(asked, text)
    checkShape(asked, status, body)
  }
  return { status, headers, text, body }
}

const INSIDE: [what: string, pattern: RegExp][] = [
  ['a page', /<html|<!doctype|<pre>/i],
  ['a stack', /\bat [^"]*:\d+:\d+|\.(?:ts|js|mjs):\d+/],
  ['a path of this machine', /\/(?:tmp|work|home|root|usr|var)\/|node_modules|[A-Z]:\\\\/],
  ['SQL', /SQLITE|\bselect .+ from\b|\binsert into\b|\bconstraint failed\b/i],
  ['a library', /\bFST_|fastify|\bzod\b|kysely|\bERR_[A-Z]/i],
]

/** Fails if the response reveals internals of the program. */
export function checkInside(asked: string, text: string): void {
  for (const [what, pattern] of INSIDE) assert.doesNotMatch(text, pattern, `${asked} answered ${what}: ${text}`)
}

/** Errors have two shapes: the list of a 422, or a code with a message. JSON-RPC errors are exempt. */
export function checkShape(asked: string, status: number, body: Reply['body']): void {
  const said = `${asked} answered ${status} ${JSON.stringify(body)}`
  if (body.jsonrpc === '2.0') {
    assert.ok(Number.isInteger(body.error.code) && body.error.message.length > 5, said)
    return
  }
  if (asked.includes('/scim/v2')) {
    assert.deepEqual(body.schemas, ['urn:ietf:params:scim:api:messages:2.0:Error'], said)
    assert.equal(body.status, String(status), said)
    assert.match(body.detail, /^[A-Z`"].{5,}/, said)
    return
  }
  if (status !== 422) {
    assert.deepEqual(Object.keys(body), ['error_code', 'detail'], said)
    assert.match(body.error_code, /^[A-Z_]+$/, said)
    assert.match(body.detail, /^[A-Z`].{5,}/, said)
    return
  }
  assert.deepEqual(Object.keys(body).sort(), ['detail', 'message'], said)
  assert.ok(body.detail.length > 0 && body.detail.length <= 100, said)
  for (const { loc, msg, type, ...rest } of body.detail) {
    assert.deepEqual(rest, {}, said)
    assert.ok(['body', 'query', 'path'].includes(loc[0]), said)
    assert.ok(
      loc.every((it: unknown) => typeof it === 'string' || Number.isInteger(it)),
      said,
    )
    assert.equal(typeof msg, 'string', said)
    assert.match(type, /^(?:[a-z_]+|INVALID_DEFINITION)$/, said)
  }
  assert.equal(body.message, `${body.detail[0].loc.join('.')}: ${body.detail[0].msg}`, said)
}

export interface RawReply {
  status: number
  head: string
  text: string
}

/** Sends raw bytes. Resolves with the response; status 0 if there was none. */
export function sendRaw(
  server: Pick<Server, 'url'>,
  bytes: string | Buffer | Iterable<Buffer>,
  signal?: AbortSignal,
): Promise<RawReply> {
  const { hostname, port } = new URL(server.url)
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname)
    let received = ''
    const end = () => {
      socket.destroy()
      resolve(replyOf(received))
    }
    socket.setEncoding('utf8')
    socket.on('data', (part: string) => {
      received += part
      if (isWhole(received)) end()
    })
    socket.on('error', () => {})
    socket.on('close', end)
    signal?.addEventListener('abort', end)
    socket.on('connect', () => write(socket, bytes))
  })
}

function write(socket: ReturnType<typeof connect>, bytes: string | Buffer | Iterable<Buffer>): void {
  if (typeof bytes === 'string' || Buffer.isBuffer(bytes)) {
    socket.write(bytes)
    return
  }
  const parts = bytes[Symbol.iterator]()
  const next = () => {
    const { value, done } = parts.next()
    if (done !== true && !socket.destroyed) socket.write(value, next)
  }
  next()
}

function isWhole(received: string): boolean {
  const end = received.indexOf('\r\n\r\n')
  const length = /^content-length: (\d+)\r?$/im.exec(received.slice(0, end))?.[1]
  return end >= 0 && length !== undefined && Buffer.byteLength(received.slice(end + 4)) >= Number(length)
}

function replyOf(received: string): RawReply {
  const end = received.indexOf('\r\n\r\n')
  const head = end < 0 ? received : received.slice(0, end)
  return {
    status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1] ?? 0),
    head,
    text: end < 0 ? '' : received.slice(end + 4),
  }
}
