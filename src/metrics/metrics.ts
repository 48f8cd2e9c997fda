// The metrics of the service: counters that are updated as events happen, and gauges that are read on request.
import type { Meter } from '../domain/meter.ts'
import { counter, gauge, histogram } from './instruments.ts'
import { openProcessGauges } from './process-gauges.ts'

/** Gauges, read when the metrics are requested. */
export interface MetricsSnapshot {
  queue: {
    /** Changes that wait to be indexed. */
    rows: number
    bytes: number
    /** The age in seconds of the oldest waiting change, by wait reason; 0 for none. */
    ages: Readonly<Record<string, number>>
  }
  index: {
    documents: number
    chunks: number
    vectors: number
    vectors_missing: number
    segments?: number
    memory_bytes?: number
  }
  waitingWrites: number
  /** `most` is null when there is no limit. */
  connections: { open: number; most: number | null; refused: number }
  /** The number of failing connectors for every supported source. */
  failingSources: Readonly<Record<string, number>>
}

export interface Metrics extends Meter {
  /** All metrics in the Prometheus text format. */
  text(): Promise<string>
  close(): void
}

interface MetricsOptions {
  version: string
  readSnapshot: () => Promise<MetricsSnapshot>
}

export function openMetrics({ version, readSnapshot }: MetricsOptions): Metrics {
  const instruments = createInstruments()
  const gauges = openProcessGauges()
  const info = gauge({ name: 'pharos_build_info', help: 'Version of Pharos and of Node.js; always 1.' })
  info.set(1, { version, node: process.version })
  return {
    ...createMeter(instruments),
    async text() {
      const parts = [
        info,
        ...Object.values(instruments),
        ...snapshotInstruments(await readSnapshot()),
        ...gauges.read(),
      ]
      return parts.map((it) => it.text()).join('')
    },
    close: () => gauges.close(),
  }
}

/** Buckets around the latency targets of ingestion and search. */
const SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60]
const RESULTS = [0, 1, 10, 100, 1_000]

/** In the order in which they are exported. */
const createInstruments = () => ({
  accepted: counter({
    name: 'pharos_accepted_documents_total',
    help: 'Documents sent by clients, by outcome.',
  }),
  pulled: counter({
    name: 'pharos_pulled_documents_total',
    help: 'New and changed documents accepted from connectors.',
  }),
  acceptedBytes: counter({
    name: 'pharos_accepted_bytes_total',
    help: 'Bytes of text in accepted documents.',
  }),
  acceptSeconds: histogram({
    name: 'pharos_accept_duration_seconds',
    help: 'Time to write a parsed document to disk.',
    bounds: SECONDS,
  }),
  batches: counter({ name: 'pharos_index_batches_total', help: 'Batches applied to the index.' }),
  applied: counter({
    name: 'pharos_indexed_documents_total',
    help: 'Changes applied to the index, by outcome.',
  }),
  applySeconds: histogram({
    name: 'pharos_index_batch_duration_seconds',
    help: 'Time to apply a batch to the index.',
    bounds: SECONDS,
  }),
  embedded: counter({
    name: 'pharos_embedded_chunks_total',
    help: 'Chunks that received a vector: made by the model, or kept from the cache.',
  }),
  embedSeconds: counter({
    name: 'pharos_embedding_seconds_total',
    help: 'Time spent waiting for the embedding model.',
  }),
  searchSeconds: histogram({
    name: 'pharos_search_duration_seconds',
    help: 'Search latency without HTTP.',
    bounds: SECONDS,
  }),
  searchResults: histogram({
    name: 'pharos_search_results',
    help: 'Documents found by a search, up to its counting limit.',
    bounds: RESULTS,
  }),
  searchFallbacks: counter({
    name: 'pharos_search_fallback_total',
    help: 'Searches ranked by keywords only, because the vector of the query was late or failed, or nothing was embedded.',
  }),
  chatSeconds: histogram({
    name: 'pharos_chat_answer_duration_seconds',
    help: 'Time from a question to the end of its answer, by author.',
    bounds: SECONDS,
  }),
  citations: counter({
    name: 'pharos_chat_citations_total',
    help: 'Citations written by language models: kept, or removed because verification failed.',
  }),
  tokens: counter({
    name: 'pharos_language_model_tokens_total',
    help: 'Tokens read (input) and written (output) by language models.',
  }),
  answers: histogram({
    name: 'pharos_http_request_duration_seconds',
    help: 'HTTP request latency by route, method and status class.',
    bounds: SECONDS,
  }),
  errors: counter({ name: 'pharos_errors_total', help: 'Error responses by error code.' }),
})

