// The same documents, queries and filters in a running OpenSearch: one shard, no replicas, default settings.
import type { Query } from '../../src/domain/search/query.ts'
import type { IndexDocument } from '../../src/search-index/search-index.ts'
import type { Corpus } from './corpus.ts'
import { percentiles, type Row, timed } from './timing.ts'

const INDEX = 'pharos-bench'
const BATCH_DOCUMENTS = 200
/** The number of concurrent bulk requests: one is indexed while the next one is prepared. */
const PARALLEL = 2
const QUERIES = 500
const WARM_UP = 100
const COUNT_LIMIT = 1_000

const MAPPING = {
  settings: { number_of_shards: 1, number_of_replicas: 0 },
  mappings: {
    dynamic: false,
    properties: {
      document_id: { type: 'keyword' },
      title: { type: 'text', analyzer: 'english' },
      content: { type: 'text', analyzer: 'english' },
      source: { type: 'keyword' },
      access: { type: 'keyword' },
      tag: { type: 'keyword' },
      pair: { type: 'long' },
      updated_at: { type: 'date' },
    },
  },
}

export async function measureOpenSearch(url: string, corpus: Corpus, chunks: number): Promise<Row[]> {
  const ask = createRequester(url)
  const { version } = await ask<{ version: { number: string } }>('GET', '/')
  const name = `OpenSearch ${version.number}`
  await ask('DELETE', `/${INDEX}?ignore_unavailable=true`)
  await ask('PUT', `/${INDEX}`, JSON.stringify(MAPPING))
  try {
    const indexingMs = await timed(async () => {
      await fill(ask, corpus.documents(chunks))
      await ask('POST', `/${INDEX}/_flush`)
    })
    await ask('POST', `/${INDEX}/_refresh`)
    await settle(ask)
    const { count } = await ask<{ count: number }>('GET', `/${INDEX}/_count`)
    if (count !== chunks) throw new Error(`${name} holds ${count} chunks, not ${chunks}`)
    return [
      [`${name}: indexing text, durable`, `${Math.round((chunks / indexingMs) * 1_000)} chunks/s`],
      [`${name}: text, from 500 people in 20 groups each`, await queryTimes(ask, corpus.queries(QUERIES, 'plain'))],
      [`${name}: the same with filters`, await queryTimes(ask, corpus.queries(QUERIES, 'filtered'))],
      [`${name}: index on disk`, `${Math.round((await sizeOf(ask)) / 1e6)} MB`],
    ]
  } finally {
    await ask('DELETE', `/${INDEX}`)
  }
}

type Ask = <T = unknown>(method: string, path: string, body?: string) => Promise<T>

const createRequester =
  (url: string): Ask =>
  async <T>(method: string, path: string, body?: string): Promise<T> => {
    const type = path.startsWith('/_bulk') ? 'application/x-ndjson' : 'application/json'
    const sent = body === undefined ? {} : { body, headers: { 'content-type': type } }
    const response = await fetch(new URL(path, url), { method, ...sent })
    const text = await response.text()
    if (!response.ok) throw new Error(`OpenSearch answered ${method} ${path} with ${response.status}: ${text}`)
    // The response has the shape that the OpenSearch reference documents.
    return JSON.parse(text) as T
  }

async function fill(ask: Ask, documents: Iterable<IndexDocument>): Promise<void> {
  const sending = new Set<Promise<void>>()
  const send = async (batch: readonly IndexDocument[]) => {
    if (sending.size >= PARALLEL) await Promise.race(sending)
    const sent = bulk(ask, batch).finally(() => sending.delete(sent))
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

async function bulk(ask: Ask, documents: readonly IndexDocument[]): Promise<void> {
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
        }),
      ]),
  )
  const { errors } = await ask<{ errors: boolean }>('POST', '/_bulk', `${lines.join('\n')}\n`)
  if (errors) throw new Error('OpenSearch refused documents')
}

/**
 * The same query as `search-index/embedded/engine-mapping.ts` builds: one hit per document, a count limit, and title
 * words with double weight.
 */
function searchOf({ text, access, filters, limit }: Query): string {
  const { source_types, updated_from } = filters
  const filter: object[] = [{ terms: { access } }]
  if (source_types !== undefined) filter.push({ terms: { source: source_types } })
  if (updated_from !== undefined) filter.push({ range: { updated_at: { gte: updated_from } } })
  const must = { multi_match: { query: text, fields: ['title^2', 'content'], type: 'most_fields' } }
  return JSON.stringify({
    query: { bool: { must, filter } },
    collapse: { field: 'document_id' },
    track_total_hits: COUNT_LIMIT,
    size: limit,
  })
}

async function queryTimes(ask: Ask, queries: readonly Query[]): Promise<string> {
  const search = (query: Query) =>
    ask<{ took: number }>('POST', `/${INDEX}/_search?request_cache=false`, searchOf(query))
  for (const query of queries.slice(0, WARM_UP)) await search(query)
  const times: number[] = []
  const own: number[] = []
  for (const query of queries) times.push(await timed(async () => own.push((await search(query)).took)))
  return `${percentiles(times)} by HTTP; by its own clock ${percentiles(own)}`
}

interface Stats {
  _all: { primaries: { merges: { current: number }; store: { size_in_bytes: number } } }
}

/** Waits until merges have ended, as for our own index. */
async function settle(ask: Ask): Promise<void> {
  for (let idle = 0; idle < 3; ) {
    const { _all } = await ask<Stats>('GET', `/${INDEX}/_stats/merge`)
    idle = _all.primaries.merges.current === 0 ? idle + 1 : 0
    await new Promise((resolve) => setTimeout(resolve, 1_000))
  }
}

const sizeOf = async (ask: Ask): Promise<number> =>
  (await ask<Stats>('GET', `/${INDEX}/_stats/store`))._all.primaries.store.size_in_bytes
