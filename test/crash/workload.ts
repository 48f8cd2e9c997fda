// Eight clients that push, change and delete documents, and record each attempt before they make it.
import type { Answer, Client } from '../http.ts'
import { parallel } from '../parallel.ts'
import type { Random } from '../random.ts'
import type { Attempt } from './history.ts'

export interface Workload {
  api: Client
  /** Grows by one entry per attempt. */
  history: Attempt[]
  random: Random
  clients?: number
  /** Maximum number of attempts; without it, until the program dies. */
  attempts?: number
  /** Ends the workload between two attempts. */
  signal?: AbortSignal
}

/** Every version contains it, so one search finds everything. */
export const COMMON_WORD = 'pharosdocument'
const CLIENTS = 8
/** Documents that all clients change concurrently. */
const CONTESTED = 8
const SHORT = 40
const LONG = 3_000
const VOCABULARY = ['river', 'engine', 'paper', 'winter', 'copper', 'letter', 'garden', 'market', 'signal', 'harbour']

/** Monotonic clock in milliseconds for all times in a history, shared with the disk recorder. */
export const monotonicNow = (): number => Number(process.hrtime.bigint()) / 1e6

export async function runWorkload(workload: Workload): Promise<void> {
  const clients = Array.from({ length: workload.clients ?? CLIENTS }, (_, client) => client)
  const run = workload.history.length
  const state = { isDead: false, left: workload.attempts ?? Number.POSITIVE_INFINITY }
  await parallel(clients, clients.length, async (client) => {
    const own: string[] = []
    while (!state.isDead && state.left-- > 0 && !workload.signal?.aborted) {
      const attempt = planAttempt(workload, `crash://${run}/${client}/`, own)
      workload.history.push(attempt)
      state.isDead = !(await performAttempt(workload.api, attempt))
    }
  })
}

function planAttempt({ random, history }: Workload, prefix: string, own: string[]): Attempt {
  const serial = history.length
  if (random() < 0.1) return newAttempt(`crash://contested/${random.below(CONTESTED)}`, serial, random)
  const known = own[random.below(Math.max(own.length, 1))]
  const kind = random()
  if (known === undefined || kind < 0.55) {
    const id = `${prefix}${serial}`
    own.push(id)
    return newAttempt(id, serial, random)
  }
  if (kind < 0.85) return newAttempt(known, serial, random)
  return { ...newAttempt(known, serial, random), token: null }
}

export function newAttempt(id: string, serial: number, random: Random): Attempt {
  const token = `tok${serial.toString().padStart(6, '0')}x${random.below(1e9).toString().padStart(9, '0')}`
  const words = random() < 0.1 ? LONG : SHORT
  return {
    id,
    token,
    start: monotonicNow(),
    end: Number.POSITIVE_INFINITY,
    outcome: 'open',
    status: null,
    alreadyExisted: null,
    words,
  }
}

/** Sends the attempt and records the answer. Returns false when there was none because the program is gone. */
export async function performAttempt(api: Client, attempt: Attempt): Promise<boolean> {
  attempt.start = monotonicNow()
  const answer = await sendAttempt(api, attempt).catch(() => undefined)
  attempt.end = monotonicNow()
  if (answer === undefined) return false
  attempt.status = answer.status
  attempt.outcome = answer.status === 200 ? 'acknowledged' : isOutcomeUnknown(answer) ? 'open' : 'refused'
  if (answer.status === 200 && attempt.token !== null) {
    attempt.alreadyExisted = (answer.body as { already_existed: boolean }).already_existed
  }
  return true
}

/** If the database is lost during a commit, the caller cannot know the outcome. Every other refusal guarantees it. */
const isOutcomeUnknown = ({ status, body }: Answer) =>
  status === 503 && (body as { error_code?: string }).error_code === 'STORE_UNAVAILABLE'

function sendAttempt(api: Client, { id, token, words }: Attempt) {
  if (token === null) return api('DELETE', `/service-api/ingestion/${encodeURIComponent(id)}`)
  const sections = [{ text: textOfVersion(token, words) }]
  const document = { id, semantic_identifier: 'Crash test', sections, source: 'ingestion_api', metadata: {} }
  return api('POST', '/service-api/ingestion', { document })
}

/** Long texts repeat the token, so a chunk left over from an old version reveals itself. */
function textOfVersion(token: string, words: number): string {
  const parts = [COMMON_WORD]
  for (let word = 0; word < words; word++) {
    if (word % SHORT === 0) parts.push(token)
    parts.push(VOCABULARY[(word * 7 + token.charCodeAt(word % token.length)) % VOCABULARY.length]!)
    if (word % 12 === 11) parts.push('.')
  }
  return parts.join(' ')
}
