// What the operator's monitoring reads: what the rooms have counted, and how the program stands at this moment.
import type { Meter } from '../domain/meter.ts'
import { counter, gauge, histogram } from './instruments.ts'
import { openProcessGauges } from './process-gauges.ts'

/** How things stand when somebody asks. */
export interface Standing {
  queue: {
    /** Changes that the follower has yet to apply. */
    rows: number
    bytes: number
    /** Age in seconds of the oldest one that waits for each reason; 0 where none does. */
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
}

export interface Metrics extends Meter {
  /** Everything, in the text format of Prometheus. */
  text(): Promise<string>
  close(): void
}

interface Options {
  version: string
  standing: () => Promise<Standing>
}

export function openMetrics({ version, standing }: Options): Metrics {
  const counts = openCounts()
  const gauges = openProcessGauges()
  const info = gauge({ name: 'pharos_build_info', help: 'Which program this is; always 1.' })
  info.set(1, { version, node: process.version })
  return {
    ...counts.meter,
    async text() {
      const parts = [info, ...counts.instruments, ...standingGauges(await standing()), ...gauges.read()]
      return parts.map((it) => it.text()).join('')
    },
    close: () => gauges.close(),
  }
}

/** Where the aims of `accept` and of a search lie, and a minute at the end. */
const SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60]
const RESULTS = [0, 1, 10, 100, 1_000]

function openCounts() {
  const accepted = counter({
    name: 'pharos_accepted_documents_total',
    help: 'Documents that clients sent, by what came of them.',
  })
  const acceptedBytes = counter({
    name: 'pharos_accepted_bytes_total',
    help: 'Bytes of text in the documents that were written down.',
  })
  const acceptSeconds = histogram({
    name: 'pharos_accept_duration_seconds',
    help: 'From a parsed document to its place on the disk.',
    bounds: SECONDS,
  })
  const batches = counter({ name: 'pharos_index_batches_total', help: 'Steps of the follower.' })
  const applied = counter({
    name: 'pharos_indexed_documents_total',
    help: 'Changes that the follower applied, by what came of them.',
  })
  const applySeconds = histogram({
    name: 'pharos_index_batch_duration_seconds',
    help: 'One step of the follower.',
    bounds: SECONDS,
  })
  const embedded = counter({
    name: 'pharos_embedded_chunks_total',
    help: 'Chunks that got their vector: made by the model, or kept from before.',
  })
  const embedSeconds = counter({
    name: 'pharos_embedding_seconds_total',
    help: 'Time in which the model was waited for.',
  })
  const searchSeconds = histogram({
    name: 'pharos_search_duration_seconds',
    help: 'From a query to its results, without HTTP.',
    bounds: SECONDS,
  })
  const searchResults = histogram({
    name: 'pharos_search_results',
    help: 'Documents that a search found, up to what it counts.',
    bounds: RESULTS,
  })
  const chatSeconds = histogram({
    name: 'pharos_chat_answer_duration_seconds',
    help: 'From a question to the end of its answer, by who wrote it.',
    bounds: SECONDS,
  })
  const citations = counter({
    name: 'pharos_chat_citations_total',
    help: 'Citations that language models wrote: kept, or removed because they did not hold.',
  })
  const answers = histogram({
    name: 'pharos_http_request_duration_seconds',
    help: 'Answers by route, method and class of status.',
    bounds: SECONDS,
  })
  const errors = counter({ name: 'pharos_errors_total', help: 'Answers with an error, by its code.' })
  const meter: Meter = {
    accepted({ outcome, bytes, seconds }) {
      accepted.add(1, { outcome })
      acceptSeconds.observe(seconds, { outcome })
      if (outcome === 'created' || outcome === 'updated') acceptedBytes.add(bytes)
    },
    applied({ indexed, deleted, failed, seconds }) {
      batches.add(1)
      applySeconds.observe(seconds)
      for (const [outcome, count] of Object.entries({ indexed, deleted, failed })) applied.add(count, { outcome })
    },
    embedded({ made, kept, seconds }) {
      for (const [from, count] of Object.entries({ made, kept })) embedded.add(count, { from })
      embedSeconds.add(seconds)
    },
    searched({ results, seconds }) {
      searchSeconds.observe(seconds)
      searchResults.observe(results)
    },
    chatted({ by, seconds, kept, removed }) {
      chatSeconds.observe(seconds, { by })
      for (const [outcome, count] of Object.entries({ kept, removed })) if (count > 0) citations.add(count, { outcome })
    },
    answered: ({ route, method, status, seconds }) =>
      answers.observe(seconds, { route, method, status: `${Math.floor(status / 100)}xx` }),
    erred: (code) => errors.add(1, { code }),
  }
  const instruments = [
    accepted,
    acceptedBytes,
    acceptSeconds,
    batches,
    applied,
    applySeconds,
    embedded,
    embedSeconds,
    searchSeconds,
    searchResults,
    chatSeconds,
    citations,
    answers,
    errors,
  ]
  return { meter, instruments }
}

function standingGauges({ queue, index, waitingWrites }: Standing) {
  const age = gauge({
    name: 'pharos_queue_oldest_age_seconds',
    help: 'Age of the oldest change that waits, by what it waits for; 0 where none does.',
  })
  for (const [reason, seconds] of Object.entries(queue.ages)) age.set(seconds, { reason })
  const values: [name: string, help: string, value: number | undefined][] = [
    ['pharos_queue_changes', 'Changes that wait to be indexed; an upper bound.', queue.rows],
    [
      'pharos_queue_bytes',
      'Text in the changes that wait to be indexed; above 1,000 changes an estimate.',
      queue.bytes,
    ],
    ['pharos_write_queue_requests', 'What the database was asked to write and has not answered.', waitingWrites],
    ['pharos_index_documents', 'Documents in the index.', index.documents],
    ['pharos_index_chunks', 'Chunks in the index.', index.chunks],
    ['pharos_index_vectors', 'Chunks in the index that have a vector.', index.vectors],
    ['pharos_index_vectors_missing', 'Chunks in the index whose vector has yet to be made.', index.vectors_missing],
    ['pharos_index_segments', 'Segments of the index.', index.segments],
    ['pharos_index_memory_bytes', 'Memory that the segments of the index take.', index.memory_bytes],
  ]
  const known = values.flatMap(([name, help, value]) => {
    if (value === undefined) return []
    const it = gauge({ name, help })
    it.set(value)
    return [it]
  })
  return [age, ...known]
}
