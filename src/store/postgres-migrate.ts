// Brings the database to the schema of this program: numbered files, each in its own transaction, never edited later.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ClientBase } from 'pg'
import { AppError } from '../domain/errors.ts'

const FOLDER = join(import.meta.dirname, '../../sql/postgres')
/** Any number, the same for all that share a database. */
const LOCK = 7_402_001

/** Of several programs that start together one migrates, the others wait for it. The client must be used for nothing else. */
export async function migratePostgres(client: ClientBase): Promise<void> {
  await client.query('set lock_timeout = 0; set idle_in_transaction_session_timeout = 0')
  await client.query(`select pg_advisory_lock(${LOCK})`)
  const files = readdirSync(FOLDER)
    .filter((it) => it.endsWith('.sql'))
    .sort()
  const version = await schemaVersion(client)
  if (version > files.length) throw new AppError('SCHEMA_NEWER', { found: version, known: files.length })
  for (const [at, file] of files.entries()) if (at >= version) await apply(client, at + 1, file)
}

async function schemaVersion(client: ClientBase): Promise<number> {
  await client.query('create table if not exists schema_version (version bigint not null)')
  const { rows } = await client.query<{ version: number }>('select version from schema_version')
  if (rows.length === 0) await client.query('insert into schema_version values (0)')
  return rows[0]?.version ?? 0
}

async function apply(client: ClientBase, version: number, file: string): Promise<void> {
  const text = readFileSync(join(FOLDER, file), 'utf8')
  // One message is one transaction, unless the text itself says otherwise.
  await client.query(`begin; ${text}; update schema_version set version = ${version}; commit`)
}
