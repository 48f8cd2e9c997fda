// How many tokens were used, by whom, and how many may be.
import { z } from 'zod'
import { DAY_MS } from '../../domain/date-time.ts'
import { nullish, wireInteger } from '../../domain/wire.ts'
import { findApiKeyOf, listApiKeys } from '../../store/api-keys.ts'
import type { Database } from '../../store/database.ts'
import { getSettings } from '../../store/settings.ts'
import {
  countTokens,
  dayOf,
  KEPT_DAYS,
  nextDay,
  tokensOfKeys,
  usageByDay,
  usageByKey,
  usageByModel,
} from '../../store/token-usage.ts'
import { iso } from '../iso.ts'
import { route } from '../route.ts'

const counts = { input_tokens: z.int(), output_tokens: z.int(), calls: z.int() }
const budget = {
  daily_token_limit: z.int().nullable().describe('Null is no limit.'),
  used_today: z.int().describe('Read and written.'),
}
const span = {
  from: z.string().describe('The first day (UTC) that is counted.'),
  renewed_at: z.iso.datetime().describe('When the next day begins, and with it the budget.'),
  by_day: z.array(z.object({ day: z.string(), ...counts })),
  by_model: z.array(z.object({ model: z.string(), ...counts })),
}
const OwnUsage = z.object({ ...budget, ...span }).meta({ id: 'TokenUsage' })
const AllUsage = z
  .object({
    ...budget,
    ...span,
    by_key: z
      .array(
        z.object({
          user_id: z.string(),
          api_key_id: z.int().nullable().describe('Null for the operator’s own key, and for one that is gone.'),
          api_key_name: z.string().nullable(),
          user_email: z.string().nullable(),
          ...budget,
          ...counts,
        }),
      )
      .describe('Those that used most first, 1,000 at most.'),
  })
  .meta({ id: 'TokenUsageOfAll' })

const UsageQuery = z.object({
  days: nullish(wireInteger({ min: 1, max: KEPT_DAYS })).describe('With today; without it, 30.'),
})
const DEFAULT_DAYS = 30

const firstDay = (days: number | null, now: number) => dayOf(now - ((days ?? DEFAULT_DAYS) - 1) * DAY_MS)

async function spanOf(db: Database, { from, userId, now }: { from: string; userId: string | null; now: number }) {
  return {
    from,
    renewed_at: iso(nextDay(now)),
    by_day: await usageByDay(db, { from, userId }),
    by_model: await usageByModel(db, { from, userId }),
  }
}

export const llmUsageRoutes = [
  route({
    method: 'GET',
    path: '/admin/llm/usage',
    access: 'admin',
    tag: 'Language models',
    summary: 'Tokens that were used',
    description:
      'By day, by model and by key. Limits are set with `daily_token_limit` of `PATCH /admin/settings` for all keys together, and of `PATCH /admin/api-key/{api_key_id}` for one.',
    query: UsageQuery,
    reply: AllUsage,
    handle: async ({ query, subject, services }) => {
      const { db } = services
      const now = services.now()
      const from = firstDay(query.days, now)
      const keys = new Map((await listApiKeys(db, { after: -1, limit: ALL_KEYS })).map((it) => [it.user_id, it]))
      const today = await tokensOfKeys(db, dayOf(now))
      return {
        daily_token_limit: (await getSettings(db)).daily_token_limit,
        used_today: (await countTokens(db, subject.user_id, dayOf(now))).all,
        ...(await spanOf(db, { from, userId: null, now })),
        by_key: (await usageByKey(db, { from, userId: null })).map((it) => ({
          ...it,
          api_key_id: keys.get(it.user_id)?.id ?? null,
          api_key_name: keys.get(it.user_id)?.name ?? null,
          user_email: keys.get(it.user_id)?.user_email ?? null,
          daily_token_limit: keys.get(it.user_id)?.daily_token_limit ?? null,
          used_today: today.get(it.user_id) ?? 0,
        })),
      }
    },
  }),
  route({
    method: 'GET',
    path: '/llm/usage',
    access: ['chat', 'read:chat'],
    tag: 'Language models',
    summary: 'Tokens that one’s own key used',
    query: UsageQuery,
    reply: OwnUsage,
    handle: async ({ query, subject: { user_id }, services }) => {
      const { db } = services
      const now = services.now()
      return {
        daily_token_limit: (await findApiKeyOf(db, user_id))?.daily_token_limit ?? null,
        used_today: (await countTokens(db, user_id, dayOf(now))).own,
        ...(await spanOf(db, { from: firstDay(query.days, now), userId: user_id, now })),
      }
    },
  }),
]

const ALL_KEYS = Number.MAX_SAFE_INTEGER
