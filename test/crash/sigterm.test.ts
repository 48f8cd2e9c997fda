import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect as connectSocket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { chooseSeed, seeded } from '../random.ts'
import { type Server, startServer, waitFor } from '../server.ts'
import { assertSound, findBrokenPromises } from './checker.ts'
import type { Attempt } from './history.ts'
import { monotonicNow, runWorkload } from './workload.ts'

/** The service itself gives up after 10 s; a busy machine needs the rest to end a process. */
const STOP_WITHIN_MS = 20_000

test('SIGTERM under load: it ends in time, and acknowledged changes are there afterwards', async (t) => {
  const random = seeded(chooseSeed((line) => t.diagnostic(line)))
  const dataDir = await mkdtemp(join(tmpdir(), 'pharos-sigterm-'))
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  const history: Attempt[] = []
  const server = await startServer({ dataDir })
  const load = runWorkload({ api: server.api, history, random })
  await waitFor(() => history.length > 300, '300 attempts')
  const asked = monotonicNow()
  const { code } = await server.stop()
  const tookMs = monotonicNow() - asked
  await load
  assert.equal(code, 0, server.output())
  assert.ok(tookMs < STOP_WITHIN_MS, `it took ${tookMs} ms`)
  const unanswered = history.filter((it) => it.outcome === 'open' && it.start < asked)
  assert.deepEqual(unanswered, [], 'every pending request is answered')
  const again = await startServer({ dataDir })
  const faults = await findBrokenPromises({ api: again.api, history }).finally(() => again.kill())
  await assertSound(faults, history, 'after SIGTERM')
  t.diagnostic(`${history.length} attempts, ended within ${Math.round(tookMs)} ms`)
})

test('a request with half of its body sent at SIGTERM is answered', async () => {
  const server = await startServer()
  const { answer, finish } = await halfSent(server)
  const stopped = server.stop()
  await waitFor(() => isRefusing(server), 'new connections to be refused')
  finish()
  assert.match(await answer, /^HTTP\/1\.1 200 /)
  assert.equal((await stopped).code, 0)
})

test('SIGTERM as soon as the address is known: it stops in order', async () => {
  const server = await startServer()
  assert.deepEqual(await server.stop(), { code: 0, signal: null })
})

test('an idle keep-alive connection does not delay the end', async () => {
  const server = await startServer()
  await server.api('GET', '/health')
  const asked = monotonicNow()
  assert.equal((await server.stop()).code, 0)
  assert.ok(monotonicNow() - asked < STOP_WITHIN_MS, `it took ${monotonicNow() - asked} ms`)
})

/** `100 Continue` shows that the program has the head of the request; then half of the body follows. */
async function halfSent({ url, key }: Server): Promise<{ answer: Promise<string>; finish: () => void }> {
  const { hostname, port } = new URL(url)
  const socket = connectSocket(Number(port), hostname)
  let received = ''
  socket.setEncoding('utf8').on('data', (text: string) => {
    received += text
  })
  const answer = new Promise<string>((resolve) => {
    socket.on('close', () => resolve(received)).on('error', () => resolve(received))
  })
  const document = { id: 'half', semantic_identifier: 'Half', sections: [{ text: 'half' }], metadata: {} }
  const body = JSON.stringify({ document })
  const head = [
    'POST /service-api/ingestion HTTP/1.1',
    'host: pharos',
    `authorization: Bearer ${key}`,
    'content-type: application/json',
    `content-length: ${body.length}`,
    'expect: 100-continue',
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  await waitFor(() => received.startsWith('HTTP/1.1 100'), 'the program to start the request')
  received = ''
  socket.write(body.slice(0, 20))
  return { answer, finish: () => socket.write(body.slice(20)) }
}

function isRefusing({ url }: Server): Promise<boolean> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    const probe = connectSocket(Number(port), hostname)
    probe.on('connect', () => resolve(false)).on('error', () => resolve(true))
    probe.on('connect', () => probe.destroy())
  })
}
