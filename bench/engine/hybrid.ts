// Hybrid search as the service runs it, including the embedding of the query.
import { openLocalEmbedder } from '../../src/inference/local/embedder.ts'
import { rankPage } from '../../src/retrieval/ranking/rank-page.ts'
import { passageRefsOf } from '../../src/retrieval/results/chunk-cache.ts'
import type { SearchIndex } from '../../src/search-index/search-index.ts'
import type { Corpus, QueryKind } from './corpus.ts'
import { percentiles, type Row, timed } from './timing.ts'

const QUERIES = 200
const WARM_UP = 40
const LIMIT = 10
/** The dimension of the bundled model. */
export const LOCAL_DIMENSION = 384

const logger = { debug() {}, info() {}, warn() {}, error() {} }

/** The index holds vectors of that dimension. Their values do not matter because all of them are scanned. */
export async function measureHybrid(searchIndex: SearchIndex, corpus: Corpus): Promise<Row[]> {
  const embedder = openLocalEmbedder()
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
  const rows: Row[] = [
    ['hybrid, filtered, including the embedding of the query', await timesOf('filtered', 'both')],
    ['hybrid, unfiltered, including the embedding of the query', await timesOf('plain', 'both')],
  ]
  await embedder.close()
  return rows
}
