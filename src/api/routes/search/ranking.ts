import { z } from 'zod'
import { RankingUpdate } from '../../../domain/search/ranking.ts'
import { getRankingSettings, updateRankingSettings } from '../../../store/settings/ranking-settings.ts'
import { route } from '../../route.ts'

const factor = z.number()
const RankingSettings = z
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
  })
  .meta({ id: 'RankingSettings' })

export const rankingRoutes = [
  route({
    name: 'getRankingSettings',
    method: 'GET',
    path: '/admin/ranking',
    access: 'admin',
    tag: 'Search',
    summary: 'Get ranking settings',
    reply: RankingSettings,
    services: ['db'],
    handle: ({ services }) => getRankingSettings(services.db),
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
      'Changes only the fields that are sent; null restores the default, which is no adjustment. Use `explain` in a search to see the effect.',
    body: RankingUpdate,
    audit: { action: 'ranking.update' },
    reply: RankingSettings,
    services: ['db'],
    handle: async ({ body, services }) => {
      await updateRankingSettings(services.db, body)
      return getRankingSettings(services.db)
    },
  }),
]
