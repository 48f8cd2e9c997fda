import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EgressError, type EgressResponse } from '../../egress/egress.ts'
import { fetchFromSource, requestedDelay, type SourceFetchDeps } from './fetch.ts'
import { createHostRateLimiter } from './host-rate-limiter.ts'

const NOW = Date.UTC(2026, 0, 1)
const URL_ = 'https://x.example/a'
type Scripted = { status: number; headers?: Record<string, string>; body?: string } | Error

function scripted(answers: Scripted[], more: Partial<SourceFetchDeps> = {}) {
  const at: number[] = []
  const waits: [string, number][] = []
  const fetch = async (): Promise<EgressResponse> => {
    at.push(performance.now())
    const answer = answers[Math.min(at.length, answers.length) - 1]!
    if (answer instanceof Error) throw answer
    const { status, headers = {}, body = '' } = answer
    // Only the fields that are read.
    return { status, headers, url: URL_, bytes: async () => Buffer.from(body) } as unknown as EgressResponse
  }
  const needs: SourceFetchDeps = {
    egress: { fetch },
    hostLimiter: createHostRateLimiter({ parallel: 4, perSecond: 0 }, Date.now),
    profile: 'public-only',
    asker: { kind: 'connector', id: 1 },
    retries: 3,
    firstRetryMs: 1,
    now: Date.now,
    onWait: (reason, until) => void waits.push([reason, until]),
    signal: new AbortController().signal,
    ...more,
  }
  return { needs, at, waits }
}

for (const [name, answers, expected, tries] of [
  ['a temporary error', [{ status: 503 }, { status: 502 }, { status: 200 }], 200, 3],
  ['a lost connection', [new EgressError('protocol', 'x.example'), { status: 200 }], 200, 2],
  ['a missing page', [{ status: 404 }], 404, 1],
  ['a forbidden page', [{ status: 403 }], 403, 1],
] as const) {
  test(`${name} is answered after ${tries} tries`, async () => {
    const { needs, at } = scripted([...answers])
    assert.deepEqual([(await fetchFromSource(needs, URL_)).status, at.length], [expected, tries])
  })
}

test('a persistent failure becomes a SourceError with the last status', async () => {
  const { needs, at } = scripted([{ status: 500 }])
  await assert.rejects(fetchFromSource(needs, URL_), {
    kind: 'unavailable',
    status: 500,
    message: 'x.example answers 500.',
  })
  assert.equal(at.length, 4)
})

test('each repetition is announced with its reason and its time', async () => {
  const { needs, waits } = scripted([{ status: 503 }, new EgressError('protocol', 'x.example'), { status: 200 }], {
    now: () => NOW,
  })
  await fetchFromSource(needs, URL_)
  assert.equal(waits.length, 2)
  assert.equal(waits[0]![0], 'x.example answered 503.')
  assert.match(waits[1]![0], /x\.example/)
  assert.ok(waits.every(([, until]) => until > NOW))
})

test('nothing is announced before a request that is not repeated', async () => {
  for (const answer of [{ status: 404 }, new EgressError('resolve', 'x.example')]) {
    const { needs, waits } = scripted([answer])
    await fetchFromSource(needs, URL_).catch(() => {})
    assert.deepEqual(waits, [])
  }
})

test('Retry-After pauses all requests to a host, and the wait is reported', async () => {
  const { needs, at, waits } = scripted([{ status: 429, headers: { 'retry-after': '1' } }, { status: 200 }])
  const first = fetchFromSource(needs, URL_)
  await new Promise((resolve) => setTimeout(resolve, 100))
  await Promise.all([first, fetchFromSource(needs, 'https://x.example/b')])
  assert.equal(at.length, 3)
  assert.ok(at[1]! - at[0]! >= 990, `${at[1]! - at[0]!} ms`)
  assert.match(waits[0]![0], /x\.example asked to wait/)
})

test('a signal ends the wait with its reason', async () => {
  const abort = new AbortController()
  const reason = new Error('enough')
  const { needs } = scripted([{ status: 429, headers: { 'retry-after': '600' } }], { signal: abort.signal })
  const fetched = fetchFromSource(needs, URL_)
  setTimeout(() => abort.abort(reason), 50)
  await assert.rejects(fetched, reason)
})

for (const [status, headers, expected] of [
  [429, { 'retry-after': '7' }, 7_000],
  [503, { 'retry-after': new Date(NOW + 9_000).toUTCString() }, 9_000],
  [429, { 'retry-after': new Date(NOW - 9_000).toUTCString() }, 0],
  [429, { 'retry-after': '99999999' }, 3_600_000],
  [429, { 'retry-after': 'soon' }, null],
  [429, {}, null],
  [403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(NOW / 1_000 + 5) }, 5_000],
  [403, { 'x-ratelimit-remaining': '3', 'x-ratelimit-reset': String(NOW / 1_000 + 5) }, null],
  [200, { 'retry-after': '7' }, null],
] as const) {
  test(`${status} with ${JSON.stringify(headers)} asks for ${expected} ms`, () =>
    assert.equal(requestedDelay({ status, headers }, NOW), expected))
}

test('concurrency and rate limits of a host are enforced', async () => {
  const gates = createHostRateLimiter({ parallel: 4, perSecond: 10 }, Date.now)
  let [most, current] = [0, 0]
  const begun: number[] = []
  const work = async () => {
    begun.push(performance.now())
    most = Math.max(most, ++current)
    await new Promise((resolve) => setTimeout(resolve, 5))
    current--
  }
  const { signal } = new AbortController()
  await Promise.all(Array.from({ length: 25 }, () => gates.run('x.example', work, signal)))
  assert.equal(most, 4)
  for (const [at, time] of begun.entries()) {
    const tenth = begun[at + 10]
    if (tenth !== undefined) assert.ok(tenth - time > 900, `11 requests within ${tenth - time} ms`)
  }
})
