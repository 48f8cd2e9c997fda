// The same documents, queries and filters in a running OpenSearch: one shard, no replicas, default settings. Vectors are
// searched by its plugins: k-NN with Lucene's graph and the filter inside, and the `hybrid` query with the processor that
// normalizes the scores of both kinds.
import type { Query } from '../../src/domain/search/query.ts'
import type { IndexDocument } from '../../src/search-index/search-index.ts'
import { seeded } from '../../test/random.ts'
import type { Corpus, QueryKind } from './corpus.ts'
import { type MakeVector, makerOfVectors } from './made-vectors.ts'
import { type Ask, createRequester, settle, sizeOf } from './opensearch-client.ts'
import { percentiles, type Row, timed } from './timing.ts'

const INDEX = 'pharos-bench'
const BATCH_DOCUMENTS = 200
/** The number of concurrent bulk requests: one is indexed while the next one is prepared. */
const PARALLEL = 2
const QUERIES = 500
const WARM_UP = 100
const COUNT_LIMIT = 1_000
/** The size of a page of a hybrid search, as in `hybrid.ts`. */
const HYBRID_LIMIT = 10
/** The number of passages that each kind contributes. Pharos ranks 200 documents of each. */
const CANDIDATES = 100

const SETTINGS = { number_of_shards: 1, number_of_replicas: 0 }
const FIELDS = {
  document_id: { type: 'keyword' },
  title: { type: 'text', analyzer: 'english' },
  content: { type: 'text', analyzer: 'english' },
  source: { type: 'keyword' },
  access: { type: 'keyword' },
  tag: { type: 'keyword' },
  pair: { type: 'long' },
  updated_at: { type: 'date' },
}
const FUSION = {
  phase_results_processors: [
    {
      'normalization-processor': {
        normalization: { technique: 'min_max' },
        combination: { technique: 'arithmetic_mean' },
      },
    },
  ],
}

/** @param dimension of the vectors; 0 for none. */
export async function measureOpenSearch(
  url: string,
  corpus: Corpus,
  chunks: number,
  dimension: number,
): Promise<Row[]> {
  const ask = createRequester(url)
  const { version } = await ask<{ version: { number: string } }>('GET', '/')
  const name = `OpenSearch ${version.number}`
  const rows = await withIndex(
    ask,
    { settings: SETTINGS, mappings: { dynamic: false, properties: FIELDS } },
    async () => {
      const perSecond = await index(ask, corpus, chunks, null)
      return [
        [`${name}: indexing text, durable`, `${perSecond} chunks/s`],
        [`${name}: text, from 500 people in 20 groups each`, await textTimes(ask, corpus, 'plain')],
        [`${name}: the same with filters`, await textTimes(ask, corpus, 'filtered')],
        [`${name}: index on disk`, `${Math.round((await sizeOf(ask, INDEX)) / 1e6)} MB`],
      ]
    },
  )
  if (dimension > 0) rows.push(...(await measureVectors(ask, name, corpus, chunks, dimension)))
  return rows
}

/** The engine named `lucene` filters while it walks the graph; its parameters are the plugin's defaults. */
async function measureVectors(
  ask: Ask,
  name: string,
  corpus: Corpus,
  chunks: number,
  dimension: number,
): Promise<Row[]> {
  const make = makerOfVectors(dimension)
  const method = { name: 'hnsw', engine: 'lucene', space_type: 'cosinesimil' }
  const properties = { ...FIELDS, vector: { type: 'knn_vector', dimension, method } }
  const mapping = { settings: { ...SETTINGS, 'index.knn': true }, mappings: { dynamic: false, properties } }
  await ask('PUT', `/_search/pipeline/${INDEX}`, JSON.stringify(FUSION))
  return await withIndex(ask, mapping, async () => {
    const perSecond = await index(ask, corpus, chunks, make)
    const timesOf = async (kind: QueryKind, searchOf: typeof nearestOf) => {
      const random = seeded(2)
      const bodies = corpus.queries(QUERIES, kind).map((it) => searchOf(it, make(random)))
      return await timesOfBodies(ask, `search_pipeline=${INDEX}`, bodies)
    }
    return [
      [`${name}: indexing text and vectors, durable`, `${perSecond} chunks/s`],
      [`${name}: vector ${dimension}, filtered`, await timesOf('filtered', nearestOf)],
      [`${name}: hybrid, filtered, with kept query vectors`, await timesOf('filtered', hybridOf)],
      [`${name}: hybrid, from 500 people in 20 groups each`, await timesOf('plain', hybridOf)],
      [`${name}: index on disk, with vectors`, `${Math.round((await sizeOf(ask, INDEX)) / 1e6)} MB`],
    ]
  }).finally(() => ask('DELETE', `/_search/pipeline/${INDEX}`))
}

