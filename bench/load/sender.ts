// Sends a load from its own process. Closed: a fixed number of concurrent requests. Open: a fixed rate, regardless of the
// responses; the time of a request then starts when it was due, so that a stall is included.
import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { percentile } from '../../src/domain/search/ranking-metrics.ts'

export type RequestKind = 'search' | 'ingest'

export interface LoadPlan {
  url: string
  key: string
  seconds: number
  pace: { clients: number } | { perSecond: number; sockets: number }
  /** The share of searches; the other requests are documents. */
  searches: number
  queries: readonly string[]
  /** The number of characters of a document. */
  documentSize: number
  /** A part of every document id, so that no two loads send the same ids. */
  run: string
  /** The number of requests after which the same documents repeat, changed. Without it, every document is new. */
  repeatAfter?: number
}

export interface SendResult {
  /** Requests per second that were answered with 200. */
  perSecond: number
  sent: number
  /** Percentiles of the responses with 200. */
  p50Ms: Record<RequestKind, number>
  p99Ms: Record<RequestKind, number>
  /** The number of requests by their result. */
  byStatus: Record<string, number>
  /** Responses 429 or 503 without Retry-After. */
  withoutRetryAfter: number
  /** The share of one processor. Near 1, the sender itself was the limit. */
  senderCpu: number
}

interface SendTally {
  times: Record<RequestKind, number[]>
  byStatus: Map<string, number>
  withoutRetryAfter: number
  sent: number
}

const TICK_MS = 5
const TIMEOUT_MS = 30_000

process.on('message', (sending: LoadPlan) => {
  send(sending).then((sent) => process.send?.(sent))
})

async function send(sending: LoadPlan): Promise<SendResult> {
  const tally: SendTally = { times: { search: [], ingest: [] }, byStatus: new Map(), withoutRetryAfter: 0, sent: 0 }
  const sockets = 'clients' in sending.pace ? sending.pace.clients : sending.pace.sockets
  const agent = new Agent({ keepAlive: true, maxSockets: sockets })
  const cpu = process.cpuUsage()
  const begin = performance.now()
  const until = begin + sending.seconds * 1_000
  await ('clients' in sending.pace ? closed : open)(sending, agent, tally, until)
  const tookMs = performance.now() - begin
  agent.destroy()
  const { user, system } = process.cpuUsage(cpu)
  const { search, ingest } = tally.times
  const at = (share: number) => ({ search: percentile(search, share), ingest: percentile(ingest, share) })
  return {
    perSecond: (search.length + ingest.length) / (tookMs / 1_000),
    sent: tally.sent,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    byStatus: Object.fromEntries(tally.byStatus),
    withoutRetryAfter: tally.withoutRetryAfter,
    senderCpu: (user + system) / 1_000 / tookMs,
  }
}

async function closed(sending: LoadPlan, agent: Agent, tally: SendTally, until: number): Promise<void> {
  const { clients } = sending.pace as { clients: number }
  const client = async () => {
    while (performance.now() < until) await one(sending, agent, tally, performance.now())
  }
  await Promise.all(Array.from({ length: clients }, client))
}

async function open(sending: LoadPlan, agent: Agent, tally: SendTally, until: number): Promise<void> {
  const { perSecond, sockets } = sending.pace as { perSecond: number; sockets: number }
  const underWay = new Set<Promise<void>>()
  const begin = performance.now()
  for (let due = 0; performance.now() < until; await delay(TICK_MS)) {
    for (; begin + (due * 1_000) / perSecond <= performance.now(); due++) {
      // A person behind that many others would have left before a connection is free.
      if (underWay.size >= 2 * sockets) {
        count(tally, 'no connection free')
        continue
      }
      const answered = one(sending, agent, tally, begin + (due * 1_000) / perSecond)
      underWay.add(answered)
      void answered.then(() => underWay.delete(answered))
    }
  }
  await Promise.all(underWay)
}

/** Never rejects: a broken connection counts as a result of its own. */
function one(sending: LoadPlan, agent: Agent, tally: SendTally, dueAt: number): Promise<void> {
  const serial = tally.sent++
  const kind: RequestKind = serial % 100 < sending.searches * 100 ? 'search' : 'ingest'
  const body = Buffer.from(kind === 'search' ? searchBody(sending, serial) : documentBody(sending, serial))
  const headers = {
    authorization: `Bearer ${sending.key}`,
    'content-type': 'application/json',
    'content-length': body.length,
  }
  const path = kind === 'search' ? '/search' : '/service-api/ingestion'
  return new Promise((resolve) => {
    const end = (status: string) => {
      count(tally, status)
      if (status === '200') tally.times[kind].push(performance.now() - dueAt)
      resolve()
    }
    const sent = request(`${sending.url}${path}`, { method: 'POST', agent, headers, timeout: TIMEOUT_MS })
    sent.on('timeout', () => sent.destroy(new Error('timeout')))
    sent.on('error', (error: Error & { code?: string }) => end(error.code ?? error.message))
    sent.on('response', (response) => {
      const status = response.statusCode!
      const isRefusal = status === 429 || status === 503
      if (isRefusal && response.headers['retry-after'] === undefined) tally.withoutRetryAfter++
      response.resume()
      response.on('end', () => end(String(status)))
    })
    sent.end(body)
  })
}

const count = ({ byStatus }: SendTally, status: string): void =>
  void byStatus.set(status, (byStatus.get(status) ?? 0) + 1)

const searchBody = ({ queries }: LoadPlan, serial: number): string =>
  JSON.stringify({ query: queries[serial % queries.length] })

function documentBody({ run, queries, documentSize, repeatAfter = Infinity }: LoadPlan, serial: number): string {
  let text = ''
  for (let at = serial; text.length < documentSize; at++) text += `${queries[at % queries.length]} `
  const id = `load/${run}/${serial % repeatAfter}`
  return JSON.stringify({ document: { id, semantic_identifier: id, sections: [{ text }], metadata: {} } })
}
