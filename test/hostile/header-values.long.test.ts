// C15: a client that sends a new value each time must not exhaust memory (CVE-2026-7768 was a cache keyed by Accept).
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { connect } from '../http.ts'
import { parallel } from '../parallel.ts'
import { startServer } from '../server.ts'

const REQUESTS = 1_000_000
const WARM_UP = 100_000
const MAX_GROWTH_MIB = 48
const skip = existsSync('/proc/self/status') ? false : 'memory of another process is read from /proc'

test('a million distinct values of Accept, Origin and User-Agent do not grow memory [C15]', {
  skip,
  timeout: 3_600_000,
}, async (t) => {
  const { url, key, pid } = await startServer()
  const api = connect(url, key, 32)
  const send = async (from: number, to: number) => {
    await parallel(numbers(from, to), 32, async (at) => {
      const headers = { accept: `text/x-${at}`, origin: `http://${at}.example.com`, 'user-agent': `agent ${at}` }
      assert.equal((await api('GET', '/version', undefined, headers)).status, 200)
    })
    return residentMib(pid)
  }
  const before = await send(0, WARM_UP)
  const after = await send(WARM_UP, REQUESTS)
  api.close()
  t.diagnostic(`${before} MiB after ${WARM_UP} requests, ${after} MiB after ${REQUESTS}`)
  assert.ok(after - before <= MAX_GROWTH_MIB)
})

function* numbers(from: number, to: number): Generator<number> {
  for (let at = from; at < to; at++) yield at
}

const residentMib = (pid: number): number =>
  Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1_024)