function createMeter({
  accepted,
  pulled,
  acceptedBytes,
  acceptSeconds,
  batches,
  applied,
  applySeconds,
  embedded,
  embedSeconds,
  searchSeconds,
  searchResults,
  searchFallbacks,
  chatSeconds,
  citations,
  tokens,
  answers,
  errors,
}: ReturnType<typeof createInstruments>): Meter {
  return {
    countAccepted({ outcome, bytes, seconds }) {
      accepted.add(1, { outcome })
      acceptSeconds.observe(seconds, { outcome })
      if (outcome === 'created' || outcome === 'updated') acceptedBytes.add(bytes)
    },
    countPulled: (documents) => pulled.add(documents),
    countIndexed({ indexed, deleted, failed, seconds }) {
      batches.add(1)
      applySeconds.observe(seconds)
      for (const [outcome, count] of Object.entries({ indexed, deleted, failed })) applied.add(count, { outcome })
    },
    countEmbedded({ made, kept, seconds }) {
      for (const [from, count] of Object.entries({ made, kept })) embedded.add(count, { from })
      embedSeconds.add(seconds)
    },
    countSearch({ results, seconds, isFallback }) {
      searchSeconds.observe(seconds)
      searchResults.observe(results)
      if (isFallback) searchFallbacks.add(1)
    },
    countChat({ by, seconds, kept, removed }) {
      chatSeconds.observe(seconds, { by })
      for (const [outcome, count] of Object.entries({ kept, removed })) if (count > 0) citations.add(count, { outcome })
    },
    countTokens(facts) {
      for (const [direction, count] of Object.entries(facts)) tokens.add(count, { direction })
    },
    countResponse: ({ route, method, status, seconds }) =>
      answers.observe(seconds, { route, method, status: `${Math.floor(status / 100)}xx` }),
    countError: (code) => errors.add(1, { code }),
  }
}

function snapshotInstruments({ queue, index, waitingWrites, connections, failingSources }: MetricsSnapshot) {
  const refused = counter({
    name: 'pharos_http_connections_refused_total',
    help: 'Connections refused because the limit was reached.',
  })
  refused.add(connections.refused)
  const age = gauge({
    name: 'pharos_queue_oldest_age_seconds',
    help: 'Age of the oldest waiting change, by wait reason; 0 for none.',
  })
  for (const [reason, seconds] of Object.entries(queue.ages)) age.set(seconds, { reason })
  const failing = gauge({
    name: 'pharos_sources_failing',
    help: 'Active connectors whose last run failed, by source.',
  })
  for (const [source, count] of Object.entries(failingSources)) failing.set(count, { source })
  const values: [name: string, help: string, value: number | undefined][] = [
    ['pharos_queue_changes', 'Changes waiting to be indexed; an upper bound.', queue.rows],
    ['pharos_queue_bytes', 'Bytes of text waiting to be indexed; an estimate above 1,000 changes.', queue.bytes],
    ['pharos_write_queue_requests', 'Write requests waiting for the database.', waitingWrites],
    ['pharos_http_connections', 'Open client connections.', connections.open],
    [
      'pharos_http_connections_max',
      'Maximum client connections within the file descriptor limit; absent without a limit.',
      connections.most ?? undefined,
    ],
    ['pharos_index_documents', 'Documents in the index.', index.documents],
    ['pharos_index_chunks', 'Chunks in the index.', index.chunks],
    ['pharos_index_vectors', 'Chunks in the index with a vector.', index.vectors],
    ['pharos_index_vectors_missing', 'Chunks in the index without a vector.', index.vectors_missing],
    ['pharos_index_segments', 'Segments in the index.', index.segments],
    ['pharos_index_memory_bytes', 'Memory used by index segments.', index.memory_bytes],
  ]
  const known = values.flatMap(([name, help, value]) => {
    if (value === undefined) return []
    const it = gauge({ name, help })
    it.set(value)
    return [it]
  })
  return [age, failing, refused, ...known]
}
