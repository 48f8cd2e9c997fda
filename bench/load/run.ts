// The behaviour under load: `npm run bench -- load --chunks 100000 --minutes 2`.
import { setTimeout as delay } from 'node:timers/promises'
import { percentile } from '../../src/domain/search/ranking-metrics.ts'
import { note, print, table } from '../output.ts'
import { median } from '../statistics.ts'
import { type BenchServer, openBenchServer } from './bench-server.ts'
import { type ProbeResult, probeWhile } from './probe.ts'
import type { SendResult } from './sender.ts'
import { openSlowConnections } from './slow-connections.ts'

export interface LoadSettings {
  chunks: number
  seconds: number
  minutes: number
  rounds: number
}

type Row = [figure: string, value: string, aim: string]

const SEARCH_CLIENTS = 50
const INGEST_RATE = 100
const MIXED_CLIENTS = 16
/** A fifth are documents. The same documents repeat with changes, because growth with new documents is no leak. */
const MIXED_REQUESTS = 10_000
const OVERLOAD = 5
const OVERLOAD_SOCKETS = 600
const PEAK_CLIENTS = 48
const RECOVERY_LIMIT_MS = 30_000
const MODEST_RATE = 20

export async function run(settings: LoadSettings): Promise<void> {
  const stand = await openBenchServer(settings.chunks)
  const rows: Row[] = []
  const parts = [searches, ingestion, freshness, mixed, overload, fairness, sockets]
  try {
    for (const part of parts) {
      note(part.name)
      rows.push(...(await part(stand, settings)))
    }
  } finally {
    await stand.stop()
  }
  print(table([`${settings.chunks} chunks`, 'measured', 'target'], rows))
}

const ms = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} ms`
const mb = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`
const percent = (share: number): string => `${Math.round(share * 100)} %`
const statuses = ({ byStatus }: SendResult): string =>
  Object.entries(byStatus)
    .map(([status, count]) => `${count} × ${status}`)
    .join(', ')

async function searches(stand: BenchServer, { seconds }: LoadSettings): Promise<Row[]> {
  await stand.send({ run: 'warm', seconds: 2, pace: { clients: SEARCH_CLIENTS }, searches: 1 })
  const sent = await probeWhile(
    stand,
    stand.send({ run: 's', seconds, pace: { clients: SEARCH_CLIENTS }, searches: 1 }),
  )
  return [
    [`${SEARCH_CLIENTS} clients search, p50`, ms(sent.p50Ms.search), '≤ 25 ms'],
    ['the same, p99', ms(sent.p99Ms.search), '≤ 150 ms'],
    ['the same, searches/s', String(Math.round(sent.perSecond)), ''],
    ['the same, answers', statuses(sent), 'all 200'],
    eventLoop('the same', sent.probed),
  ]
}

const eventLoop = (what: string, { healthP99Ms, healthMaxMs }: ProbeResult): Row => [
  `${what}, /health p99 and longest`,
  `${ms(healthP99Ms)}, ${ms(healthMaxMs)}`,
  '≤ 50, ≤ 250 ms',
]

async function ingestion(stand: BenchServer, { seconds }: LoadSettings): Promise<Row[]> {
  const pace = { perSecond: INGEST_RATE, sockets: 64 }
  const sent = await probeWhile(stand, stand.send({ run: 'i', seconds, pace, searches: 0 }))
  return [
    [`${INGEST_RATE} documents/s of 4 KiB, accepted p99`, ms(sent.p99Ms.ingest), '≤ 50 ms'],
    ['the same, answers', statuses(sent), 'all 200'],
    eventLoop('the same', sent.probed),
  ]
}

/** Searches for new documents while others arrive at the same rate. */
async function freshness(stand: BenchServer, { seconds }: LoadSettings): Promise<Row[]> {
  const pace = { perSecond: INGEST_RATE, sockets: 64 }
  const load = stand.send({ run: 'f', seconds, pace, searches: 0 })
  const until = performance.now() + seconds * 1_000
  const times: number[] = []
  for (let at = 0; performance.now() < until; at++) times.push(await untilFound(stand, `uniqueword${at}x`))
  await load
  return [['accepted → searchable during that load, p99', ms(percentile(times, 0.99)), '≤ 5000 ms']]
}

async function untilFound({ server: { api } }: BenchServer, word: string): Promise<number> {
  const document = { id: `fresh/${word}`, semantic_identifier: word, sections: [{ text: word }], metadata: {} }
  await api('POST', '/service-api/ingestion', { document })
  const accepted = performance.now()
  for (;;) {
    const { body } = await api('POST', '/search', { query: word, num_hits: 1 })
    if ((body as { total: number }).total > 0) return performance.now() - accepted
    await delay(1)
  }
}

