// How much of the daily budget of a kind of text is used: seconds of recordings, or pictures.
import type { ModelTextKind } from '../../domain/made-texts/model-text.ts'
import { DAY_MS } from '../../wire/date-time.ts'
import type { Database, Queryable } from '../database/database.ts'
import { utcDay } from '../models/token-usage.ts'

const KEPT_DAYS = 31

/** The amount of the day (UTC) so far. */
export async function readModelUsage(db: Queryable, kind: ModelTextKind, now: number): Promise<number> {
  const row = await db
    .selectFrom('model_text_usage')
    .select('amount')
    .where('day', '=', utcDay(now))
    .where('kind', '=', kind)
    .executeTakeFirst()
  return row?.amount ?? 0
}

/** Adds to the day; a negative amount gives back. Days of more than a month ago are forgotten. */
export const addModelUsage = (db: Database, kind: ModelTextKind, amount: number, now: number): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await trx
      .insertInto('model_text_usage')
      .values({ day: utcDay(now), kind, amount })
      .onConflict((it) =>
        it
          .columns(['day', 'kind'])
          .doUpdateSet((to) => ({ amount: to('model_text_usage.amount', '+', to.ref('excluded.amount')) })),
      )
      .execute()
    await trx
      .deleteFrom('model_text_usage')
      .where('day', '<', utcDay(now - KEPT_DAYS * DAY_MS))
      .execute()
  })
