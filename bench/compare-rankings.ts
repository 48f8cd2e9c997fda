// Compares lexical and hybrid ranking in this process, with and without a typo in each query. Vectors are cached between runs
// (`vector-cache.ts`).
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { accessForPerson } from '../src/domain/access.ts'
import { mean, ndcg, percentile } from '../src/domain/search/ranking-metrics.ts'
import type { Embedder } from '../src/inference/embedder.ts'
import { openLocalEmbedder } from '../src/inference/local/embedder.ts'
import { englishModel } from '../src/inference/local/local-models.ts'
import { chunkSections } from '../src/ingestion/index/chunk-sections.ts'
import { rankPage } from '../src/retrieval/ranking/rank-page.ts'
import { openEmbeddedIndex } from '../src/search-index/embedded/embedded-index.ts'
import type { SearchIndex } from '../src/search-index/search-index.ts'
import { seeded } from '../test/random.ts'
import { addTypo } from './add-typo.ts'
import { type Collection, readCollection } from './collection.ts'
import { print, progress, table } from './output.ts'
import { pairedRandomisation, recall } from './statistics.ts'
import { openVectorCache, type VectorCache } from './vector-cache.ts'

const HITS = 100
const BATCH = 200
const ROUNDS = 10_000
const EVERYBODY = accessForPerson({ email: null, groups: [] }, [])
const SILENT = { debug() {}, info() {}, warn() {}, error() {}, fatal() {} }

interface RankingMeasurement {
  ndcg10: number[]
  recall100: number
  p50Ms: number
  p99Ms: number
}

export async function compare(folders: readonly string[], { typos = false }: { typos?: boolean }): Promise<void> {
  const embedder = openLocalEmbedder(englishModel)
  const cache = openVectorCache(embedder)
  const rows: (string | number)[][] = []
  const all: RankingMeasurement[][] = []
  try {
    for (const folder of folders) {
      const collection = await readCollection(folder)
      const measured = await withIndex(collection, { embedder, cache }, (searchIndex) =>
        measureAll(searchIndex, collection, { embedder, cache, typos }),
      )
      all.push(measured)
      rows.push([collection.name, ...figures(measured)])
    }
  } finally {
    await embedder.close()
  }
  print(table(head(typos), [...rows, ['mean', ...means(all)]]))
}

interface Models {
  embedder: Embedder
  cache: VectorCache
}

async function withIndex<T>(
  collection: Collection,
  models: Models,
  use: (index: SearchIndex) => Promise<T>,
): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), 'pharos-eval-'))
  const { model, dimension } = models.embedder
  const options = { dir, logger: SILENT, onFatal: fail, vectors: { model, dimension } }
  const searchIndex = await openEmbeddedIndex(options)
  try {
    await fill(searchIndex, collection)
    await embedAll(searchIndex, collection.name, models.cache)
    return await use(searchIndex)
  } finally {
    await searchIndex.close()
    rmSync(dir, { recursive: true })
  }
}

function fail(error: Error): never {
  throw error
}

async function fill(searchIndex: SearchIndex, { documents }: Collection): Promise<void> {
  for (let at = 0; at < documents.length; at += BATCH) {
    const upserts = documents.slice(at, at + BATCH).map(({ id, title, text }) => ({
      document_id: id,
      title: title || id,
      source_type: 'file',
      updated_at: null,
      tags: [],
      authors: [],
      cc_pair_ids: [],
      access: ['public'],
      chunks: chunkSections([{ text, link: null, heading: null, image_file_id: null }]),
    }))
    await searchIndex.apply({ upserts, deletes: [], position: at + 1 })
  }
}

async function embedAll(searchIndex: SearchIndex, name: string, cache: VectorCache): Promise<void> {
  const { vectors_missing } = await searchIndex.stats()
  const shown = progress(`${name}: vectors`, vectors_missing)
  for (let after: string | undefined; ; ) {
    const { chunks, next } = await searchIndex.chunksWithoutVector({ limit: 1_000, after })
    const texts = chunks.map((it) => `${it.title}\n${it.content}`)
    const vectors = await cache.vectorsOf(texts, (count) => shown.step(count))
    await searchIndex.setVectors(chunks.map((it, at) => ({ ...it, vector: vectors[at]! })))
    if (next === null) break
    after = next
  }
  shown.end()
}

