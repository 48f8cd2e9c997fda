// The figures of the engine on this machine, optionally beside SQLite FTS5 and OpenSearch: `npm run bench -- --help`.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Query } from '../../src/domain/search/query.ts'
import { type EmbeddedIndex, openEmbeddedIndex } from '../../src/search-index/embedded/embedded-index.ts'
import type { IndexDocument } from '../../src/search-index/search-index.ts'
import { type Corpus, createCorpus, type QueryKind } from './corpus.ts'
import { measureFts5 } from './fts5.ts'
import { measureOpenSearch } from './opensearch.ts'
import { measureRestart } from './restart.ts'
import { percentiles, type Row, timed } from './timing.ts'
import { measureVectors } from './vectors.ts'

const BATCH_DOCUMENTS = 200
const QUERIES = 500
const WARM_UP = 500
const TERM_QUERIES = 100
const OPEN = join(import.meta.dirname, 'open-index.ts')
const SEED = 1

const silent = { debug() {}, info() {}, warn() {}, error() {} }
const onFatal = (error: Error) => {
  throw error
}
const open = (dir: string) => openEmbeddedIndex({ dir, logger: silent, onFatal })

export interface EngineSettings {
  chunks: number
  /** The dimension of the vectors; 0 for none. */
  vectors: number
  /** True to measure SQLite FTS5 as well. */
  fts5: boolean
  /** The address of an OpenSearch to measure as well, or null. */
  opensearch: string | null
}

export async function run({ chunks, vectors, fts5, opensearch }: EngineSettings): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'pharos-bench-'))
  const corpus = createCorpus(SEED)
  say(
    `${chunks} chunks, ${cpus().length} × ${cpus()[0]?.model}, load ${loadavg()[0]?.toFixed(1)}, Node ${process.version}\n`,
  )
  const rows: Row[] = []
  try {
    rows.push(...(await measureText(dir, corpus, chunks)))
    if (vectors > 0) rows.push(...(await measureVectors(dir, corpus, vectors)))
    rows.push(...(await measureRestart(corpus, chunks)))
    if (fts5) rows.push(...measureFts5(corpus, chunks))
    if (opensearch !== null) rows.push(...(await measureOpenSearch(opensearch, corpus, chunks, vectors)))
  } finally {
    rmSync(dir, { recursive: true })
  }
  say('\n| figure | value |\n|---|---|')
  for (const [name, value] of rows) say(`| ${name} | ${value} |`)
}

async function measureText(dir: string, corpus: Corpus, chunks: number): Promise<Row[]> {
  const index = await open(dir)
  const before = threadsCpuMs()
  const indexingMs = await timed(async () => {
    await fill(index, corpus.documents(chunks))
    await index.flush()
  })
  const rows: Row[] = [
    ['indexing text, durable', `${perSecond(chunks, indexingMs)} chunks/s`],
    ['the same per second of processor time', `${perSecond(chunks, threadsCpuMs() - before)} chunks/s`],
  ]
  await settle()
  rows.push(['text, natural-language query', await queryTimes(index, corpus, 'open')])
  rows.push(['the same with the texts of its 20 hits', await queryTimes(index, corpus, 'open', { texts: 20 })])
  rows.push(['the same from 500 people in 20 groups each', await queryTimes(index, corpus, 'plain')])
  rows.push(['the same with filters', await queryTimes(index, corpus, 'filtered')])
  rows.push(['the same with five facets and an exact total', await queryTimes(index, corpus, 'faceted')])
  rows.push(['by time, unfiltered', await queryTimes(index, corpus, 'newest')])
  rows.push(['a phrase of two common words', await queryTimes(index, corpus, 'phrase')])
  rows.push(['words with a prefix of three letters', await termTimes(index, corpus, 'prefix')])
  rows.push(['words two edits away from one of ten letters', await termTimes(index, corpus, 'near')])
  rows.push(['one document of 5 chunks, from sending until it is found', await upsertTimes(index, corpus)])
  rows.push(...(await whileIndexing(index, corpus)))
  rows.push(['resident memory of the benchmark process', megabytes(process.memoryUsage.rss())])
  rows.push(['index on disk, with stored text', megabytes(sizeOf(dir))])
  await index.close()
  const { openMs, rss } = JSON.parse(execFileSync(process.execPath, [OPEN, dir], { encoding: 'utf8' }))
  rows.push(['open after a clean stop', `${Math.round(openMs)} ms`])
  rows.push(['resident memory of a new process after 200 searches', megabytes(rss)])
  return rows
}

