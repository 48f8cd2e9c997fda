import { z } from 'zod'
import { RankingUpdate } from '../../../domain/search/ranking.ts'
import type { ReplayReport } from '../../../relevance/replay.ts'
import { NOT_BLANK, nullish, wireArray, wireEnum, wireInteger, wireString } from '../../../wire/schemas.ts'
import { route } from '../../route.ts'

const MAX_QUERY = 2_048
const MAX_QUERIES = 1_000
const DEFAULT_REPLAYED = 200

const ReplayRequest = z
  .object({
    settings: RankingUpdate.describe('Same as in `PATCH /admin/ranking`; absent fields are unchanged.'),
    queries: nullish(
      wireArray(wireString({ min: 1, max: MAX_QUERY, pattern: NOT_BLANK }), { max: MAX_QUERIES }),
    ).describe('Queries to run as this key.'),
    last: nullish(wireInteger({ min: 0, max: MAX_QUERIES })).describe(
      `Number of distinct recorded queries to replay, each as it was last sent: queries with judgements first, then with clicks or thumbs, then the newest. Default: ${DEFAULT_REPLAYED}, or 0 if \`queries\` is set.`,
    ),
    as: nullish(wireEnum(['people', 'me'])).describe(
      '`people` (default): ranks each recorded query as for the user who sent it, with their current access. `me`: ranks as for this key. In both cases, documents that this key may not read are not named.',
    ),
  })
  .meta({ id: 'ReplayRequest' })

const withheldReason = z
  .string()
  .nullable()
  .describe('Why queries are withheld, and which setting reveals them. Null if none are withheld.')
const difference = z.number().describe('Rank difference from 0 (identical) to 1; changes at the top weigh more.')
const overlapField = z.number().describe('Fraction of the top ten that both rankings share, in any order.')
const Ndcg = z.object({ current: z.number(), changed: z.number() }).meta({ id: 'ReplayNdcg' })

const ReplayedDocument = z
  .object({ document_id: z.string(), semantic_identifier: z.string(), grade: z.int().nullable() })
  .meta({ id: 'ReplayedDocument' })
const replayedDocuments = z.array(ReplayedDocument).describe('Omits documents that this key may not read.')

const ReplayedQuery = z
  .object({
    query: z.string(),
    ndcg_10: Ndcg.nullable(),
    overlap_10: overlapField,
    difference,
    current: replayedDocuments,
    changed: replayedDocuments,
  })
  .meta({ id: 'ReplayedQuery' })

const ReplayResponse = z
  .object({
    tried: z.int().describe('Number of queries ranked with both settings.'),
    judged: z.int().describe('Number of queries with judgements, thumbs or clicks.'),
    better: z.int(),
    worse: z.int(),
    same: z.int().describe('`better`, `worse` and `same` count judged queries, by nDCG@10.'),
    moved: z.int().describe('Number of queries whose top ten changed.'),
    ndcg_10: Ndcg.nullable().describe('Mean over the judged queries.'),
    overlap_10: overlapField.nullable(),
    difference: difference.nullable(),
    without_asker: z.int().describe('Number of skipped queries whose user no longer has a key.'),
    without_meaning: z
      .int()
      .describe('Number of skipped queries for which the embedding model did not respond in time.'),
    is_complete: z.boolean().describe('False if the time limit of 30 seconds was reached.'),
    worse_queries: z.array(ReplayedQuery).describe('At most 20 queries, greatest loss first.'),
    better_queries: z.array(ReplayedQuery).describe('At most 20 queries, greatest gain first.'),
    moved_queries: z.array(ReplayedQuery).describe('At most 20 queries without judgements, greatest change first.'),
    withheld: z
      .int()
      .describe('Number of queries left out of these lists because fewer people than `query_min_people` sent them.'),
    withheld_reason: withheldReason,
    took_ms: z.int(),
  })
  .meta({ id: 'ReplayResponse' })

const replayedQuery = ({
  ndcg,
  overlap,
  ...it
}: ReplayReport['worse_queries'][number]): z.infer<typeof ReplayedQuery> => ({
  ...it,
  ndcg_10: ndcg,
  overlap_10: overlap,
})

const replayResponse = ({ ndcg, overlap, ...it }: ReplayReport, took_ms: number): z.infer<typeof ReplayResponse> => ({
  ...it,
  ndcg_10: ndcg,
  overlap_10: overlap,
  worse_queries: it.worse_queries.map(replayedQuery),
  better_queries: it.better_queries.map(replayedQuery),
  moved_queries: it.moved_queries.map(replayedQuery),
  took_ms,
})

export const relevanceRoutes = [
  route({
    name: 'replayQueries',
    method: 'POST',
    path: '/admin/relevance/replay',
    allowsTokens: true,
    access: 'admin',
    pool: 'replay',
    tag: 'Relevance',
    summary: 'Replay queries with other ranking settings',
    description:
      'Ranks queries with the current and the proposed settings and compares the results. The settings are not changed. Searches take precedence: the replay runs one query at a time and pauses between queries.',
    body: ReplayRequest,
    reply: ReplayResponse,
    services: ['replay'],
    handle: async ({ body: { settings, queries, last, as }, subject, services, signal }) => {
      const started = performance.now()
      const request = {
        settings,
        queries: queries ?? [],
        last: last ?? (queries === null ? DEFAULT_REPLAYED : 0),
        as: as ?? ('people' as const),
      }
      return replayResponse(await services.replay(subject, request, signal), Math.round(performance.now() - started))
    },
  }),
]
