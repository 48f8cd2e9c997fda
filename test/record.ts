// The database of a program under test, and direct access to its record for changes that no request can make.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** `test:servers` runs the same tests on PostgreSQL, where each data folder has a database of its own. */
export async function databaseOf(dataDir: string): Promise<Record<string, string>> {
  const server = process.env.TEST_POSTGRES
  if (server === undefined) return {}
  const { databaseFor } = await import('./servers/start-postgres.ts')
  return { DATABASE_URL: await databaseFor(server, dataDir) }
}

/** `databaseUrl`: that of the program, if it has been given one. */
export async function alterRecord(dataDir: string, sql: string, databaseUrl?: string): Promise<void> {
  const url = databaseUrl ?? (await databaseOf(dataDir)).DATABASE_URL
  if (url !== undefined) {
    const { ask } = await import('./servers/start-postgres.ts')
    await ask(url, sql)
    return
  }
  const db = new DatabaseSync(join(dataDir, 'pharos.db'), { timeout: 5_000 })
  db.exec(sql)
  db.close()
}
