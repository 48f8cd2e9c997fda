import { DEFAULT_SETTINGS, type Settings, type SettingsUpdate } from '../domain/settings.ts'
import type { Database, Queries } from './database.ts'

export async function getSettings(db: Queries): Promise<Settings> {
  const rows = await db.selectFrom('setting').selectAll().execute()
  return { ...DEFAULT_SETTINGS, ...Object.fromEntries(rows.map(({ name, value }) => [name, JSON.parse(value)])) }
}

/** Changes only what is there; null goes back to the default. */
export const updateSettings = (db: Database, change: SettingsUpdate): Promise<void> =>
  db.transaction().execute((trx) => writeSettings(trx, change))

/** What is not there goes back to its default. */
export const replaceSettings = (db: Database, settings: SettingsUpdate): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await trx.deleteFrom('setting').execute()
    await writeSettings(trx, settings)
  })

async function writeSettings(db: Queries, change: SettingsUpdate): Promise<void> {
  for (const [name, setting] of Object.entries(change)) {
    if (setting === null) await db.deleteFrom('setting').where('name', '=', name).execute()
    else await writeSetting(db, { name, value: JSON.stringify(setting) })
  }
}

const writeSetting = (db: Queries, setting: { name: string; value: string }) =>
  db
    .insertInto('setting')
    .values(setting)
    .onConflict((it) => it.column('name').doUpdateSet({ value: setting.value }))
    .execute()
