// How much 50 sign-ins at once move the latency of searches. Each sign-in computes one argon2 hash.
import { percentile } from '../src/domain/search/ranking-metrics.ts'
import type { BenchSettings } from './bench.ts'
import { type BenchServer, openBenchServer } from './load/bench-server.ts'
import { print, table } from './output.ts'
import { median } from './statistics.ts'

const SIGN_INS = 50
const SEARCHERS = 4
const PASSWORD = 'correct horse battery staple'
const WARM_UP_SECONDS = 3

export async function run({ chunks, rounds, seconds }: BenchSettings): Promise<void> {
  const stand = await openBenchServer(chunks)
  try {
    const emails = await registerPeople(stand)
    await searchFor(stand, WARM_UP_SECONDS)
    const alone: number[] = []
    const busy: number[] = []
    let refused = 0
    // In turns, so that other work on the machine affects both.
    for (let round = 0; round < rounds; round++) {
      alone.push(percentile(await searchFor(stand, seconds), 0.99))
      const ended = new AbortController()
      const signIns = signInUntil(stand, emails, ended.signal)
      busy.push(percentile(await searchFor(stand, seconds), 0.99))
      ended.abort()
      refused += await signIns
    }
    const [quiet, loaded] = [median(alone), median(busy)]
    const change = `${((loaded / quiet - 1) * 100).toFixed(0)} %`
    print(
      table(
        ['search p99', 'alone, ms', `${SIGN_INS} sign-ins, ms`, 'change', 'aim', 'sign-ins refused'],
        [['POST /search', quiet.toFixed(1), loaded.toFixed(1), change, '≤ 25 %', refused]],
      ),
    )
  } finally {
    await stand.stop()
  }
}

async function call({ server }: BenchServer, method: string, path: string, body: object, withKey: boolean) {
  const headers: Record<string, string> = { 'content-type': 'application/json', 'x-requested-with': 'bench' }
  if (withKey) headers.authorization = `Bearer ${server.key}`
  const reply = await fetch(server.url + path, { method, headers, body: JSON.stringify(body) })
  return { status: reply.status, text: await reply.text() }
}

async function registerPeople(stand: BenchServer): Promise<string[]> {
  const emails = Array.from({ length: SIGN_INS }, (_, at) => `person-${at}@example.com`)
  const { text } = await call(stand, 'PUT', '/manage/admin/users', { emails }, true)
  const { invitations } = JSON.parse(text) as { invitations: { link: string }[] }
  for (const { link } of invitations) {
    const token = link.slice(link.indexOf('#') + 1)
    const { status } = await call(stand, 'POST', '/auth/register', { token, password: PASSWORD }, false)
    if (status !== 201) throw new Error(`a person was not created: ${status}`)
  }
  return emails
}

/** Returns the times of all searches in milliseconds. */
async function searchFor(stand: BenchServer, seconds: number): Promise<number[]> {
  const end = performance.now() + seconds * 1_000
  const times: number[] = []
  const search = async (first: number) => {
    for (let at = first; performance.now() < end; at += SEARCHERS) {
      const before = performance.now()
      const query = stand.queries[at % stand.queries.length]
      const { status } = await call(stand, 'POST', '/search', { query, record: false }, true)
      if (status !== 200) throw new Error(`a search failed: ${status}`)
      times.push(performance.now() - before)
    }
  }
  await Promise.all(Array.from({ length: SEARCHERS }, (_, first) => search(first)))
  return times
}

/** Keeps one sign-in of each person under way. Returns how many the service refused because too many were waiting. */
async function signInUntil(stand: BenchServer, emails: readonly string[], signal: AbortSignal): Promise<number> {
  let refused = 0
  const signIn = async (username: string) => {
    while (!signal.aborted) {
      const { status } = await call(stand, 'POST', '/auth/login', { username, password: PASSWORD }, false)
      if (status !== 204) refused++
    }
  }
  await Promise.all(emails.map(signIn))
  return refused
}
