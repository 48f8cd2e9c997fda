// Token usage and daily token limits.
import { Readable } from 'node:stream'
import { z } from 'zod'
import type { Database } from '../../../store/database/database.ts'
import { findApiKeyByUserId, listApiKeys } from '../../../store/identity/api-keys.ts'
import { mapPersonEmails } from '../../../store/identity/people.ts'
import {
  countTokens,
  listUsageByDay,
  listUsageByModel,
  listUsageByUser,
  listUsageRows,
  mapTokensByUser,
  startOfNextUtcDay,
  TOKEN_USAGE_DAYS,
  utcDay,
} from '../../../store/models/token-usage.ts'
import { getSettings } from '../../../store/settings/settings.ts'
import { DAY_MS } from '../../../wire/date-time.ts'
import { nullish, wireInteger } from '../../../wire/schemas.ts'
import { route } from '../../route.ts'
import { csvRow } from '../../views/csv.ts'
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
          user_email: z.string().nullable().describe('The person who used the tokens, directly or with a key.'),
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

const CSV_COLUMNS = ['day', 'person', 'key', 'model', 'input_tokens', 'output_tokens', 'calls'] as const
const CSV_BATCH = 1_000

async function* usageCsv(db: Database, from: string): AsyncGenerator<string> {
  yield csvRow(CSV_COLUMNS)
  for (let offset = 0; ; offset += CSV_BATCH) {
    const rows = await listUsageRows(db, { from }, { offset, limit: CSV_BATCH })
    for (const { day, person_email, api_key_name, model, input_tokens, output_tokens, calls } of rows)
      yield csvRow([day, person_email, api_key_name, model, input_tokens, output_tokens, calls])
    if (rows.length < CSV_BATCH) return
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
      const users = await listUsageByUser(db, { from, userId: null })
      const people = await mapPersonEmails(
        db,
        users.map((it) => it.user_id),
      )
      return {
        daily_token_limit: (await getSettings(db)).daily_token_limit,
        used_today: (await countTokens(db, subject.usage_id, utcDay(now))).all,
        ...(await usageOfPeriod(db, { from, userId: null, now })),
        by_key: users.map((it) => ({
          ...it,
          api_key_id: keys.get(it.user_id)?.id ?? null,
          api_key_name: keys.get(it.user_id)?.name ?? null,
          user_email: keys.get(it.user_id)?.user_email ?? people.get(it.user_id) ?? null,
          daily_token_limit: keys.get(it.user_id)?.daily_token_limit ?? null,
          used_today: today.get(it.user_id) ?? 0,
        })),
      }
    },
  }),
  route({
    name: 'exportTokenUsageCsv',
    method: 'GET',
    path: '/admin/llm/usage/csv',
    access: 'admin',
    tag: 'Language models',
    summary: 'Export token usage as CSV',
    description: 'One line per day, person or key, and model. The newest day first.',
    audit: { action: 'llm_provider.export_usage' },
    query: UsageQuery,
    reply: z.custom<Readable>().meta({ type: 'string' }),
    mediaType: 'text/csv; charset=utf-8',
    services: ['db', 'now'],
    handle: ({ query, services: { db, now } }) => Readable.from(usageCsv(db, firstDay(query.days, now()))),
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
