// After a crash: does the program hold what it acknowledged, all of it, once, and nothing else?
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client } from '../http.ts'
import { parallel } from '../parallel.ts'
import { settled } from '../server.ts'
import { type Attempt, byDocument, possibleStates, type State, wrongAnswers } from './history.ts'
import { COMMON_WORD, perform } from './workload.ts'

export interface Check {
  api: Client
  /** Re-sent attempts are added to it. */
  history: Attempt[]
  /** Only these documents are asked for one by one; without it all of them. */
  ids?: ReadonlySet<string>
  /** How many unanswered versions to send again. */
  resend?: number
}

const PARALLEL = 4
const PAGE = 100

/** What is wrong, a sentence each; empty when every promise was kept. */
export async function check({ api, history, ids, resend = 5 }: Check): Promise<string[]> {
  if (!(await settled({ api }).catch(() => false))) return ['the queue does not empty']
  const documents = byDocument(history)
  const faults = [...documents.values()].flatMap(wrongAnswers)
  const inScope = [...documents].filter(([id]) => ids?.has(id) ?? true)
  const states = new Map<string, State>()
  await parallel(inScope, PARALLEL, async ([id, attempts]) => {
    const found = await look(api, id, attempts)
    faults.push(...found.faults, ...judge(id, attempts, found.live))
    states.set(id, found.live[0] ?? null)
  })
  faults.push(...(await phantoms(api, documents, states)))
  faults.push(...(await sendAgain({ api, history, resend }, states, documents)))
  return faults
}

/** Fails the test with every fault, and leaves the history where the message says. */
export async function assertSound(faults: readonly string[], history: readonly Attempt[], what: string): Promise<void> {
  if (faults.length === 0) return
  const path = join(tmpdir(), `pharos-history-${process.pid}-${Date.now()}.jsonl`)
  await writeFile(path, history.map((it) => `${JSON.stringify(it)}\n`).join(''))
  const shown = faults.slice(0, 20).join('\n  ')
  throw new Error(`${what}: ${faults.length} promises broken, history in ${path}\n  ${shown}`)
}

/** Which of the versions ever sent are found, and whether the receipt agrees. */
async function look(
  api: Client,
  id: string,
  attempts: readonly Attempt[],
): Promise<{ live: string[]; faults: string[] }> {
  const faults: string[] = []
  const live: string[] = []
  const tokens = new Set(attempts.flatMap(({ token }) => token ?? []))
  for (const token of tokens) {
    const found = await search(api, `"${token}"`)
    if (found.length > 0) live.push(token)
    if (found.length > 1) faults.push(`${id} ${token}: found ${found.length} times`)
    for (const other of found) if (other !== id) faults.push(`${id} ${token}: found in ${other}`)
  }
  const { status, body } = await api('GET', `/service-api/ingestion/${encodeURIComponent(id)}`)
  const receipt = status === 200 ? (body as { status: string }).status : `HTTP ${status}`
  const expected = live.length > 0 ? 'indexed' : 'HTTP 404'
  if (receipt !== expected) faults.push(`${id}: ${live[0] ?? 'no version'} is found, its receipt says ${receipt}`)
  return { live, faults }
}

function judge(id: string, attempts: readonly Attempt[], live: readonly string[]): string[] {
  if (live.length > 1) return [`${id}: ${live.length} versions are live: ${live.join(', ')}`]
  const possible = possibleStates(attempts)
  const state = live[0] ?? null
  if (possible.has(state)) return []
  return [`${id}: is ${state ?? 'absent'}, must be ${[...possible].map((it) => it ?? 'absent').join(' or ')}`]
}

/** Everything that exists must have been sent, and each document must come once. */
async function phantoms(
  api: Client,
  documents: ReadonlyMap<string, Attempt[]>,
  states: ReadonlyMap<string, State>,
): Promise<string[]> {
  const found: string[] = []
  for (
    let page = await search(api, COMMON_WORD);
    page.length > 0;
    page = await search(api, COMMON_WORD, found.length)
  ) {
    found.push(...page)
  }
  const once = new Set(found)
  const faults = found.length === once.size ? [] : [`${found.length - once.size} documents are listed twice`]
  const mayExist = (id: string) => documents.has(id) && states.get(id) !== null
  const live = [...states].filter(([, state]) => state !== null)
  return [
    ...faults,
    ...[...once].filter((id) => !mayExist(id)).map((id) => `${id}: exists and should not`),
    ...live.filter(([id]) => !once.has(id)).map(([id]) => `${id}: found by its token, not by the common word`),
  ]
}

/** A version without an answer may have happened or not; sent again it must be there once, and the answer must know. */
async function sendAgain(
  { api, history, resend }: Required<Omit<Check, 'ids'>>,
  states: ReadonlyMap<string, State>,
  documents: ReadonlyMap<string, Attempt[]>,
): Promise<string[]> {
  const open = [...states.keys()].flatMap((id) => {
    const last = documents.get(id)?.at(-1)
    return last?.outcome === 'open' && last.token !== null ? [last] : []
  })
  const faults: string[] = []
  const again = open.slice(0, resend).map((it) => ({ ...it, end: Number.POSITIVE_INFINITY }))
  for (const attempt of again) {
    history.push(attempt)
    await perform(api, attempt)
    if (attempt.alreadyExisted !== (states.get(attempt.id) !== null)) {
      faults.push(`${attempt.id}: sent again, HTTP ${attempt.status}, already_existed is ${attempt.alreadyExisted}`)
    }
  }
  await settled({ api })
  for (const { id, token } of again) {
    const found = await search(api, `"${token}"`)
    if (found.length !== 1 || found[0] !== id) faults.push(`${id}: sent again, found in [${found.join(', ')}]`)
  }
  return faults
}

async function search(api: Client, query: string, offset = 0): Promise<string[]> {
  const { status, body } = await api('POST', '/search', { query, num_hits: PAGE, offset })
  if (status !== 200) throw new Error(`search answered ${status}: ${JSON.stringify(body)}`)
  return (body as { results: { document_id: string }[] }).results.map((it) => it.document_id)
}
