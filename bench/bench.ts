// npm run bench [-- PART …], see `npm run bench -- --help`.
// Each part starts its own programs, measures them from another process, and prints medians over rounds.
import { existsSync } from 'node:fs'
import { availableParallelism, cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { note, print } from './output.ts'

export interface BenchSettings {
  rounds: number
  seconds: number
  /** True to measure also a start from a copy without installed packages, which downloads them. */
  cold: boolean
  /** For `engine`: the size of the index, the dimension of its vectors, and whether to measure FTS5 too. */
  chunks: number
  vectors: number
  fts5: boolean
  /** The address of an OpenSearch that `engine` measures too. */
  opensearch: string | null
  /** The duration of the mixed load of searches and documents. */
  minutes: number
}

interface Part {
  run(settings: BenchSettings): Promise<void>
}

const FILES: Record<string, string> = {
  accept: 'accept.ts',
  fresh: 'fresh.ts',
  start: 'start.ts',
  memory: 'memory.ts',
  engine: 'engine/run.ts',
  load: 'load/run.ts',
  fallback: 'fallback.ts',
  extract: 'extract.ts',
  typing: 'typing.ts',
  'sign-in': 'sign-in.ts',
  connectors: 'connectors/run.ts',
  chat: 'chat.ts',
  pages: 'pages/run.ts',
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    cold: { type: 'boolean', default: false },
    chunks: { type: 'string', default: '200000' },
    vectors: { type: 'string', default: '384' },
    fts5: { type: 'boolean', default: true },
    minutes: { type: 'string', default: '2' },
    help: { type: 'boolean', default: false },
  },
  allowNegative: true,
})
const settings: BenchSettings = {
  rounds: Number(values.rounds),
  seconds: Number(values.seconds),
  cold: values.cold,
  chunks: Number(values.chunks),
  vectors: Number(values.vectors),
  fts5: values.fts5,
  opensearch: process.env.OPENSEARCH_URL || null,
  minutes: Number(values.minutes),
}
const isThere = (name: string) => existsSync(join(import.meta.dirname, FILES[name] ?? ''))
if (values.help) {
  print(help())
  process.exit(0)
}
const all = positionals.length === 0 || positionals.includes('all')
const named = all ? Object.keys(FILES).filter(isThere) : positionals
const wrong = named.find((name) => FILES[name] === undefined || !isThere(name))
if (wrong !== undefined) {
  note(`Unknown part: ${wrong}. Parts: ${Object.keys(FILES).filter(isThere).join(', ')}, all.`)
  process.exit(64)
}

const load = loadavg()[0]!.toFixed(1)
print(`${availableParallelism()} × ${cpus()[0]?.model ?? 'unknown processor'}, Node ${process.version}, load ${load}`)
for (const name of named) {
  const part = (await import(pathToFileURL(join(import.meta.dirname, FILES[name]!)).href)) as Part
  print(`\n${name}`)
  await part.run(settings)
}

function help(): string {
  return `npm run bench -- [${Object.keys(FILES).filter(isThere).join('|')}|all …] [options]

  --rounds N      number of rounds; their median is printed (5)
  --seconds N     length of a round of accept, sign-in, fallback and each part of load (2)
  --cold          start: measure also a copy without installed packages, which downloads them
  --chunks N      engine, load, fallback, typing, sign-in, chat and pages: size of the index (200000)
  --vectors N     engine: dimension of the vectors, 0 for none (384)
  --no-fts5       engine: do not measure SQLite's FTS5
  --minutes N     load: duration of the mixed load of searches and documents (2)

OPENSEARCH_URL=http://127.0.0.1:9200 makes "engine" measure the OpenSearch at that address too: the same texts, queries
and filters, in an index "pharos-bench" of one shard without replicas, which is created for the run and removed. OpenSearch
is called over HTTP, the engine in its process. Run the server with its default JVM flags and a heap of 1 GB or more.`
}
