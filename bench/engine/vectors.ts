// Vectors of an index on disk, through the port: how fast they are stored, searched, and available again after a
// restart.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { dot } from '../../src/engine/vectors/vector-search.ts'
import { type EmbeddedIndex, openEmbeddedIndex } from '../../src/search-index/embedded/embedded-index.ts'
import type { NearestQuery, UnembeddedChunk } from '../../src/search-index/search-index.ts'
import { seeded } from '../../test/random.ts'
import type { Corpus } from './corpus.ts'
import { LOCAL_DIMENSION, measureHybrid } from './hybrid.ts'
import { type MakeVector, makerOfVectors } from './made-vectors.ts'
import { percentiles, type Row, timed } from './timing.ts'

const QUERIES = 100
const WARM_UP = 20
const RECALL_QUERIES = 20
const LIMIT = 10
const PAGE = 1_000
const MODEL = 'made up'
const OPEN = join(import.meta.dirname, 'open-index.ts')

const silent = { debug() {}, info() {}, warn() {}, error() {} }
const onFatal = (error: Error) => {
  throw error
}

export async function measureVectors(dir: string, corpus: Corpus, dimension: number): Promise<Row[]> {
  const index = await openEmbeddedIndex({ dir, logger: silent, onFatal, vectors: { model: MODEL, dimension } })
  const make = makerOfVectors(dimension)
  const chunks = await fill(index, make)
  const nothing = await timed(() => index.chunksWithoutVector({ limit: PAGE }))
  const random = seeded(2)
  const filtered = corpus.queries(QUERIES, 'filtered').map((it) => ({ ...it, limit: LIMIT, vector: make(random) }))
  const unfiltered = filtered.map((it) => ({ ...it, access: corpus.everybody, filters: {} }))
  const rows: Row[] = [
    ['vectors stored', `${chunks.perSecond} vectors/s`],
    ['search for chunks without a vector when there are none', `${nothing.toFixed(2)} ms`],
    [`vector ${dimension}, filtered`, percentiles(await timesOf(index, filtered))],
    [`vector ${dimension}, unfiltered`, percentiles(await timesOf(index, unfiltered))],
    [`vector ${dimension}, unfiltered, recall@${LIMIT}`, (await recall(index, make, chunks, unfiltered)).toFixed(3)],
  ]
  if (dimension === LOCAL_DIMENSION) rows.push(...(await measureHybrid(index, corpus)))
  await index.close()
  const { openMs, rss } = JSON.parse(execFileSync(process.execPath, [OPEN, dir, `${dimension}`], { encoding: 'utf8' }))
  rows.push(['open with vectors after a clean stop', `${Math.round(openMs)} ms`])
  rows.push(['resident memory of that process after 200 searches', `${Math.round(rss / 1e6)} MB`])
  return rows
}

interface Chunks {
  ids: string[]
  seeds: number[]
  perSecond: number
}

/** A chunk's vector is derived from its hash, so that it can be regenerated instead of kept. */
const seedOf = ({ hash }: UnembeddedChunk): number => Number.parseInt(hash.slice(0, 8), 16)

/** Measures only the index, until everything is on disk. */
async function fill(index: EmbeddedIndex, make: MakeVector): Promise<Chunks> {
  const ids: string[] = []
  const seeds: number[] = []
  let ms = 0
  for (let after: string | undefined; ; ) {
    const from = performance.now()
    const { chunks, next } = await index.chunksWithoutVector({ limit: PAGE, after })
    ms += performance.now() - from
    const vectors = chunks.map((it) => ({ ...it, vector: make(seeded(seedOf(it))) }))
    ms += await timed(() => index.setVectors(vectors))
    for (const it of chunks) {
      ids.push(it.document_id)
      seeds.push(seedOf(it))
    }
    if (next === null) break
    after = next
  }
  ms += await timed(() => index.flush())
  return { ids, seeds, perSecond: Math.round((ids.length / ms) * 1000) }
}

async function timesOf(index: EmbeddedIndex, queries: readonly NearestQuery[]): Promise<number[]> {
  for (const query of queries.slice(0, WARM_UP)) await index.nearest(query)
  const times: number[] = []
  for (const query of queries) times.push(await timed(() => index.nearest(query)))
  return times
}

/** Compares with an exact scan of all float vectors. A small index has fewer documents as near as those that count. */
async function recall(index: EmbeddedIndex, make: MakeVector, { ids, seeds }: Chunks, all: readonly NearestQuery[]) {
  const queries = all.slice(0, RECALL_QUERIES)
  const best = queries.map(() => new Map<string, number>())
  for (const [at, seed] of seeds.entries()) {
    const vector = make(seeded(seed))
    for (const [number, query] of queries.entries()) {
      const score = dot(query.vector, vector)
      const scores = best[number]!
      if (score > (scores.get(ids[at]!) ?? 0.5)) scores.set(ids[at]!, score)
    }
  }
  let [common, most] = [0, 0]
  for (const [number, query] of queries.entries()) {
    const sorted = [...best[number]!].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
    const wanted = new Set(sorted.slice(0, LIMIT).map(([id]) => id))
    most += wanted.size
    common += (await index.nearest(query)).hits.filter((it) => wanted.has(it.document_id)).length
  }
  return common / most
}
