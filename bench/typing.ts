// Latencies while a person types into the search box of a full index: suggestions and searches. The page itself is
// measured by the part `pages`.
import { percentile } from '../src/domain/search/ranking-metrics.ts'
import type { BenchSettings } from './bench.ts'
import { type BenchServer, openBenchServer } from './load/bench-server.ts'
import { print, table } from './output.ts'

const QUERIES = 60
/** Other queries that are typed first, because V8 compiles the code of a new process meanwhile. */
const WARM_UP_QUERIES = 20

export async function run({ chunks }: BenchSettings): Promise<void> {
  const stand = await openBenchServer(chunks)
  try {
    const rows = [
      ['POST /search/suggest', ...figures(await timesOf(stand, '/search/suggest', {})), '≤ 20'],
      ['POST /search, 20 hits', ...figures(await timesOf(stand, '/search', LIKE_THE_PAGE)), ''],
    ]
    print(table([`${chunks} chunks, typed letter by letter`, 'count', 'p50 ms', 'p99 ms', 'target p99'], rows))
  } finally {
    await stand.stop()
  }
}

/** The request that the page sends while a person types. */
const LIKE_THE_PAGE = { num_hits: 20, facets: true, explain: true, record: false }

const figures = (times: readonly number[]): string[] => [
  String(times.length),
  ...[0.5, 0.99].map((share) => percentile(times, share).toFixed(1)),
]

/** Starts at the third letter. */
const beginningsOf = (query: string): string[] =>
  Array.from({ length: Math.max(0, query.length - 2) }, (_, at) => query.slice(0, at + 3)).filter(
    (it) => it.trimEnd() === it,
  )

async function timesOf({ server: { api }, queries }: BenchServer, path: string, more: object): Promise<number[]> {
  const timeOf = async (query: string) => {
    const start = performance.now()
    const { status } = await api('POST', path, { query, ...more })
    if (status !== 200) throw new Error(`${path} returned ${status}`)
    return performance.now() - start
  }
  for (const it of queries.slice(QUERIES, QUERIES + WARM_UP_QUERIES).flatMap(beginningsOf)) await timeOf(it)
  const times: number[] = []
  for (const it of queries.slice(0, QUERIES).flatMap(beginningsOf)) times.push(await timeOf(it))
  return times
}