async function withIndex(ask: Ask, mapping: object, measure: () => Promise<Row[]>): Promise<Row[]> {
  await ask('DELETE', `/${INDEX}?ignore_unavailable=true`)
  await ask('PUT', `/${INDEX}`, JSON.stringify(mapping))
  return await measure().finally(() => ask('DELETE', `/${INDEX}`))
}

/** @returns chunks a second. Merges have ended when it returns. */
async function index(ask: Ask, corpus: Corpus, chunks: number, make: MakeVector | null): Promise<number> {
  const ms = await timed(async () => {
    await fill(ask, corpus.documents(chunks), make)
    await ask('POST', `/${INDEX}/_flush`)
  })
  await ask('POST', `/${INDEX}/_refresh`)
  await settle(ask, INDEX)
  const { count } = await ask<{ count: number }>('GET', `/${INDEX}/_count`)
  if (count !== chunks) throw new Error(`OpenSearch holds ${count} chunks, not ${chunks}`)
  return Math.round((chunks / ms) * 1_000)
}

async function fill(ask: Ask, documents: Iterable<IndexDocument>, make: MakeVector | null): Promise<void> {
  const random = seeded(3)
  const sending = new Set<Promise<void>>()
  const send = async (batch: readonly IndexDocument[]) => {
    if (sending.size >= PARALLEL) await Promise.race(sending)
    const sent = bulk(ask, batch, () => make && Array.from(make(random), (it) => Number(it.toFixed(5)))).finally(() =>
      sending.delete(sent),
    )
    sending.add(sent)
  }
  let batch: IndexDocument[] = []
  for (const document of documents) {
    if (batch.push(document) < BATCH_DOCUMENTS) continue
    await send(batch)
    batch = []
  }
  if (batch.length > 0) await send(batch)
  await Promise.all(sending)
}

async function bulk(ask: Ask, documents: readonly IndexDocument[], nextVector: () => number[] | null): Promise<void> {
  const lines = documents.flatMap(
    ({ document_id, title, source_type, access, tags, cc_pair_ids, updated_at, chunks }) =>
      chunks.flatMap(({ chunk_ind, content }) => [
        JSON.stringify({ index: { _index: INDEX, _id: `${document_id}#${chunk_ind}` } }),
        JSON.stringify({
          document_id,
          title,
          content,
          source: source_type,
          access,
          tag: tags.map((it) => `${it.tag_key}=${it.tag_value}`),
          pair: cc_pair_ids,
          updated_at,
          vector: nextVector() ?? undefined,
        }),
      ]),
  )
  const { errors } = await ask<{ errors: boolean }>('POST', '/_bulk', `${lines.join('\n')}\n`)
  if (errors) throw new Error('OpenSearch refused documents')
}

function filterOf({ access, filters: { source_types, updated_from } }: Query): object[] {
  const filter: object[] = [{ terms: { access } }]
  if (source_types !== undefined) filter.push({ terms: { source: source_types } })
  if (updated_from !== undefined) filter.push({ range: { updated_at: { gte: updated_from } } })
  return filter
}

/** Title words with double weight. */
const textOf = (query: Query): object => ({
  bool: {
    must: { multi_match: { query: query.text, fields: ['title^2', 'content'], type: 'most_fields' } },
    filter: filterOf(query),
  },
})

const knnOf = (query: Query, vector: Float32Array): object => ({
  knn: { vector: { vector: Array.from(vector), k: CANDIDATES, filter: { bool: { filter: filterOf(query) } } } },
})

/** The page that `search-index/embedded/engine-mapping.ts` asks for: one hit per document and a count limit. */
const pageOf = (query: object, size: number): string =>
  JSON.stringify({ query, collapse: { field: 'document_id' }, track_total_hits: COUNT_LIMIT, size, _source: false })

const nearestOf = (query: Query, vector: Float32Array): string => pageOf(knnOf(query, vector), HYBRID_LIMIT)

const hybridOf = (query: Query, vector: Float32Array): string =>
  pageOf({ hybrid: { queries: [textOf(query), knnOf(query, vector)], pagination_depth: CANDIDATES } }, HYBRID_LIMIT)

const textTimes = (ask: Ask, corpus: Corpus, kind: QueryKind): Promise<string> =>
  timesOfBodies(
    ask,
    '',
    corpus.queries(QUERIES, kind).map((it) => pageOf(textOf(it), it.limit)),
  )

async function timesOfBodies(ask: Ask, options: string, bodies: readonly string[]): Promise<string> {
  const search = (body: string) =>
    ask<{ took: number }>('POST', `/${INDEX}/_search?request_cache=false&${options}`, body)
  for (const body of bodies.slice(0, WARM_UP)) await search(body)
  const times: number[] = []
  const own: number[] = []
  for (const body of bodies) times.push(await timed(async () => own.push((await search(body)).took)))
  return `${percentiles(times)} by HTTP; by its own clock ${percentiles(own)}`
}
