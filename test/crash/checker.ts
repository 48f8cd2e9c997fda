// After a crash, checks that the program holds everything it acknowledged, once, and nothing else.
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client } from '../http.ts'
import { parallel } from '../parallel.ts'
import { waitFor } from '../server.ts'
import { type Attempt, type DocumentState, groupByDocument, possibleStates, wrongAnswers } from './history.ts'
import { COMMON_WORD, performAttempt } from './workload.ts'

export interface CrashCheck {
  api: Client
  /** Resent attempts are appended. */
  history: Attempt[]
  /** Documents to check one by one; all when absent. */
  ids?: ReadonlySet<string>
  /** How many unanswered versions to resend. */
  resend?: number
}

const PARALLEL = 4
const PAGE = 100
const INDEXED_WITHIN_MS = 90_000

/** Returns a sentence for each broken promise. */
export async function findBrokenPromises({ api, history, ids, resend = 5 }: CrashCheck): Promise<string[]> {
  if (!(await waitUntilIndexed(api).catch(() => false))) return ['indexing does not finish']
  const documents = groupByDocument(history)
  const faults = [...[...documents.values()].flatMap(wrongAnswers), ...(await listReportedLosses(api))]
  const inScope = [...documents].filter(([id]) => ids?.has(id) ?? true)
  const states = new Map<string, DocumentState>()
  await parallel(inScope, PARALLEL, async ([id, attempts]) => {
    const found = await findLiveVersions(api, id, attempts)
    faults.push(...found.faults, ...checkDocumentState(id, attempts, found.live))
    states.set(id, found.live[0] ?? null)
  })
  faults.push(...(await findPhantoms(api, documents, states)))
  faults.push(...(await resendOpenAttempts({ api, history, resend }, states, documents)))
  return faults
}

interface Readiness {
  pending: number
  record: { state: string; reason: string | null }
}

const readiness = async (api: Client) => ((await api('GET', '/health/ready')).body as { data?: Readiness }).data

/** A service that has detected a loss is never ready, but it still indexes its record. */
const waitUntilIndexed = (api: Client) =>
  waitFor(async () => (await readiness(api))?.pending === 0, 'an empty queue', INDEXED_WITHIN_MS)

/** Returns the loss that the service itself reports; there must be none. */
async function listReportedLosses(api: Client): Promise<string[]> {
  const { state, reason } = (await readiness(api))!.record
  return state === 'ok' ? [] : [`the service reports about its record: ${reason}`]
}

/** Fails the test with all faults and writes the history to the file that the message names. */
export async function assertSound(faults: readonly string[], history: readonly Attempt[], what: string): Promise<void> {
  if (faults.length === 0) return
  const path = join(tmpdir(), `pharos-history-${process.pid}-${Date.now()}.jsonl`)
  await writeFile(path, history.map((it) => `${JSON.stringify(it)}\n`).join(''))
  const shown = faults.slice(0, 20).join('\n  ')
  throw new Error(`${what}: ${faults.length} promises broken, history in ${path}\n  ${shown}`)
}

/** Finds which of the versions ever sent are searchable, and whether the receipt agrees. */
async function findLiveVersions(
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

function checkDocumentState(id: string, attempts: readonly Attempt[], live: readonly string[]): string[] {
  if (live.length > 1) return [`${id}: ${live.length} versions are live: ${live.join(', ')}`]
  const possible = possibleStates(attempts)
  const state = live[0] ?? null
  if (possible.has(state)) return []
  return [`${id}: is ${state ?? 'absent'}, must be ${[...possible].map((it) => it ?? 'absent').join(' or ')}`]
}

/** Everything that exists must have been sent, and each document must appear once. */
async function findPhantoms(
  api: Client,
  documents: ReadonlyMap<string, Attempt[]>,
  states: ReadonlyMap<string, DocumentState>,
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

/** An unanswered version may exist or not. Sent again it must exist once, and the answer must be correct about it. */
async function resendOpenAttempts(
  { api, history, resend }: Required<Omit<CrashCheck, 'ids'>>,
  states: ReadonlyMap<string, DocumentState>,
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
    await performAttempt(api, attempt)
    if (attempt.alreadyExisted !== (states.get(attempt.id) !== null)) {
      faults.push(`${attempt.id}: sent again, HTTP ${attempt.status}, already_existed is ${attempt.alreadyExisted}`)
    }
  }
  await waitUntilIndexed(api)
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