async function measureAll(
  searchIndex: SearchIndex,
  { name, queries }: Collection,
  { embedder, cache, typos }: Models & { typos: boolean },
): Promise<RankingMeasurement[]> {
  const random = seeded(1)
  const wrong = queries.map((it) => ({ ...it, text: addTypo(it.text, random) }))
  const remembering: Embedder = {
    ...embedder,
    embedQuery: async (text) => (await cache.vectorsOf([text], () => {}))[0]!,
  }
  const measured: RankingMeasurement[] = []
  for (const asked of typos ? [queries, wrong] : [queries]) {
    await cache.vectorsOf(
      asked.map((it) => it.text),
      () => {},
    )
    for (const used of [null, remembering]) {
      measured.push(await measure(searchIndex, used, asked, `${name}: queries`))
    }
  }
  return measured
}

async function measure(
  searchIndex: SearchIndex,
  embedder: Embedder | null,
  queries: Collection['queries'],
  label: string,
): Promise<RankingMeasurement> {
  const shown = progress(label, queries.length)
  const ndcg10: number[] = []
  const recalls: number[] = []
  const times: number[] = []
  for (const { text, judgements } of queries) {
    const began = performance.now()
    const { hits } = await rankPage(
      { searchIndex, embedder, logger: SILENT },
      { text, access: EVERYBODY, filters: {} },
      { start: embedder ? { place: 0, by: 'both' } : { offset: 0 }, limit: HITS, sort: 'relevance', facets: [] },
    )
    times.push(performance.now() - began)
    const ids = hits.map((it) => it.document_id)
    ndcg10.push(ndcg(ids, judgements, 10))
    recalls.push(recall(ids, judgements, HITS))
    shown.step()
  }
  shown.end()
  return { ndcg10, recall100: mean(recalls), p50Ms: percentile(times, 0.5), p99Ms: percentile(times, 0.99) }
}

const HEAD = ['set', 'words', 'both', 'gain', 'p', 'R@100 words', 'R@100 both', 'p50 ms', 'p99 ms']
const head = (typos: boolean): string[] => (typos ? [...HEAD, 'mistyped words', 'mistyped both', 'kept'] : HEAD)

function figures([words, both, wrongWords, wrongBoth]: readonly RankingMeasurement[]): string[] {
  const [one, other] = [mean(words!.ndcg10), mean(both!.ndcg10)]
  const p = pairedRandomisation(words!.ndcg10, both!.ndcg10, ROUNDS, seeded(2))
  const own = [
    digits(one),
    digits(other),
    signed(other - one),
    digits(p),
    digits(words!.recall100),
    digits(both!.recall100),
  ]
  const times = [both!.p50Ms.toFixed(1), both!.p99Ms.toFixed(1)]
  if (wrongWords === undefined || wrongBoth === undefined) return [...own, ...times]
  const kept = mean(wrongBoth.ndcg10) / other
  return [
    ...own,
    ...times,
    digits(mean(wrongWords.ndcg10)),
    digits(mean(wrongBoth.ndcg10)),
    `${Math.round(kept * 100)} %`,
  ]
}

function means(all: readonly RankingMeasurement[][]): string[] {
  const of = (at: number) => mean(all.map((it) => mean(it[at]!.ndcg10)))
  const recalls = [0, 1].map((at) => digits(mean(all.map((it) => it[at]!.recall100))))
  const own = [digits(of(0)), digits(of(1)), signed(of(1) - of(0)), '', ...recalls, '', '']
  if (all[0]?.[3] === undefined) return own
  return [...own, digits(of(2)), digits(of(3)), `${Math.round((of(3) / of(1)) * 100)} %`]
}

const digits = (value: number): string => value.toFixed(3)
const signed = (value: number): string => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(3)}`
