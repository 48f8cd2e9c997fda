import { DEFAULT_SETTINGS, type Settings, type SettingsUpdate } from '../../domain/settings.ts'
import type { Database, Queryable } from '../database/database.ts'

export async function getSettings(db: Queryable): Promise<Settings> {
  const rows = await db.selectFrom('setting').selectAll().execute()
  return { ...DEFAULT_SETTINGS, ...Object.fromEntries(rows.map(({ name, value }) => [name, JSON.parse(value)])) }
}

/** Changes only the given fields; null resets to the default. */
export const updateSettings = (db: Database, change: SettingsUpdate): Promise<void> =>
  db.transaction().execute((trx) => writeSettings(trx, change))

/** Missing fields are reset to their default. */
export const replaceSettings = (db: Database, settings: SettingsUpdate): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await trx.deleteFrom('setting').execute()
    await writeSettings(trx, settings)
  })

async function writeSettings(db: Queryable, change: SettingsUpdate): Promise<void> {
  for (const [name, setting] of Object.entries(change)) {
    if (setting === null) await db.deleteFrom('setting').where('name', '=', name).execute()
    else await writeSetting(db, { name, value: JSON.stringify(setting) })
  }
}

const writeSetting = (db: Queryable, setting: { name: string; value: string }) =>
  db
    .insertInto('setting')
    .values(setting)
    .onConflict((it) => it.column('name').doUpdateSet({ value: setting.value }))
    .execute()
