import { DEFAULT_RANKING, type RankingSettings, type RankingUpdate } from '../../domain/search/ranking.ts'
import type { Database, Queryable } from '../database/database.ts'

export async function getRankingSettings(db: Queryable): Promise<RankingSettings> {
  const rows = await db.selectFrom('ranking_setting').selectAll().execute()
  return { ...DEFAULT_RANKING, ...Object.fromEntries(rows.map(({ name, value }) => [name, JSON.parse(value)])) }
}

/** Changes only the given fields; null resets to the default. */
export const updateRankingSettings = (db: Database, change: RankingUpdate): Promise<void> =>
  db.transaction().execute(async (trx) => {
    for (const [name, setting] of Object.entries(change)) {
      await trx.deleteFrom('ranking_setting').where('name', '=', name).execute()
      if (setting === null) continue
      await trx
        .insertInto('ranking_setting')
        .values({ name, value: JSON.stringify(setting) })
        .execute()
    }
  })
