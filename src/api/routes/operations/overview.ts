// Shows administrators the service in figures, now and over time.
import { z } from 'zod'
import { countDurations, percentileOf } from '../../../domain/samples/durations.ts'
import { WAIT_REASONS } from '../../../domain/samples/sample.ts'
import { SERIES, SERIES_RANGES, type SeriesPoint, seriesPoints, seriesStart } from '../../../domain/samples/series.ts'
import { resultOrTimeout } from '../../../flow/result-or-timeout.ts'
import type { Database } from '../../../store/database/database.ts'
import { listSamples } from '../../../store/samples/samples.ts'
import { countSources } from '../../../store/sources/connectors.ts'
import { optionalNullable, wireEnum } from '../../../wire/schemas.ts'
import { type RouteServices, route } from '../../route.ts'
import { iso } from '../../wire/iso.ts'

const LanguageCount = z
  .object({
    language: z.string().describe('A code of ISO 639-1, or `und` if the language was not recognized.'),
    documents: z.int(),
  })
  .meta({ id: 'LanguageCount' })

const countedLanguages = (of: string) => ({
  languages: z.array(LanguageCount).describe(`${of}: the ten with the most documents, largest first.`),
  other_documents: z.int().describe('Documents in further languages.'),
})

const ModelRecommendation = z
  .object({
    share: z.number().describe('The share of the documents that are in these languages, from 0 to 1.'),
    ...countedLanguages('The languages that the multilingual model reads, without English'),
    passages: z.int().describe('Passages that the multilingual model would have to embed.'),
    estimated_s: z
      .int()
      .describe(
        'Estimated seconds for that: at the recent rate of the model in use, times 2.2; if it is unknown, at 14 passages a second.',
      ),
  })
  .meta({ id: 'ModelRecommendation' })

const Overview = z
  .object({
    documents: z
      .int()
      .nullable()
      .describe('Documents in the index. During a rebuild, those indexed so far. Null if the index does not respond.'),
    document_languages: z
      .object(countedLanguages('Languages of documents in the index'))
      .meta({ id: 'DocumentLanguages' })
      .nullable()
      .describe('Null if the index does not respond.'),
    model_recommendation: ModelRecommendation.nullable().describe(
      'Not null while the embedding model in use reads English only and at least 50 documents are indexed, a fifth of them or more in other languages that the multilingual model reads: then it is recommended.',
    ),
    cc_pairs: z.int().describe('Connectors with a credential, without those that are being deleted.'),
    sources: z.int().describe('Kinds of source that these connectors read.'),
    searches_last_day: z.int().describe('Searches in the last 24 hours.'),
    answers_last_day: z.int().describe('Answers in chats in the last 24 hours.'),
  })
  .meta({ id: 'Overview' })

const count = () => z.int().nullable()
const SeriesPointView = z
  .object({
    at: z.iso.datetime().describe('The beginning of the step.'),
    measured_s: z
      .number()
      .describe(
        'Seconds of the step in which the service ran. 0: nothing was measured, and all other values are null.',
      ),
    documents_accepted: count().describe('New and changed documents from clients and connectors.'),
    documents_indexed: count().describe(
      'Documents applied to the index. Of several processes, each with an index of its own, the highest count.',
    ),
    documents_failed: count().describe('Documents that could not be indexed; every attempt counts.'),
    waiting: count().describe('The most changes of documents that waited to be indexed.'),
    oldest_waiting_s: count().describe('The highest age of a waiting change, in seconds. Null also if none waited.'),
    oldest_waiting_reason: z
      .enum(WAIT_REASONS)
      .nullable()
      .describe(
        'Why it waited. `in_turn`: for changes before it. `index_stalled`: the index took no changes. `retry`: for another attempt after a failure.',
      ),
    oldest_waiting_detail: z.string().nullable().describe('The reason in words, if there are any.'),
    searches: count(),
    search_p50_ms: z
      .number()
      .nullable()
      .describe('Half of the searches took at most these milliseconds. Null also if there was no search.'),
    search_p99_ms: z.number().nullable().describe('99 % of the searches took at most these milliseconds.'),
    answers: count().describe('Answers in chats.'),
    input_tokens: count().describe('Tokens that language models read.'),
    output_tokens: count().describe('Tokens that language models wrote.'),
    server_errors: count().describe('Responses with a status of 500 or more, without those of `GET /health/ready`.'),
    disk_used_bytes: count().describe(
      'Used space of the file system of DATA_DIR, at the time when the least was free.',
    ),
    disk_free_bytes: count().describe('The least free space of that file system.'),
    memory_bytes: count().describe('The highest resident memory; of several processes, the sum.'),
  })
  .meta({ id: 'OverviewPoint' })

