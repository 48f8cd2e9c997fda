// A client that exceeds its share waits, and other clients are not affected.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { start } from './setup.ts'

const { server, ask, makeKey } = await start()
/** More requests than one key may run and queue together. */
const MANY = 300
const TRIES = 1_000
const search = { body: { query: 'anything' } }

/** A request that never gets a permit hangs. */
const LIMIT = { timeout: 120_000 }
const ROUNDS = 12
const IN_A_ROUND = 50

/** A search without its body: it holds a permit or waits for one. `head` is the head of its response, if any. */
function unfinished(key: string): { socket: Socket; head: Promise<string> } {
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  socket.write(
    `POST /search HTTP/1.1\r\nHost: here.test\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: 40\r\n\r\n`,
  )
  return { socket, head: once(socket, 'data').then(([bytes]) => String(bytes)) }
}

test(
  'a key with too many running searches gets 429 while other keys are served, and is served again later',
  LIMIT,
  async () => {
    const greedy = await makeKey({ role: 'basic', scopes: ['search'] })
    const modest = await makeKey({ role: 'basic', scopes: ['search'] })
    const open = Array.from({ length: MANY }, () => unfinished(greedy))
    const refusal = await Promise.any(open.map((it) => it.head))
    assert.match(refusal, /^HTTP\/1\.1 429 /)
    assert.match(refusal, /retry-after: \d+\r\n/i)
    assert.match(refusal, /"error_code":"TOO_MANY_REQUESTS"/)
    assert.equal((await ask('POST', '/search', { ...search, key: modest })).status, 200)
    for (const { socket } of open) socket.destroy()
    let status = 0
    for (let tries = 0; status !== 200 && tries < TRIES; tries++) {
      status = (await ask('POST', '/search', { ...search, key: greedy })).status
    }
    assert.equal(status, 200)
  },
)

test('clients that leave while they are authenticated keep no permits', LIMIT, async () => {
  const key = await makeKey({ role: 'basic', scopes: ['search'] })
  for (let ms = 0; ms < ROUNDS; ms++) {
    const open = Array.from({ length: IN_A_ROUND }, () => unfinished(key))
    await Promise.all(open.map(({ socket }) => once(socket, 'connect')))
    await delay(ms)
    for (const { socket, head } of open) {
      head.catch(() => {})
      socket.destroy()
    }
  }
  let status = 0
  for (let tries = 0; status !== 200 && tries < TRIES; tries++)
    status = (await ask('POST', '/search', { ...search, key })).status
  assert.equal(status, 200)
})
