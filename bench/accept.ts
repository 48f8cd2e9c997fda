// The cost of durable documents: compares the ingestion route with a route that only parses and answers, in the same
// process, in turns.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { launch, type Server, settled } from '../test/server.ts'
import type { BenchSettings } from './bench.ts'
import type { Load, LoadResult } from './load-generator.ts'
import { print, progress, table } from './output.ts'
import { median } from './statistics.ts'

const CLIENTS = [1, 16, 64]
/** The concurrent load of the indexer: documents with text use it, documents with metadata hardly do. */
const KINDS = { text: 'documents with text (indexed meanwhile)', metadata: 'documents with metadata only' } as const
const PATHS = { accept: '/service-api/ingestion', parse: '/bench/parse-only' }
const SETTLE_TIMEOUT_MS = 300_000
/** The target ratios, by number of clients. */
const AIMS: Record<number, string> = { 16: '≥ 0.60', 64: '≥ 0.75' }

export async function run({ rounds, seconds }: BenchSettings): Promise<void> {
  const server = await launch({ env: { BENCH: '1', LOG_LEVEL: 'warn' } })
  const generator = fork(join(import.meta.dirname, 'load-generator.ts'), [], { execArgv: process.execArgv })
  try {
    const warmUp = { in: 'text', clients: 16, seconds: 1 } as const
    for (const path of Object.values(PATHS)) await runLoad(generator, server, { ...warmUp, path }, `warm${path}`)
    const bar = progress('accept', 2 * CLIENTS.length * rounds)
    const rows: (string | number)[][] = []
    for (const kind of ['text', 'metadata'] as const) {
      for (const clients of CLIENTS) {
        const load = { in: kind, clients, seconds }
        rows.push([
          `${clients}, ${KINDS[kind]}`,
          ...(await compareRoutes(generator, server, load, rounds, () => bar.step())),
        ])
      }
    }
    bar.end()
    print(table(HEAD, rows))
  } finally {
    generator.kill()
    await server.stop()
  }
}

/** Measures A and B in turns, so that other work on the machine affects both. */
async function compareRoutes(
  generator: ChildProcess,
  server: Server,
  load: Pick<Load, 'in' | 'clients' | 'seconds'>,
  rounds: number,
  step: () => void,
): Promise<(string | number)[]> {
  const accept: LoadResult[] = []
  const parse: LoadResult[] = []
  for (let round = 0; round < rounds; round++) {
    const name = `${load.in}-${load.clients}-${round}`
    accept.push(await runLoad(generator, server, { ...load, path: PATHS.accept }, name))
    parse.push(await runLoad(generator, server, { ...load, path: PATHS.parse }, name))
    step()
  }
  return figures(load.clients, accept, parse)
}

/** Runs one load and waits until everything is indexed, so that the next load starts at rest. */
async function runLoad(
  generator: ChildProcess,
  server: Server,
  load: Omit<Load, 'url' | 'key' | 'run'>,
  name: string,
): Promise<LoadResult> {
  generator.send({ ...load, url: server.url, key: server.key, run: name } satisfies Load)
  const [result] = (await once(generator, 'message')) as [LoadResult]
  if (result.failures > 0) throw new Error(`${result.failures} requests to ${load.path} were not answered with 200`)
  await settled(server, SETTLE_TIMEOUT_MS)
  return result
}

const HEAD = [
  'clients',
  'accepted/s',
  'p50 ms',
  'p99 ms',
  'parse-only/s',
  'p50 ms',
  'p99 ms',
  'ratio',
  'target',
  'generator CPU',
]

function figures(clients: number, accept: readonly LoadResult[], parse: readonly LoadResult[]): (string | number)[] {
  const of = (results: readonly LoadResult[]) => [
    Math.round(median(results.map((it) => it.perSecond))),
    median(results.map((it) => it.p50Ms)).toFixed(2),
    median(results.map((it) => it.p99Ms)).toFixed(2),
  ]
  const ratio = median(accept.map((it, round) => it.perSecond / parse[round]!.perSecond))
  const busiest = Math.max(...[...accept, ...parse].map((it) => it.generatorCpu))
  return [...of(accept), ...of(parse), ratio.toFixed(2), AIMS[clients] ?? '', `${Math.round(busiest * 100)} %`]
}
