// Token usage and daily token limits.
import { z } from 'zod'
import type { Database } from '../../../store/database/database.ts'
import { findApiKeyByUserId, listApiKeys } from '../../../store/identity/api-keys.ts'
import {
  countTokens,
  listUsageByDay,
  listUsageByModel,
  listUsageByUser,
  mapTokensByUser,
  startOfNextUtcDay,
  TOKEN_USAGE_DAYS,
  utcDay,
} from '../../../store/models/token-usage.ts'
import { getSettings } from '../../../store/settings/settings.ts'
import { DAY_MS } from '../../../wire/date-time.ts'
import { nullish, wireInteger } from '../../../wire/schemas.ts'
import { route } from '../../route.ts'
import { iso } from '../../wire/iso.ts'

const countFields = { input_tokens: z.int(), output_tokens: z.int(), calls: z.int() }
const budgetFields = {
  daily_token_limit: z.int().nullable().describe('Null if unlimited.'),
  used_today: z.int().describe('Input and output tokens.'),
}
const periodFields = {
  from: z.string().describe('The first day (UTC) of the period.'),
  renewed_at: z.iso.datetime().describe('When the daily limit resets.'),
  by_day: z.array(z.object({ day: z.string(), ...countFields })),
  by_model: z.array(z.object({ model: z.string(), ...countFields })),
}
const TokenUsage = z.object({ ...budgetFields, ...periodFields }).meta({ id: 'TokenUsage' })
const TokenUsageOfAll = z
  .object({
    ...budgetFields,
    ...periodFields,
    by_key: z
      .array(
        z.object({
          user_id: z.string(),
          api_key_id: z.int().nullable().describe('Null for the operator’s key and for deleted keys.'),
          api_key_name: z.string().nullable(),
          user_email: z.string().nullable(),
          ...budgetFields,
          ...countFields,
        }),
      )
      .describe('Highest usage first, at most 1,000 keys.'),
  })
  .meta({ id: 'TokenUsageOfAll' })

const UsageQuery = z.object({
  days: nullish(wireInteger({ min: 1, max: TOKEN_USAGE_DAYS })).describe(
    'Number of days, including today. Default: 30.',
  ),
})
const DEFAULT_DAYS = 30

const firstDay = (days: number | null, now: number) => utcDay(now - ((days ?? DEFAULT_DAYS) - 1) * DAY_MS)

async function usageOfPeriod(
  db: Database,
  { from, userId, now }: { from: string; userId: string | null; now: number },
) {
  return {
    from,
    renewed_at: iso(startOfNextUtcDay(now)),
    by_day: await listUsageByDay(db, { from, userId }),
    by_model: await listUsageByModel(db, { from, userId }),
  }
}

export const llmUsageRoutes = [
  route({
    name: 'getTokenUsage',
    method: 'GET',
    path: '/admin/llm/usage',
    access: 'admin',
    tag: 'Language models',
    summary: 'Get token usage',
    description:
      'Token usage by day, by model and by key. Set limits with `daily_token_limit` of `PATCH /admin/settings` for all keys together, and of `PATCH /admin/api-key/{api_key_id}` for one key.',
    query: UsageQuery,
    reply: TokenUsageOfAll,
    services: ['db', 'now'],
    handle: async ({ query, subject, services }) => {
      const { db } = services
      const now = services.now()
      const from = firstDay(query.days, now)
      const keys = new Map((await listApiKeys(db, { after: -1, limit: ALL_KEYS })).map((it) => [it.user_id, it]))
      const today = await mapTokensByUser(db, utcDay(now))
      return {
        daily_token_limit: (await getSettings(db)).daily_token_limit,
        used_today: (await countTokens(db, subject.usage_id, utcDay(now))).all,
        ...(await usageOfPeriod(db, { from, userId: null, now })),
        by_key: (await listUsageByUser(db, { from, userId: null })).map((it) => ({
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
    name: 'getOwnTokenUsage',
    method: 'GET',
    path: '/llm/usage',
    access: ['chat', 'read:chat'],
    tag: 'Language models',
    summary: 'Get own token usage',
    query: UsageQuery,
    reply: TokenUsage,
    services: ['db', 'now'],
    handle: async ({ query, subject: { usage_id }, services }) => {
      const { db } = services
      const now = services.now()
      return {
        daily_token_limit: (await findApiKeyByUserId(db, usage_id))?.daily_token_limit ?? null,
        used_today: (await countTokens(db, usage_id, utcDay(now))).own,
        ...(await usageOfPeriod(db, { from: firstDay(query.days, now), userId: usage_id, now })),
      }
    },
  }),
]

const ALL_KEYS = Number.MAX_SAFE_INTEGER
