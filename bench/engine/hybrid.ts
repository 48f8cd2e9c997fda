// Hybrid search as the service runs it, including the embedding of the query.

import type { Query } from '../../src/domain/search/query.ts'
import { openLocalEmbedder } from '../../src/inference/local/embedder.ts'
import { englishModel } from '../../src/inference/local/local-models.ts'
import { type RankDeps, rankPage } from '../../src/retrieval/ranking/rank-page.ts'
import { passageRefsOf } from '../../src/retrieval/results/chunk-cache.ts'
import type { SearchIndex } from '../../src/search-index/search-index.ts'
import type { Corpus, QueryKind } from './corpus.ts'
import { percentiles, type Row, timed } from './timing.ts'

const QUERIES = 200
const WARM_UP = 40
const LIMIT = 10
const CLIENTS = 50
/** The dimension of the bundled model. */
export const LOCAL_DIMENSION = 384

const logger = { debug() {}, info() {}, warn() {}, error() {} }

/** The index holds vectors of that dimension. Their values do not matter because all of them are scanned. */
export async function measureHybrid(searchIndex: SearchIndex, corpus: Corpus): Promise<Row[]> {
  const embedder = openLocalEmbedder(englishModel)
  const needs = { searchIndex, embedder, logger }
  const timesOf = async (kind: QueryKind, ranked_by: string): Promise<string> => {
    const times: number[] = []
    for (const [at, { text, access, filters }] of corpus.queries(QUERIES + WARM_UP, kind).entries()) {
      const asked = { text: `${text} ${kind}`, access, filters }
      const page = { start: { place: 0, by: 'both' as const }, limit: LIMIT, sort: 'relevance' as const, facets: [] }
      const ms = await timed(async () => {
        const found = await rankPage(needs, asked, page)
        await found.cache.load(found.hits.flatMap(passageRefsOf))
        if (found.ranked_by !== ranked_by) throw new Error(`a query was ranked by ${found.ranked_by}: ${found.reason}`)
      })
      if (at >= WARM_UP) times.push(ms)
    }
    return percentiles(times)
  }
  const kept = corpus.queries(QUERIES, 'filtered')
  const rows: Row[] = [
    ['hybrid, filtered, including the embedding of the query', await timesOf('filtered', 'both')],
    ['hybrid, unfiltered, including the embedding of the query', await timesOf('plain', 'both')],
  ]
  rows.push(['hybrid, filtered, with kept query vectors', await loadOf(needs, kept, 1)])
  rows.push([`the same from ${CLIENTS} clients in a loop`, await loadOf(needs, kept, CLIENTS)])
  const plain = corpus.queries(QUERIES, 'plain')
  rows.push(['hybrid, from 500 people in 20 groups each, with kept query vectors', await loadOf(needs, plain, 1)])
  await embedder.close()
  return rows
}

/** Sends the queries twice: the first round fills the cache of vectors. */
async function loadOf(deps: RankDeps, queries: readonly Query[], clients: number): Promise<string> {
  const page = { start: { place: 0, by: 'both' as const }, limit: LIMIT, sort: 'relevance' as const, facets: [] }
  const times: number[] = []
  const round = async () => {
    const left = queries.values()
    const client = async () => {
      for (const { text, access, filters } of left)
        times.push(await timed(() => rankPage(deps, { text, access, filters }, page)))
    }
    await Promise.all(Array.from({ length: clients }, client))
  }
  await round()
  times.length = 0
  const [before, startedMs] = [process.cpuUsage(), performance.now()]
  await round()
  const { user, system } = process.cpuUsage(before)
  const cpuMs = (user + system) / 1_000 / queries.length
  const perSecond = (queries.length / (performance.now() - startedMs)) * 1_000
  return `${percentiles(times)}, ${perSecond.toFixed(0)} searches/s, processor time ${cpuMs.toFixed(2)} ms a search`
}
