// Lists the known migrations, recognizes those that a database has, and selects the pending ones by name and hash.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../domain/errors.ts'

export interface Migration {
  /** File name such as `0001-first.sql`, equal in both databases. */
  name: string
  text: string
  /** Hash of the text with LF line ends. */
  sha256: string
}

export type AppliedMigration = Pick<Migration, 'name' | 'sha256'>

/** Returns the migrations of a folder in order of their numbers. */
export const readMigrations = (folder: string): Migration[] =>
  readdirSync(folder)
    .filter((it) => it.endsWith('.sql'))
    .sort()
    .map((name) => {
      const text = readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n')
      return { name, text, sha256: createHash('sha256').update(text).digest('hex') }
    })

/**
 * Returns the migrations to apply in order of their numbers. A number may be lower than an applied one, because
 * branches merge in any order.
 */
export function pendingMigrations(known: readonly Migration[], applied: readonly AppliedMigration[]): Migration[] {
  const own = new Map(known.map((it) => [it.name, it]))
  const unknown = applied.filter((it) => !own.has(it.name)).map((it) => it.name)
  if (unknown.length > 0) throw new AppError('SCHEMA_NEWER', { reason: `it has ${summarizeNames(unknown)}` })
  const other = applied.filter((it) => own.get(it.name)?.sha256 !== it.sha256).map((it) => it.name)
  if (other.length > 0) throw new AppError('SCHEMA_DIFFERENT', { migrations: summarizeNames(other) })
  const done = new Set(applied.map((it) => it.name))
  return known.filter((it) => !done.has(it.name))
}

const MAX_NAMED = 5
export const summarizeNames = (names: readonly string[]): string =>
  `${names.slice(0, MAX_NAMED).join(', ')}${names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : ''}`

/**
 * Older programs only counted the migrations of a database. Their files were merged in this order, which differs from
 * the numbers. Each creates a column that no other one does.
 */
const LEGACY_MERGE_ORDER = [
  ['0001-first.sql', 'connector', 'id'],
  ['0002-tokens-settings-personas.sql', 'persona', 'id'],
  ['0003-document-sets.sql', 'document_set', 'id'],
  ['0008-record.sql', 'record_identity', 'id'],
  ['0004-webhooks.sql', 'webhook', 'id'],
  ['0005-egress.sql', 'egress_approval', 'id'],
  ['0006-seen-from-outside.sql', 'audit', 'id'],
  ['0009-vectors.sql', 'receipt', 'embedded_at'],
  ['0010-search.sql', 'recent_query', 'query'],
  ['0011-sessions.sql', 'session', 'owner_kid'],
  ['0014-relevance.sql', 'recorded_query', 'query_key'],
  ['0012-pulling.sql', 'index_attempt', 'id'],
  ['0013-source-access.sql', 'cc_pair_schedule', 'access_freq'],
  ['0018-tools.sql', 'tool', 'requires_confirmation'],
  ['0015-language-models.sql', 'llm_provider', 'id'],
  ['0016-chat.sql', 'chat_session', 'owner'],
  ['0019-mcp-servers.sql', 'mcp_server', 'id'],
  ['0017-screen.sql', 'document', 'warnings'],
] as const

/**
 * Recognizes the migrations of a database that has only a count. The existing tables decide; a database whose tables do
 * not match the count is refused.
 */
export function recognizeMigrations(
  count: number,
  known: readonly Migration[],
  has: (table: string, column: string) => boolean,
): AppliedMigration[] {
  if (count > LEGACY_MERGE_ORDER.length) {
    throw new AppError('SCHEMA_NEWER', { reason: `it has schema ${count}, this program knows ${known.length}` })
  }
  if (count === 0) return []
  const found: string[] = LEGACY_MERGE_ORDER.filter(([, table, column]) => has(table, column)).map(([name]) => name)
  if (found.length !== count) throw new AppError('SCHEMA_UNKNOWN', { count, found: found.length })
  return known.filter((it) => found.includes(it.name))
}

/** Returns the known migrations with these names; unknown names are ignored. */
export const pickMigrations = (known: readonly Migration[], names: readonly string[]): Migration[] =>
  known.filter((it) => names.includes(it.name))

/** The migrations of a backup that has only a count. */
export const migrationNamesOfCount = (count: number): string[] =>
  LEGACY_MERGE_ORDER.slice(0, count).map(([name]) => name)

/**
 * An early program created one index of 0004-webhooks.sql with a condition. Its databases can have at most eleven
 * migrations.
 */
export const repairSql = (counted: readonly AppliedMigration[]): string =>
  counted.length < 12 && counted.some((it) => it.name === '0004-webhooks.sql')
    ? 'drop index receipt_mark; create index receipt_mark on receipt (mark);'
    : ''
