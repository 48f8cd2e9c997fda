// How many searches are ranked by words alone near the capacity, because the vector of the query was late.
import { waitFor } from '../test/server.ts'
import type { BenchSettings } from './bench.ts'
import { type BenchServer, openBenchServer } from './load/bench-server.ts'
import { note, print, table } from './output.ts'

const PEAK_CLIENTS = 48
/** Shares of the peak rate. */
const SHARES = [0.5, 0.8, 1, 1.2]
const SOCKETS = 200
const EMBED_TIMEOUT_MS = 3_600_000

export async function run({ chunks, seconds }: BenchSettings): Promise<void> {
  const stand = await openBenchServer(chunks, { EMBEDDING: 'local' })
  try {
    note('waiting until every chunk has a vector')
    const hasAll = async () => (await readMetric(stand, 'pharos_index_vectors_missing')) === 0 || undefined
    await waitFor(hasAll, 'all vectors', EMBED_TIMEOUT_MS)
    await search(stand, 'warm', { clients: 4 }, 2)
    const peak = await search(stand, 'peak', { clients: PEAK_CLIENTS }, seconds)
    const rows = [peak.row]
    for (const share of SHARES) {
      const pace = { perSecond: peak.perSecond * share, sockets: SOCKETS }
      rows.push((await search(stand, `${share * 100} % of it`, pace, seconds)).row)
    }
    print(table(['searches', 'answered/s', 'p50 in ms', 'p99 in ms', 'by words alone (target at 80 %: 0)'], rows))
  } finally {
    await stand.stop()
  }
}

/** Each query is new, so none has a vector in the cache. */
async function search(
  stand: BenchServer,
  name: string,
  pace: Parameters<BenchServer['send']>[0]['pace'],
  seconds: number,
) {
  const queries = stand.queries.map((it) => `${it} ${name.replaceAll(/\W/g, '')}`)
  const before = await readMetric(stand, 'pharos_search_fallback_total')
  const sent = await stand.send({ run: name, seconds, pace, searches: 1, queries })
  const fallbacks = (await readMetric(stand, 'pharos_search_fallback_total')) - before
  const answered = sent.byStatus['200'] ?? 0
  const row = [
    name,
    sent.perSecond.toFixed(0),
    sent.p50Ms.search.toFixed(0),
    sent.p99Ms.search.toFixed(0),
    `${fallbacks} of ${answered}`,
  ]
  return { row, perSecond: sent.perSecond }
}

/** 0 for a counter that has not counted yet. */
async function readMetric({ server }: BenchServer, name: string): Promise<number> {
  const response = await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${server.key}` } })
  const line = (await response.text()).split('\n').find((it) => it.startsWith(`${name} `))
  return Number(line?.split(' ')[1] ?? 0)
}