const perSecond = (count: number, ms: number): number => Math.round((count / ms) * 1000)

/** Excludes this thread, which generates the texts, and other processes. */
function threadsCpuMs(): number {
  const [all, own] = [process.cpuUsage(), process.threadCpuUsage()]
  return (all.user + all.system - own.user - own.system) / 1000
}

/** Prepares the next batch while one is applied. */
async function fill(index: EmbeddedIndex, documents: Iterable<IndexDocument>): Promise<void> {
  let position = 0
  let batch: IndexDocument[] = []
  let taken = Promise.resolve()
  const send = async () => {
    const before = taken
    taken = index.apply({ upserts: batch, deletes: [], position: ++position })
    batch = []
    await before
  }
  for (const document of documents) if (batch.push(document) === BATCH_DOCUMENTS) await send()
  await send()
  await taken
}

/** Merges continue after the last flush; the figures describe the index at rest. */
async function settle(): Promise<void> {
  for (let idle = 0; idle < 3; ) {
    const before = threadsCpuMs()
    await sleep(1_000)
    idle = threadsCpuMs() - before < 20 ? idle + 1 : 0
  }
}

const sizeOf = (dir: string): number => readdirSync(dir).reduce((sum, it) => sum + statSync(join(dir, it)).size, 0)
const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`

/** Requests pages by offset, as the service does. */
async function queryTimes(
  index: EmbeddedIndex,
  corpus: Corpus,
  kind: QueryKind,
  changes: Partial<Query> = {},
): Promise<string> {
  const queries = corpus.queries(WARM_UP + QUERIES, kind).map((it) => ({ ...it, texts: 0, ...changes }))
  for (const query of queries.slice(0, WARM_UP)) await index.search(query)
  const times: number[] = []
  const before = threadsCpuMs()
  for (const query of queries.slice(WARM_UP)) times.push(await timed(() => index.search(query)))
  const cpuMs = (threadsCpuMs() - before) / QUERIES
  return `${percentiles(times)}, processor time ${cpuMs.toFixed(2)} ms a query`
}

async function termTimes(index: EmbeddedIndex, corpus: Corpus, kind: 'prefix' | 'near'): Promise<string> {
  const queries = corpus.termsQueries(TERM_QUERIES, kind)
  for (const query of queries.slice(0, 10)) await index.terms(query)
  const times: number[] = []
  for (const query of queries) times.push(await timed(() => index.terms(query)))
  return percentiles(times)
}

const news = (corpus: Corpus, count: number): IndexDocument[] => {
  const documents: IndexDocument[] = []
  for (const document of corpus.documents(count * 8)) {
    if (document.chunks.length >= 5) documents.push({ ...document, chunks: document.chunks.slice(0, 5) })
    if (documents.length === count) break
  }
  return documents
}

async function upsertTimes(index: EmbeddedIndex, corpus: Corpus): Promise<string> {
  const { position } = await index.stats()
  const times: number[] = []
  for (const document of news(corpus, 200)) {
    times.push(await timed(() => index.apply({ upserts: [document], deletes: [], position })))
  }
  return percentiles(times)
}

/** 500 chunks per second, ten documents at a time. */
async function whileIndexing(index: EmbeddedIndex, corpus: Corpus): Promise<Row[]> {
  const { position } = await index.stats()
  const stop = new AbortController()
  const writing = (async () => {
    const documents = news(corpus, 400)
    for (let at = 0; !stop.signal.aborted; at = (at + 10) % 400) {
      await Promise.all([index.apply({ upserts: documents.slice(at, at + 10), deletes: [], position }), sleep(100)])
    }
  })()
  const rows: Row[] = [
    ['text while 500 chunks/s are indexed', await queryTimes(index, corpus, 'open')],
    ['filtered while 500 chunks/s are indexed', await queryTimes(index, corpus, 'filtered')],
  ]
  stop.abort()
  await writing
  return rows
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
