// A search as the service ranks it, by words and meaning, the embedding of the query included.
import { openLocalEmbedder } from '../../src/inference/local-embedder.ts'
import { rank } from '../../src/retrieval/rank.ts'
import { placesOf } from '../../src/retrieval/texts.ts'
import type { SearchIndex } from '../../src/search-index/search-index.ts'
import type { Corpus, QueryKind } from './corpus.ts'
import { percentiles, type Row, timed } from './measure.ts'

const QUERIES = 200
const WARM_UP = 40
const LIMIT = 10
/** The dimension of the model that comes with the program. */
export const LOCAL_DIMENSION = 384

const logger = { debug() {}, info() {}, warn() {}, error() {} }

/** The index holds vectors of that dimension, whatever they mean: all of them are looked at either way. */
export async function measureHybrid(searchIndex: SearchIndex, corpus: Corpus): Promise<Row[]> {
  const embedder = openLocalEmbedder()
  const needs = { searchIndex, embedder, logger }
  const timesOf = async (kind: QueryKind, ranked_by: string): Promise<string> => {
    const times: number[] = []
    for (const [at, { text, access, filters }] of corpus.queries(QUERIES + WARM_UP, kind).entries()) {
      const asked = { text: `${text} ${kind}`, access, filters }
      const page = { start: { place: 0, by: 'both' as const }, limit: LIMIT, sort: 'relevance' as const, facets: [] }
      const ms = await timed(async () => {
        const found = await rank(needs, asked, page)
        await found.texts.read(found.hits.flatMap(placesOf))
        if (found.ranked_by !== ranked_by) throw new Error(`a query was ranked by ${found.ranked_by}: ${found.reason}`)
      })
      if (at >= WARM_UP) times.push(ms)
    }
    return percentiles(times)
  }
  const rows: Row[] = [
    ['words and meaning, filtered, with the embedding of the query', await timesOf('filtered', 'both')],
    ['words and meaning, unfiltered, with the embedding of the query', await timesOf('plain', 'both')],
  ]
  await embedder.close()
  return rows
}