const OverviewSeries = z
  .object({
    range: z.enum(SERIES_RANGES),
    step_s: z.int().describe('The distance of two points in seconds.'),
    points: z.array(SeriesPointView).describe('Oldest first, one for each step. The last one may still grow.'),
  })
  .meta({ id: 'OverviewSeries' })

const SeriesQuery = z.object({
  range: optionalNullable(wireEnum(SERIES_RANGES)).describe(
    '`hour` (default): 60 points, one for each minute. `day`: 144, one for each 10 minutes. `month`: 240, one for each 3 hours.',
  ),
})

const adminDefaults = { method: 'GET', access: 'admin', tag: 'State' } as const

export const overviewRoutes = [
  route({
    ...adminDefaults,
    name: 'getOverview',
    path: '/admin/overview',
    summary: 'Get overview',
    reply: Overview,
    services: ['db', 'now', 'documentLanguages'],
    handle: async ({ services }) => {
      const { db, now, documentLanguages } = services
      return {
        ...(await countDocuments(documentLanguages)),
        ...(await countSources(db)),
        ...(await countLastDay(db, now())),
      }
    },
  }),
  route({
    ...adminDefaults,
    name: 'getOverviewSeries',
    path: '/admin/overview/series',
    summary: 'Get measurements over time',
    description:
      'Every process measures itself each minute. Counts are those of the step; divide them by `measured_s` for a rate. Values that are read once a minute are the worst of the step. Percentiles are computed from counts of durations that were added over the step and all processes, and differ by at most 4.5 % from exact ones. Minutes are kept for 25 hours, hours for 31 days.',
    query: SeriesQuery,
    reply: OverviewSeries,
    services: ['db', 'now'],
    handle: async ({ query, services }) => {
      const range = query.range ?? 'hour'
      const points = await readSeries(services.db, range, services.now())
      return { range, step_s: SERIES[range].stepMs / 1_000, points: points.map(pointView) }
    },
  }),
]

const INDEX_TIMEOUT_MS = 5_000

type DocumentCounts = Pick<z.infer<typeof Overview>, 'documents' | 'document_languages' | 'model_recommendation'>

const UNKNOWN_COUNTS = { documents: null, document_languages: null, model_recommendation: null }

const countDocuments = (
  documentLanguages: RouteServices<'documentLanguages'>['documentLanguages'],
): Promise<DocumentCounts> =>
  resultOrTimeout<DocumentCounts, DocumentCounts>(
    documentLanguages().then(
      ({ documents, languages, other_documents, recommendation }) => ({
        documents,
        document_languages: { languages, other_documents },
        model_recommendation: recommendation,
      }),
      () => UNKNOWN_COUNTS,
    ),
    INDEX_TIMEOUT_MS,
    UNKNOWN_COUNTS,
  )

async function countLastDay(db: Database, now: number) {
  const samples = (await readSeries(db, 'day', now)).flatMap((it) => it.sample ?? [])
  return {
    searches_last_day: samples.reduce((sum, it) => sum + countDurations(it.searches), 0),
    answers_last_day: samples.reduce((sum, it) => sum + it.answers, 0),
  }
}

async function readSeries(db: Database, range: (typeof SERIES_RANGES)[number], now: number): Promise<SeriesPoint[]> {
  const samples = await listSamples(db, SERIES[range].resolution, seriesStart(range, now))
  return seriesPoints(range, now, samples)
}

function pointView({ at, sample }: SeriesPoint): z.infer<typeof SeriesPointView> {
  const known = sample ?? NOTHING
  const { oldest, disk, searches } = known
  return {
    at: iso(at),
    measured_s: known.measured_ms / 1_000,
    documents_accepted: known.documents_accepted,
    documents_indexed: known.documents_indexed,
    documents_failed: known.documents_failed,
    waiting: known.waiting,
    oldest_waiting_s: oldest?.age_s ?? null,
    oldest_waiting_reason: oldest?.reason ?? null,
    oldest_waiting_detail: oldest?.detail ?? null,
    searches: searches === null ? null : countDurations(searches),
    search_p50_ms: searches === null ? null : percentileOf(searches, 0.5),
    search_p99_ms: searches === null ? null : percentileOf(searches, 0.99),
    answers: known.answers,
    input_tokens: known.input_tokens,
    output_tokens: known.output_tokens,
    server_errors: known.server_errors,
    disk_used_bytes: disk?.used_bytes ?? null,
    disk_free_bytes: disk?.free_bytes ?? null,
    memory_bytes: known.memory_bytes,
  }
}

const NOTHING = {
  measured_ms: 0,
  documents_accepted: null,
  documents_indexed: null,
  documents_failed: null,
  searches: null,
  answers: null,
  input_tokens: null,
  output_tokens: null,
  server_errors: null,
  waiting: null,
  oldest: null,
  disk: null,
  memory_bytes: null,
}
