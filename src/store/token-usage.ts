// How much each key had language models read and write, by day.
import { sql } from 'kysely'
import { DAY_MS } from '../domain/date-time.ts'
import type { Database, Queries } from './database.ts'

export interface Tokens {
  input_tokens: number
  output_tokens: number
}

export interface Usage extends Tokens {
  calls: number
}

/** Older than this they are gone. */
export const KEPT_DAYS = 400
const MAX_KEYS = 1_000

/** As the calendar of UTC has it. */
export const dayOf = (now: number): string => new Date(now).toISOString().slice(0, 10)

/** When the next day begins. */
export const nextDay = (now: number): number => (Math.floor(now / DAY_MS) + 1) * DAY_MS

/** Counts on. What is too old goes with it. */
export const addUsage = (
  db: Database,
  { user_id, model, input_tokens, output_tokens }: Tokens & { user_id: string; model: string },
  now: number,
): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await trx
      .insertInto('token_usage')
      .values({ day: dayOf(now), user_id, model, input_tokens, output_tokens, calls: 1 })
      .onConflict((it) =>
        it.columns(['day', 'user_id', 'model']).doUpdateSet((to) => ({
          input_tokens: to('token_usage.input_tokens', '+', to.ref('excluded.input_tokens')),
          output_tokens: to('token_usage.output_tokens', '+', to.ref('excluded.output_tokens')),
          calls: to('token_usage.calls', '+', 1),
        })),
      )
      .execute()
    await trx
      .deleteFrom('token_usage')
      .where('day', '<', dayOf(now - KEPT_DAYS * DAY_MS))
      .execute()
  })

/** Both ways together, on one day: of one key, and of all. */
export async function countTokens(db: Queries, userId: string, day: string): Promise<{ own: number; all: number }> {
  const { own, all } = await db
    .selectFrom('token_usage')
    .select((it) => [
      it.fn.coalesce(it.fn.sum<number>(BOTH), it.lit(0)).as('all'),
      it.fn
        .coalesce(it.fn.sum<number>(sql`case when user_id = ${userId} then ${BOTH} else 0 end`), it.lit(0))
        .as('own'),
    ])
    .where('day', '=', day)
    .executeTakeFirstOrThrow()
  return { own, all }
}

/** What each key used on that day. */
export async function tokensOfKeys(db: Queries, day: string): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('token_usage')
    .select((it) => ['user_id', it.fn.sum<number>(BOTH).as('tokens')])
    .where('day', '=', day)
    .groupBy('user_id')
    .execute()
  return new Map(rows.map(({ user_id, tokens }) => [user_id, tokens]))
}

interface Span {
  /** The first day that counts. */
  from: string
  /** Null for all. */
  userId: string | null
}

export const usageByDay = (db: Queries, span: Span): Promise<({ day: string } & Usage)[]> =>
  within(db, span)
    .select(['day', ...SUMS])
    .groupBy('day')
    .orderBy('day')
    .execute()

export const usageByModel = (db: Queries, span: Span): Promise<({ model: string } & Usage)[]> =>
  within(db, span)
    .select(['model', ...SUMS])
    .groupBy('model')
    .orderBy('model')
    .execute()

/** Those that used most first. */
export const usageByKey = (db: Queries, span: Span): Promise<({ user_id: string } & Usage)[]> =>
  within(db, span)
    .select(['user_id', ...SUMS])
    .groupBy('user_id')
    .orderBy(sql`sum(${BOTH})`, 'desc')
    .orderBy('user_id')
    .limit(MAX_KEYS)
    .execute()

const BOTH = sql<number>`input_tokens + output_tokens`

const SUMS = [
  sql<number>`sum(input_tokens)`.as('input_tokens'),
  sql<number>`sum(output_tokens)`.as('output_tokens'),
  sql<number>`sum(calls)`.as('calls'),
] as const

const within = (db: Queries, { from, userId }: Span) =>
  db
    .selectFrom('token_usage')
    .where('day', '>=', from)
    .$if(userId !== null, (it) => it.where('user_id', '=', userId ?? ''))
