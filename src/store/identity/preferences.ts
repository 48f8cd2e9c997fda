// The preferences of a person.
import { NO_PREFERENCES, type Preferences, type PreferencesUpdate } from '../../domain/preferences.ts'
import type { Database, Queryable } from '../database/database.ts'

/** Undefined if nobody has the id. */
export async function findPreferences(db: Queryable, personId: string): Promise<Preferences | undefined> {
  const row = await db.selectFrom('person').select('preferences').where('id', '=', personId).executeTakeFirst()
  return row && readPreferences(row.preferences)
}

export const readPreferences = (text: string | null): Preferences => ({
  ...NO_PREFERENCES,
  ...(text !== null && JSON.parse(text)),
})

/** Absent fields are left unchanged. Undefined if nobody has the id. */
export const changePreferences = (
  db: Database,
  personId: string,
  change: PreferencesUpdate,
  now: number,
): Promise<Preferences | undefined> =>
  db.transaction().execute(async (trx) => {
    const before = await findPreferences(trx, personId)
    if (before === undefined) return undefined
    const given = Object.fromEntries(Object.entries(change).filter(([, it]) => it !== undefined))
    const after = { ...before, ...given }
    await trx
      .updateTable('person')
      .set({ preferences: JSON.stringify(after), time_updated: now })
      .where('id', '=', personId)
      .execute()
    return after
  })
