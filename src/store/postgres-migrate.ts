// Brings the database to the schema of this program: numbered files, each in its own transaction, never edited later.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ClientBase } from 'pg'
import { AppError } from '../domain/errors.ts'

const FOLDER = join(import.meta.dirname, '../../sql/postgres')
/** Any number, the same for all that share a database. */
const LOCK = 7_402_001

/** The migrations of this program, in their order. */
export const postgresMigrations = (): string[] =>
  readdirSync(FOLDER)
    .filter((it) => it.endsWith('.sql'))
    .sort()

/** Of several programs that start together one migrates, the others wait for it. The client must be used for nothing else. */
export async function migratePostgres(
  client: ClientBase,
  onUpgrade: (from: number, to: number) => void = () => {},
): Promise<void> {
  await lockSchema(client)
  const known = postgresMigrations().length
  await client.query(VERSION_TABLE)
  const version = await schemaOfPostgres(client)
  if (version > known) throw new AppError('SCHEMA_NEWER', { found: version, known })
  if (version > 0 && version < known) onUpgrade(version, known)
  for (let next = version; next < known; next++) {
    // One message is one transaction, unless the text itself says otherwise.
    await client.query(`begin; ${migrationText(next)}; commit`)
  }
}

/** As long as the connection lives; whoever starts meanwhile waits for it. */
export async function lockSchema(client: ClientBase): Promise<void> {
  await client.query('set lock_timeout = 0; set idle_in_transaction_session_timeout = 0')
  await client.query(`select pg_advisory_lock(${LOCK})`)
}

/** Inside a transaction of the caller's. */
export async function applyPostgres(client: ClientBase, from: number, to: number): Promise<void> {
  await client.query(VERSION_TABLE)
  for (let next = from; next < to; next++) await client.query(migrationText(next))
}

const VERSION_TABLE = `create table if not exists schema_version (version bigint not null);
  insert into schema_version select 0 where not exists (select from schema_version)`

export async function schemaOfPostgres(client: ClientBase): Promise<number> {
  const { rows } = await client.query<{ version: number }>('select version from schema_version')
  return rows[0]?.version ?? 0
}

function migrationText(at: number): string {
  const text = readFileSync(join(FOLDER, postgresMigrations()[at]!), 'utf8')
  return `${text}; update schema_version set version = ${at + 1}`
}
