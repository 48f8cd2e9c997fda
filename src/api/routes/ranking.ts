import { z } from 'zod'
import { RankingUpdate } from '../../domain/ranking.ts'
import { getRankingSettings, updateRankingSettings } from '../../store/ranking-settings.ts'
import { route } from '../route.ts'

const factor = z.number()
const RankingSettings = z
  .object({
    half_life_days: z.number().nullable(),
    source_half_life_days: z.array(z.object({ source: z.string(), days: z.number() })),
    boosts: z.array(
      z.union([
        z.object({ source: z.string(), factor }),
        z.object({ document_set: z.string(), factor }),
        z.object({ document_id: z.string(), factor }),
      ]),
    ),
    pins: z.array(z.object({ query: z.string(), document_ids: z.array(z.string()) })),
    synonyms: z.array(z.array(z.string())),
  })
  .meta({ id: 'RankingSettings' })

export const rankingRoutes = [
  route({
    method: 'GET',
    path: '/admin/ranking',
    access: 'admin',
    tag: 'Search',
    summary: 'How results are ranked',
    reply: RankingSettings,
    handle: ({ services }) => getRankingSettings(services.db),
  }),
  route({
    method: 'PATCH',
    path: '/admin/ranking',
    access: 'admin',
    tag: 'Search',
    summary: 'Change how results are ranked',
    description:
      'Changes only what is sent; null goes back to the default, with which nothing of this has a part. `explain` in a search shows what it does.',
    body: RankingUpdate,
    audit: { action: 'ranking.update' },
    reply: RankingSettings,
    handle: async ({ body, services }) => {
      await updateRankingSettings(services.db, body)
      return getRankingSettings(services.db)
    },
  }),
]
