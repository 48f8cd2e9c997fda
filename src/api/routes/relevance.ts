import { z } from 'zod'
import { RankingUpdate } from '../../domain/ranking.ts'
import { HOLDS_A_WORD, nullish, wireArray, wireEnum, wireInteger, wireString } from '../../domain/wire.ts'
import type { Replay } from '../../relevance/replay.ts'
import type { Report } from '../../relevance/report.ts'
import { iso } from '../iso.ts'
import { route } from '../route.ts'

const MAX_QUERY = 2_048
const MAX_QUERIES = 1_000
const DEFAULT_LAST = 200
const MAX_DAYS = 365
const DEFAULT_DAYS = 30
const MAX_LISTED = 100
const DEFAULT_LISTED = 20

const ReplayRequest = z
  .object({
    settings: RankingUpdate.describe('As `PATCH /admin/ranking` takes them: what is absent stays as it is.'),
    queries: nullish(
      wireArray(wireString({ min: 1, max: MAX_QUERY, pattern: HOLDS_A_WORD }), { max: MAX_QUERIES }),
    ).describe('These queries, as this key would ask them.'),
    last: nullish(wireInteger({ min: 0, max: MAX_QUERIES })).describe(
      `So many recorded queries, each once and as it was asked last: those that were judged by hand first, then those with clicks or thumbs, then the newest. Without it ${DEFAULT_LAST}, or none if there are \`queries\`.`,
    ),
    as: nullish(wireEnum(['people', 'me'])).describe(
      '`people`, if absent: a recorded query is ranked as for whoever asked it, with what they may read now. `me`: as for this key. Either way no document is named that this key may not read.',
    ),
  })
  .meta({ id: 'ReplayRequest' })

const difference = z.number().describe('From 0, the same, to 1; what changes at the top weighs more.')
const overlap = z.number().describe('The share of the first ten that both have, in whatever order.')
const Ndcg = z.object({ current: z.number(), changed: z.number() }).meta({ id: 'ReplayNdcg' })

const ReplayedDocument = z
  .object({ document_id: z.string(), semantic_identifier: z.string(), grade: z.int().nullable() })
  .meta({ id: 'ReplayedDocument' })
const documents = z.array(ReplayedDocument).describe('Without those that this key may not read.')

const ReplayedQuery = z
  .object({
    query: z.string(),
    ndcg_10: Ndcg.nullable(),
    overlap_10: overlap,
    difference,
    current: documents,
    changed: documents,
  })
  .meta({ id: 'ReplayedQuery' })

const ReplayResponse = z
  .object({
    tried: z.int().describe('Queries that were ranked both ways.'),
    judged: z.int().describe('Those of which it is known what fits them: by hand, by thumbs or by clicks.'),
    better: z.int(),
    worse: z.int(),
    same: z.int().describe('`better`, `worse` and `same` are of the judged ones, by nDCG@10.'),
    moved: z.int().describe('Queries whose first ten are others, or in another order.'),
    ndcg_10: Ndcg.nullable().describe('The mean over the judged queries.'),
    overlap_10: overlap.nullable(),
    difference: difference.nullable(),
    without_asker: z.int().describe('Left out, since whoever asked them has no key any more.'),
    without_meaning: z.int().describe('Left out, since the model did not answer in time for one of the two rankings.'),
    is_complete: z.boolean().describe('False where half a minute was not enough for all of them.'),
    worse_queries: z.array(ReplayedQuery).describe('What lost most first; twenty at most.'),
    moved_queries: z
      .array(ReplayedQuery)
      .describe('Of the queries that nobody judged, those that changed most; twenty at most.'),
    withheld: z
      .int()
      .describe('Queries that belong into these two lists, but fewer people asked them than `query_min_people`.'),
    took_ms: z.int(),
  })
  .meta({ id: 'ReplayResponse' })

const listed = ({ ndcg, overlap, ...it }: Replay['worse_queries'][number]): z.infer<typeof ReplayedQuery> => ({
  ...it,
  ndcg_10: ndcg,
  overlap_10: overlap,
})

const replayed = ({ ndcg, overlap, ...it }: Replay, took_ms: number): z.infer<typeof ReplayResponse> => ({
  ...it,
  ndcg_10: ndcg,
  overlap_10: overlap,
  worse_queries: it.worse_queries.map(listed),
  moved_queries: it.moved_queries.map(listed),
  took_ms,
})

const counts = {
  searches: z.int(),
  empty: z.int().describe('Searches that found nothing.'),
  answered: z.int().describe('Searches of which a result was opened or given a thumb up.'),
}

const ReportedQuery = z
  .object({
    query: z.string().describe('In lower case: case and space make no other query.'),
    ...counts,
    people: z.int(),
    mean_total: z.number(),
  })
  .meta({ id: 'ReportedQuery' })

const QueryReport = z
  .object({
    from: z.iso.datetime(),
    until: z.iso.datetime(),
    ...counts,
    is_complete: z.boolean().describe('False where there were more searches than are looked at: the newest 100,000.'),
    latency_ms: z.object({ p50: z.number(), p95: z.number(), p99: z.number() }).nullable(),
    days: z
      .array(z.object({ day: z.iso.date(), ...counts }))
      .describe('In UTC, the first one first; without those on which nobody searched.'),
    top: z.array(ReportedQuery),
    zero_results: z.array(ReportedQuery).describe('What found nothing, the most frequent first.'),
    low_click: z
      .array(ReportedQuery)
      .describe('What found something at least five times and was answered in less than a fifth of them.'),
    withheld: z
      .object({ queries: z.int(), searches: z.int() })
      .describe('Queries that fewer people asked than `query_min_people`; their text is shown to nobody.'),
  })
  .meta({ id: 'QueryReport' })

const reported = ({ from, until, ...it }: Report): z.infer<typeof QueryReport> => ({
  ...it,
  from: iso(from),
  until: iso(until),
})

export const relevanceRoutes = [
  route({
    method: 'POST',
    path: '/admin/relevance/replay',
    access: 'admin',
    lane: 'replay',
    tag: 'Relevance',
    summary: 'Try a change of the ranking on queries of the past',
    description:
      'Ranks them as it is set and as it would be, and says what became better, worse or merely other. Nothing is switched. Searches go before it: it does one query at a time and rests as long as it worked.',
    body: ReplayRequest,
    reply: ReplayResponse,
    handle: async ({ body: { settings, queries, last, as }, subject, services, signal }) => {
      const started = performance.now()
      const request = {
        settings,
        queries: queries ?? [],
        last: last ?? (queries === null ? DEFAULT_LAST : 0),
        as: as ?? ('people' as const),
      }
      return replayed(await services.replay(subject, request, signal), Math.round(performance.now() - started))
    },
  }),
  route({
    method: 'GET',
    path: '/admin/relevance/queries',
    access: 'admin',
    lane: 'replay',
    tag: 'Relevance',
    summary: 'What is looked for',
    description:
      'The queries of the last days: the most frequent ones, those that find nothing, those of which nothing is opened, how many a day and how long they took. It names nobody, and no query that only a few people asked.',
    query: z.object({
      days: nullish(wireInteger({ min: 1, max: MAX_DAYS })).describe(`${DEFAULT_DAYS} if absent.`),
      limit: nullish(wireInteger({ min: 1, max: MAX_LISTED })).describe(
        `Queries in each list; ${DEFAULT_LISTED} if absent.`,
      ),
    }),
    reply: QueryReport,
    handle: async ({ query: { days, limit }, services, signal }) =>
      reported(await services.report({ days: days ?? DEFAULT_DAYS, limit: limit ?? DEFAULT_LISTED }, signal)),
  }),
]
