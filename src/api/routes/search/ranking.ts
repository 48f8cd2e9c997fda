import { z } from 'zod'
import { type RankingSettings, RankingUpdate } from '../../../domain/search/ranking.ts'
import type { Subject } from '../../../domain/subject.ts'
import { displayTitle } from '../../../domain/values/display-text.ts'
import { getAccess } from '../../../identity/access.ts'
import { findReadableDocuments } from '../../../relevance/readable-documents.ts'
import { getRankingSettings, rankingVersion, updateRankingSettings } from '../../../store/settings/ranking-settings.ts'
import { NOT_BLANK, nullish, wireInteger, wireString } from '../../../wire/schemas.ts'
import { type RouteServices, route } from '../../route.ts'
import { resultContext, SearchResult, searchResult } from '../../views/search-result.ts'

const MAX_QUERY = 2_048
const MAX_PREVIEWED = 50
const DEFAULT_PREVIEWED = 10

const factor = z.number()
const RankingSettingsView = z
  .object({
    half_life_days: z.number().nullable(),
    source_half_life_days: z.array(z.object({ source: z.string(), days: z.number() })),
    boosts: z.array(
      z.union([
        z.object({ source: z.string(), factor }).meta({ id: 'SourceBoostSetting' }),
        z.object({ document_set: z.string(), factor }).meta({ id: 'DocumentSetBoostSetting' }),
        z.object({ document_id: z.string(), factor }).meta({ id: 'DocumentBoostSetting' }),
      ]),
    ),
    pins: z.array(z.object({ query: z.string(), document_ids: z.array(z.string()) })),
    synonyms: z.array(z.array(z.string())),
    click_weight: z.number(),
    link_weight: z.number(),
    freshness_weight: z.number(),
    version: z.string().describe('Changes with the settings: the `expected_version` of an update.'),
    documents: z
      .array(z.object({ document_id: z.string(), semantic_identifier: z.string() }))
      .describe('Names the documents of `boosts` and `pins`, as far as they exist and this key may read them.'),
  })
  .meta({ id: 'RankingSettings' })

async function rankingView(
  { db }: RouteServices<'db'>,
  subject: Subject,
  settings: RankingSettings,
): Promise<z.infer<typeof RankingSettingsView>> {
  const { boosts, pins } = settings
  const boosted = boosts.flatMap((it) => ('document_id' in it ? [it.document_id] : []))
  const ids = new Set([...boosted, ...pins.flatMap((it) => it.document_ids)])
  const documents = ids.size === 0 ? [] : await listNames({ db }, subject, [...ids])
  return { ...settings, version: rankingVersion(settings), documents }
}

async function listNames({ db }: RouteServices<'db'>, subject: Subject, ids: readonly string[]) {
  const documents = await findReadableDocuments(db, ids, await getAccess(db, subject))
  return [...documents.values()].map(({ id, semantic_identifier }) => ({
    document_id: id,
    semantic_identifier: displayTitle(semantic_identifier),
  }))
}

const RankingRequest = RankingUpdate.extend({
  expected_version: nullish(wireString({ max: 100 })).describe('The `version` of the settings that this changes.'),
}).meta({ id: 'RankingRequest' })

const PreviewResult = SearchResult.extend({
  grade: z.int().nullable().describe('Null when there is no judgement or feedback for this query.'),
}).meta({ id: 'RankingPreviewResult' })

const RankingPreview = z
  .object({
    current: z.array(PreviewResult),
    changed: z.array(PreviewResult),
    ndcg_10: z
      .object({ current: z.number(), changed: z.number() })
      .nullable()
      .describe('Null when no relevant document is known for the query.'),
  })
  .meta({ id: 'RankingPreview' })

const previewRoute = route({
  name: 'previewRanking',
  method: 'POST',
  path: '/admin/ranking/preview',
  allowsTokens: true,
  access: 'admin',
  pool: 'search',
  tag: 'Search',
  summary: 'Preview ranking settings',
  description:
    'Ranks one query as this key, with the current and with the sent settings. The settings are not changed, and the query is not recorded.',
  body: z
    .object({
      query: wireString({ min: 1, max: MAX_QUERY, pattern: NOT_BLANK }),
      settings: RankingUpdate.describe('Same as in `PATCH /admin/ranking`; absent fields are unchanged.'),
      num_hits: nullish(wireInteger({ min: 1, max: MAX_PREVIEWED })).describe(`Default: ${DEFAULT_PREVIEWED}.`),
    })
    .meta({ id: 'RankingPreviewRequest' }),
  reply: RankingPreview,
  services: ['previewRanking', 'db', 'now'],
  handle: async ({ body: { query, settings, num_hits }, subject, services }) => {
    const request = { query, settings, limit: num_hits ?? DEFAULT_PREVIEWED }
    const { grades, ndcg, ...lists } = await services.previewRanking(subject, request)
    const context = await resultContext(services, subject, [...lists.current, ...lists.changed])
    const listOf = (results: typeof lists.current) =>
      results.map((it, at) => ({ ...searchResult(it, at + 1, context), grade: grades.get(it.document.id) ?? null }))
    return { current: listOf(lists.current), changed: listOf(lists.changed), ndcg_10: ndcg }
  },
})

export const rankingRoutes = [
  route({
    name: 'getRankingSettings',
    method: 'GET',
    path: '/admin/ranking',
    access: 'admin',
    tag: 'Search',
    summary: 'Get ranking settings',
    reply: RankingSettingsView,
    services: ['db'],
    handle: async ({ subject, services }) => rankingView(services, subject, await getRankingSettings(services.db)),
  }),
  route({
    name: 'updateRankingSettings',
    method: 'PATCH',
    path: '/admin/ranking',
    allowsTokens: true,
    access: 'admin',
    tag: 'Search',
    summary: 'Update ranking settings',
    description:
      'Changes only the fields that are sent; null restores the default. With `expected_version`, the update fails with 409 if the settings have changed since they had that version. Use `explain` in a search to see the effect.',
    body: RankingRequest,
    audit: { action: 'ranking.update' },
    reply: RankingSettingsView,
    errors: ['RANKING_CHANGED'],
    services: ['db'],
    handle: async ({ body: { expected_version, ...change }, subject, services }) =>
      rankingView(services, subject, await updateRankingSettings(services.db, change, expected_version)),
  }),
  previewRoute,
]