async function mixed(stand: BenchServer, { minutes }: LoadSettings): Promise<Row[]> {
  const documents = { run: 'm', repeatAfter: MIXED_REQUESTS }
  const load = { ...documents, seconds: minutes * 60, pace: { clients: MIXED_CLIENTS }, searches: 0.8 }
  const sent = await probeWhile(stand, stand.send(load))
  const { memoryBytes, memorySlope } = sent.probed
  return [
    [`80 % searches, 20 % documents, ${minutes} min, answers`, statuses(sent), 'all 200'],
    ['the same, requests/s', String(Math.round(sent.perSecond)), ''],
    ['the same, p99 of searches and documents', `${ms(sent.p99Ms.search)}, ${ms(sent.p99Ms.ingest)}`, ''],
    ['the same, peak memory', mb(memoryBytes), '≤ 600 MiB'],
    [
      'the same, memory growth in the second half',
      `${(memorySlope / 2 ** 20).toFixed(1)} MiB/min`,
      '≤ 1 (after 10 min)',
    ],
    eventLoop('the same', sent.probed),
  ]
}

/** Measures the peak rate, and the share of it that remains at five times the load. */
async function overload(stand: BenchServer, settings: LoadSettings): Promise<Row[]> {
  const rows: Row[] = []
  for (const [what, share] of [
    ['searches', 1],
    ['documents', 0],
  ] as const) {
    rows.push(...(await overloadWith(stand, settings, what, share)))
  }
  return rows
}

async function overloadWith(
  stand: BenchServer,
  { seconds }: LoadSettings,
  what: string,
  searches: number,
): Promise<Row[]> {
  const peak = await stand.send({ run: `${what}-peak`, seconds, pace: { clients: PEAK_CLIENTS }, searches })
  const pace = { perSecond: peak.perSecond * OVERLOAD, sockets: OVERLOAD_SOCKETS }
  const sent = await probeWhile(stand, stand.send({ run: `${what}-over`, seconds, pace, searches }))
  const recoveryMs = await untilQuick(stand)
  const { sent: asked, perSecond, withoutRetryAfter, senderCpu, probed } = sent
  return [
    [`${what}, peak requests/s`, `${Math.round(peak.perSecond)}`, ''],
    [`${OVERLOAD}× the peak, answered with 200`, percent(perSecond / peak.perSecond), '≥ 80 %'],
    ['the same, offered load and sender CPU', `${Math.round(asked / seconds)}/s, ${percent(senderCpu)}`, ''],
    ['the same, answers', statuses(sent), '200, 429, 503'],
    ['the same, refusals without Retry-After', String(withoutRetryAfter), '0'],
    ['the same, /health p99', ms(probed.healthP99Ms), '≤ 100 ms'],
    ['the same, recovery time', ms(recoveryMs), '≤ 10000 ms'],
  ]
}

/** Waits until ten consecutive searches take at most 50 ms each. */
async function untilQuick({ server, queries }: BenchServer): Promise<number> {
  const begin = performance.now()
  for (let quick = 0; quick < 10 && performance.now() < begin + RECOVERY_LIMIT_MS; ) {
    const start = performance.now()
    const { status } = await server.api('POST', '/search', { query: queries[quick] })
    quick = status === 200 && performance.now() - start < 50 ? quick + 1 : 0
  }
  return performance.now() - begin
}

/** Checks whether a key with ten times the load slows another key down: alone and together, in turns. */
async function fairness(stand: BenchServer, { seconds, rounds }: LoadSettings): Promise<Row[]> {
  const [modest, greedy] = [await stand.key('modest'), await stand.key('greedy')]
  const pace = { perSecond: MODEST_RATE, sockets: 16 }
  const alone: number[] = []
  const beside: number[] = []
  for (let round = 0; round < rounds; round++) {
    alone.push((await stand.send({ run: 'alone', key: modest, seconds, pace, searches: 1 })).p99Ms.search)
    const ten = { perSecond: MODEST_RATE * 10, sockets: 160 }
    const other = stand.send({ run: 'greedy', key: greedy, seconds, pace: ten, searches: 1 })
    beside.push((await stand.send({ run: 'beside', key: modest, seconds, pace, searches: 1 })).p99Ms.search)
    await other
  }
  const grown = median(beside) / median(alone)
  return [
    [`${MODEST_RATE} searches/s of one key, p99`, ms(median(alone)), ''],
    [`the same next to a key with ${MODEST_RATE * 10}/s`, `${ms(median(beside))}, ${percent(grown)}`, '≤ 125 %'],
  ]
}

async function sockets(stand: BenchServer, { seconds }: LoadSettings): Promise<Row[]> {
  const search = () => stand.send({ run: 'sockets', seconds, pace: { clients: 4 }, searches: 1 })
  const before = { memory: stand.memory(), sent: await search() }
  const crowded = await openSlowConnections(stand.server.url)
  const sent = await search()
  const memory = stand.memory()
  const { slowest, cut } = await crowded.end()
  return [
    ['searches with 1,000 idle and 200 slow sockets', percent(sent.perSecond / before.sent.perSecond), 'as before'],
    ['the same, additional memory', mb(memory - before.memory), '≤ 50 MiB'],
    ['slow sockets that were closed, the last after', `${cut} of 200, ${ms(slowest)}`, '200'],
  ]
}
