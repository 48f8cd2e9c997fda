import { AppError } from '../../domain/errors.ts'
import { DEFAULT_RANKING, type RankingSettings, type RankingUpdate } from '../../domain/search/ranking.ts'
import type { Database, Queryable } from '../database/database.ts'
import { versionOf } from '../database/version-of.ts'

export async function getRankingSettings(db: Queryable): Promise<RankingSettings> {
  const rows = await db.selectFrom('ranking_setting').selectAll().execute()
  return { ...DEFAULT_RANKING, ...Object.fromEntries(rows.map(({ name, value }) => [name, JSON.parse(value)])) }
}

/** Changes with each field of the settings. */
export const rankingVersion = (it: RankingSettings): string =>
  versionOf([
    ...[it.half_life_days, it.source_half_life_days, it.boosts, it.pins, it.synonyms],
    ...[it.click_weight, it.link_weight, it.freshness_weight],
  ])

/**
 * Changes only the given fields; null resets to the default. RANKING_CHANGED: the settings no longer have the version that
 * the caller expects, which may be null.
 */
export const updateRankingSettings = (
  db: Database,
  change: RankingUpdate,
  expectedVersion: string | null,
): Promise<RankingSettings> =>
  db.transaction().execute(async (trx) => {
    if (expectedVersion !== null && expectedVersion !== rankingVersion(await getRankingSettings(trx)))
      throw new AppError('RANKING_CHANGED')
    for (const [name, setting] of Object.entries(change)) {
      await trx.deleteFrom('ranking_setting').where('name', '=', name).execute()
      if (setting === null) continue
      await trx
        .insertInto('ranking_setting')
        .values({ name, value: JSON.stringify(setting) })
        .execute()
    }
    return getRankingSettings(trx)
  })
