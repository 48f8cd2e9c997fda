import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type EgressAnswer, EgressError } from '../egress/egress.ts'
import { openHostGates } from './host-gates.ts'
import { type FetchNeeds, fetchFromSource, wishOf } from './source-fetch.ts'

const URL_ = 'https://x.example/a'
type Scripted = { status: number; headers?: Record<string, string>; body?: string } | Error

function scripted(answers: Scripted[], more: Partial<FetchNeeds> = {}) {
  const at: number[] = []
  const waits: [string, number][] = []
  const fetch = async (): Promise<EgressAnswer> => {
    at.push(performance.now())
    const answer = answers[Math.min(at.length, answers.length) - 1]!
    if (answer instanceof Error) throw answer
    const { status, headers = {}, body = '' } = answer
    // Only what is looked at.
    return { status, headers, url: URL_, bytes: async () => Buffer.from(body) } as unknown as EgressAnswer
  }
  const needs: FetchNeeds = {
    egress: { fetch },
    gates: openHostGates({ parallel: 4, perSecond: 0 }, Date.now),
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
  ['what passes', [{ status: 503 }, { status: 502 }, { status: 200 }], 200, 3],
  ['a connection that was lost', [new EgressError('protocol', 'x.example'), { status: 200 }], 200, 2],
  ['that something is not there', [{ status: 404 }], 404, 1],
  ['that it may not', [{ status: 403 }], 403, 1],
] as const) {
  test(`${name} is answered after ${tries} tries`, async () => {
    const { needs, at } = scripted([...answers])
    assert.deepEqual([(await fetchFromSource(needs, URL_)).status, at.length], [expected, tries])
  })
}

test('what does not pass is an error of the source with its last answer', async () => {
  const { needs, at } = scripted([{ status: 500 }])
  await assert.rejects(fetchFromSource(needs, URL_), {
    fault: 'unavailable',
    status: 500,
    message: 'x.example answers 500.',
  })
  assert.equal(at.length, 4)
})

test('nothing is asked of a host before it wants to be, by whomever, and the wait is told', async () => {
  const { needs, at, waits } = scripted([{ status: 429, headers: { 'retry-after': '1' } }, { status: 200 }])
  const first = fetchFromSource(needs, URL_)
  await new Promise((resolve) => setTimeout(resolve, 100))
  await Promise.all([first, fetchFromSource(needs, 'https://x.example/b')])
  assert.equal(at.length, 3)
  assert.ok(at[1]! - at[0]! >= 990, `${at[1]! - at[0]!} ms`)
  assert.match(waits[0]![0], /x\.example asks to be left alone/)
})

test('a signal ends the wait with its reason', async () => {
  const abort = new AbortController()
  const reason = new Error('enough')
  const { needs } = scripted([{ status: 429, headers: { 'retry-after': '600' } }], { signal: abort.signal })
  const fetched = fetchFromSource(needs, URL_)
  setTimeout(() => abort.abort(reason), 50)
  await assert.rejects(fetched, reason)
})

const NOW = Date.UTC(2026, 0, 1)
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
    assert.equal(wishOf({ status, headers }, NOW), expected))
}

test('four requests to one host are under way together, and no more begin in a second than agreed', async () => {
  const gates = openHostGates({ parallel: 4, perSecond: 10 }, Date.now)
  let [most, current] = [0, 0]
  const begun: number[] = []
  const work = async () => {
    begun.push(performance.now())
    most = Math.max(most, ++current)
    await new Promise((resolve) => setTimeout(resolve, 5))
    current--
  }
  const { signal } = new AbortController()
  await Promise.all(Array.from({ length: 25 }, () => gates.pass('x.example', work, signal)))
  assert.equal(most, 4)
  for (const [at, time] of begun.entries()) {
    const tenth = begun[at + 10]
    if (tenth !== undefined) assert.ok(tenth - time > 900, `11 requests within ${tenth - time} ms`)
  }
})
