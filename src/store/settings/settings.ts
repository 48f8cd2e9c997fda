import { AppError } from '../../domain/errors.ts'
import { DEFAULT_SETTINGS, type Settings, type SettingsUpdate } from '../../domain/settings.ts'
import type { Database, Queryable } from '../database/database.ts'
import { versionOf } from '../database/version-of.ts'

export async function getSettings(db: Queryable): Promise<Settings> {
  const rows = await db.selectFrom('setting').selectAll().execute()
  return { ...DEFAULT_SETTINGS, ...Object.fromEntries(rows.map(({ name, value }) => [name, JSON.parse(value)])) }
}

/** Changes with every setting. */
export const settingsVersion = (settings: Settings): string =>
  versionOf(Object.entries(settings).toSorted(([a], [b]) => (a < b ? -1 : 1)))

/**
 * Changes only the given fields; null resets to the default. SETTINGS_CHANGED: the settings no longer have the version
 * that the caller expects, which may be null.
 */
export const updateSettings = (
  db: Database,
  change: SettingsUpdate,
  expectedVersion: string | null = null,
): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await checkVersion(trx, expectedVersion)
    await writeSettings(trx, change)
  })

/** Missing fields are reset to their default. Throws what `updateSettings` throws. */
export const replaceSettings = (
  db: Database,
  settings: SettingsUpdate,
  expectedVersion: string | null = null,
): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await checkVersion(trx, expectedVersion)
    await trx.deleteFrom('setting').execute()
    await writeSettings(trx, settings)
  })

async function checkVersion(db: Queryable, expected: string | null): Promise<void> {
  if (expected !== null && expected !== settingsVersion(await getSettings(db))) throw new AppError('SETTINGS_CHANGED')
}

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
