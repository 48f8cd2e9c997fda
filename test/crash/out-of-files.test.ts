// The program with few file descriptors, while a client opens idle connections: it refuses work and survives.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as dial, type Socket } from 'node:net'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { connect } from '../http.ts'
import { chooseSeed, seeded } from '../random.ts'
import { type Server, settled, startServer, waitFor } from '../server.ts'
import { assertSound, findBrokenPromises } from './checker.ts'
import type { Attempt } from './history.ts'
import { newAttempt, performAttempt } from './workload.ts'

const SOCKETS = 100
const PUSHES = 60
const isPosix = process.platform === 'win32' ? { skip: 'needs ulimit' } : {}

for (const limit of [64, 128]) {
  test(
    `with ${limit} descriptors and ${SOCKETS} idle connections nothing that was taken is lost`,
    isPosix,
    async (t) => {
      const random = seeded(chooseSeed((line) => t.diagnostic(line)))
      const server = await startServer({ launcher: ['bash', '-c', `ulimit -n ${limit} && exec "$@"`, 'bash'] })
      const history: Attempt[] = []
      const push = async (api = server.api) => {
        const attempt = newAttempt(`files/${history.length}`, history.length, random)
        history.push(attempt)
        await performAttempt(api, attempt)
        return attempt.status
      }
      for (let document = 0; document < 20; document++) assert.equal(await push(), 200)
      await settled(server)

      const idle = holdIdle(server)
      try {
        await sayIt(server)
        const statuses = new Set<number | null>()
        for (let document = 0; document < PUSHES; document++) {
          // Checks an existing connection and a new one.
          const late = connect(server.url, server.key, 1)
          for (const api of [server.api, late]) statuses.add(await push(api))
          late.close()
          await delay(100)
        }
        t.diagnostic(`answers: ${[...statuses].join(', ')}`)
        for (const status of statuses)
          assert.ok(status === 200 || status === 503 || status === null, `answered ${status}`)
      } finally {
        await idle.release()
      }
      await waitFor(async () => (await push()) === 200, 'writes to be accepted again')
      await waitFor(async () => (await server.api('GET', '/health/ready')).status === 200, 'it to be ready')
      await retried(server, history)
      await assertSound(await findBrokenPromises({ api: server.api, history }), history, `with ${limit} descriptors`)
      assert.match(await metric(server), /^pharos_http_connections_refused_total [1-9]/m)
      assert.doesNotMatch(server.output(), /"level":60/)
    },
  )
}

/** Opens a new connection for each that is closed. */
function holdIdle({ url }: Server) {
  const open = new Set<Socket>()
  let isOver = false
  const hold = async (): Promise<void> => {
    while (!isOver) {
      const socket = dial(Number(new URL(url).port), '127.0.0.1')
      open.add(socket)
      // Read, so that its end is noticed.
      socket.resume().on('error', () => {})
      await once(socket, 'close').catch(() => {})
      open.delete(socket)
      await delay(1_000)
    }
  }
  const holding = Array.from({ length: SOCKETS }, hold)
  return {
    async release() {
      isOver = true
      for (const it of open) it.destroy()
      await Promise.all(holding)
    },
  }
}

/** Checks that new clients get an error with instructions. */
async function sayIt(server: Server): Promise<void> {
  // The idle clients dial again all the time, so an answer may need many connections.
  const ask = async (method: string, path: string, body?: unknown) => {
    for (let dialled = 0; dialled < 500; dialled++) {
      const late = connect(server.url, server.key, 1)
      const answer = await late(method, path, body).catch(() => undefined)
      late.close()
      if (answer !== undefined) return answer
    }
  }
  const ready = await waitFor(async () => {
    const answer = await ask('GET', '/health/ready')
    return answer?.status === 503 ? answer : undefined
  }, 'not to be ready')
  assert.match((ready.body as { detail: string }).detail, /ulimit -n/)
  assert.match(String(ready.headers['retry-after']), /^\d+$/)
  const search = await waitFor(async () => {
    const answer = await ask('POST', '/search', { query: 'fox' })
    return answer?.status === 503 ? answer : undefined
  }, 'a search to be refused')
  assert.equal((search.body as { error_code: string }).error_code, 'OUT_OF_FILES')
  assert.match(String(search.headers['retry-after']), /^\d+$/)
  await waitFor(async () => (await ask('GET', '/health'))?.status === 200, 'a healthy answer')
}

/** Waits for searches, and for documents that failed for want of a file. Such a document is tried again later. */
async function retried(server: Server, history: readonly Attempt[]): Promise<void> {
  await waitFor(async () => (await server.api('POST', '/search', { query: 'fox' })).status === 200, 'a search')
  for (const { id } of history.filter((it) => it.status === 200)) {
    await waitFor(async () => {
      const { body } = await server.api('GET', `/service-api/ingestion/${encodeURIComponent(id)}`)
      return (body as { status: string }).status === 'indexed'
    }, `${id} to be indexed`)
  }
}

const metric = async ({ api }: Server) => String((await api('GET', '/metrics')).body)
