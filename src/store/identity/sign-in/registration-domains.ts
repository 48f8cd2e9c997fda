// E-mail domains whose people may register, as DNS knows them.
import type { Database, Queryable } from '../../database/database.ts'

/** In alphabetical order. */
export async function listRegistrationDomains(db: Queryable): Promise<string[]> {
  const rows = await db.selectFrom('registration_domain').select('domain').orderBy('domain').execute()
  return rows.map((it) => it.domain)
}

export async function isRegistrationDomain(db: Queryable, domain: string): Promise<boolean> {
  const found = db.selectFrom('registration_domain').select('domain').where('domain', '=', domain)
  return (await found.executeTakeFirst()) !== undefined
}

export const replaceRegistrationDomains = (db: Database, domains: readonly string[], now: number): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await trx.deleteFrom('registration_domain').execute()
    const rows = domains.map((domain) => ({ domain, time_created: now }))
    if (rows.length > 0) await trx.insertInto('registration_domain').values(rows).execute()
  })
