// Language model tokens used by each key, by day.
import { sql } from 'kysely'
import { DAY_MS } from '../../wire/date-time.ts'
import type { Database, Queryable } from '../database/database.ts'
import { addTokenHour } from './usage-limits.ts'

export interface TokenCounts {
  input_tokens: number
  output_tokens: number
}

export interface TokenUsageSums extends TokenCounts {
  calls: number
}

/** Older rows are deleted. */
export const TOKEN_USAGE_DAYS = 400
const MAX_KEYS = 1_000

/** The UTC date. */
export const utcDay = (now: number): string => new Date(now).toISOString().slice(0, 10)

/** When the next UTC day begins. */
export const startOfNextUtcDay = (now: number): number => (Math.floor(now / DAY_MS) + 1) * DAY_MS

/** Adds to the counters and deletes expired rows. */
export const addTokenUsage = (
  db: Database,
  { user_id, model, input_tokens, output_tokens }: TokenCounts & { user_id: string; model: string },
  now: number,
): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await trx
      .insertInto('token_usage')
      .values({ day: utcDay(now), user_id, model, input_tokens, output_tokens, calls: 1 })
      .onConflict((it) =>
        it.columns(['day', 'user_id', 'model']).doUpdateSet((to) => ({
          input_tokens: to('token_usage.input_tokens', '+', to.ref('excluded.input_tokens')),
          output_tokens: to('token_usage.output_tokens', '+', to.ref('excluded.output_tokens')),
          calls: to('token_usage.calls', '+', 1),
        })),
      )
      .execute()
    await addTokenHour(trx, user_id, input_tokens + output_tokens, now)
    await trx
      .deleteFrom('token_usage')
      .where('day', '<', utcDay(now - TOKEN_USAGE_DAYS * DAY_MS))
      .execute()
  })

/** Sums input and output tokens of one day, for one key and for all. */
export async function countTokens(db: Queryable, userId: string, day: string): Promise<{ own: number; all: number }> {
  const { own, all } = await db
    .selectFrom('token_usage')
    .select((it) => [
      it.fn.coalesce(it.fn.sum<number>(TOTAL_TOKENS), it.lit(0)).as('all'),
      it.fn
        .coalesce(it.fn.sum<number>(sql`case when user_id = ${userId} then ${TOTAL_TOKENS} else 0 end`), it.lit(0))
        .as('own'),
    ])
    .where('day', '=', day)
    .executeTakeFirstOrThrow()
  return { own, all }
}

/** Returns the tokens that each key used on that day. */
export async function mapTokensByUser(db: Queryable, day: string): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('token_usage')
    .select((it) => ['user_id', it.fn.sum<number>(TOTAL_TOKENS).as('tokens')])
    .where('day', '=', day)
    .groupBy('user_id')
    .execute()
  return new Map(rows.map(({ user_id, tokens }) => [user_id, tokens]))
}

interface UsagePeriod {
  /** First day, inclusive. */
  from: string
  /** Null for all users. */
  userId: string | null
}

export const listUsageByDay = (db: Queryable, span: UsagePeriod): Promise<({ day: string } & TokenUsageSums)[]> =>
  selectUsage(db, span)
    .select(['day', ...SUMS])
    .groupBy('day')
    .orderBy('day')
    .execute()

export const listUsageByModel = (db: Queryable, span: UsagePeriod): Promise<({ model: string } & TokenUsageSums)[]> =>
  selectUsage(db, span)
    .select(['model', ...SUMS])
    .groupBy('model')
    .orderBy('model')
    .execute()

/** Returns the largest users first. */
export const listUsageByUser = (db: Queryable, span: UsagePeriod): Promise<({ user_id: string } & TokenUsageSums)[]> =>
  selectUsage(db, span)
    .select(['user_id', ...SUMS])
    .groupBy('user_id')
    .orderBy(sql`sum(${TOTAL_TOKENS})`, 'desc')
    .orderBy('user_id')
    .limit(MAX_KEYS)
    .execute()

/** By day, the newest first; then by user and model. */
export const listUsageRows = (
  db: Queryable,
  { from }: { from: string },
  { offset, limit }: { offset: number; limit: number },
) =>
  db
    .selectFrom('token_usage')
    .leftJoin('api_key', 'api_key.user_id', 'token_usage.user_id')
    .leftJoin('person', (join) =>
      join.on('person.id', '=', (it) => it.fn.coalesce('api_key.person_id', 'token_usage.user_id')),
    )
    .select(['day', 'token_usage.user_id', 'model', 'input_tokens', 'output_tokens', 'calls'])
    .select(['api_key.name as api_key_name', 'person.email as person_email'])
    .where('day', '>=', from)
    .orderBy('day', 'desc')
    .orderBy('token_usage.user_id')
    .orderBy('model')
    .offset(offset)
    .limit(limit)
    .execute()

const TOTAL_TOKENS = sql<number>`input_tokens + output_tokens`

const SUMS = [
  sql<number>`sum(input_tokens)`.as('input_tokens'),
  sql<number>`sum(output_tokens)`.as('output_tokens'),
  sql<number>`sum(calls)`.as('calls'),
] as const

const selectUsage = (db: Queryable, { from, userId }: UsagePeriod) =>
  db
    .selectFrom('token_usage')
    .where('day', '>=', from)
    .$if(userId !== null, (it) => it.where('user_id', '=', userId ?? ''))
