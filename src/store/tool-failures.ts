// Calls of chats that failed, kept for a while so that whoever made the tool can try them again.

import { DAY_MS } from '../domain/date-time.ts'
import { AppError } from '../domain/errors.ts'
import type { Page } from '../domain/page.ts'
import type { Database, Queries } from './database.ts'
import type { SecretBox } from './secret-box.ts'

const KEPT_MS = 30 * DAY_MS
const MAX_KEPT = 100
const MAX_ARGUMENTS = 100_000
const MAX_REASON = 1_000

export interface ToolFailure {
  id: number
  tool_id: number
  operation: string
  arguments: Record<string, unknown>
  reason: string
  status_code: number | null
  user_id: string
  failed_at: number
}

interface Store {
  db: Database
  secrets: SecretBox
}

/** The oldest go when a tool has too many. One whose arguments are longer than anybody reads is not kept. */
export async function insertFailure({ db, secrets }: Store, failure: Omit<ToolFailure, 'id'>): Promise<void> {
  const text = JSON.stringify(failure.arguments)
  if (text.length > MAX_ARGUMENTS) return
  const row = { ...failure, arguments: '', reason: withoutNul(failure.reason.slice(0, MAX_REASON)) }
  await db.transaction().execute(async (trx) => {
    const { id } = await trx.insertInto('tool_failure').values(row).returning('id').executeTakeFirstOrThrow()
    await trx
      .updateTable('tool_failure')
      .set({ arguments: secrets.seal(text, placeOf(id)) })
      .where('id', '=', id)
      .execute()
    const last = await trx
      .selectFrom('tool_failure')
      .select('id')
      .where('tool_id', '=', failure.tool_id)
      .orderBy('id', 'desc')
      .offset(MAX_KEPT)
      .limit(1)
      .executeTakeFirst()
    if (last !== undefined) {
      await trx.deleteFrom('tool_failure').where('tool_id', '=', failure.tool_id).where('id', '<=', last.id).execute()
    }
  })
}

const withoutNul = (text: string) => text.replaceAll('\0', '').toWellFormed()

export async function listFailures(
  { db, secrets }: { db: Queries; secrets: SecretBox },
  tool_id: number,
  { after, limit }: Page,
): Promise<ToolFailure[]> {
  const rows = await db
    .selectFrom('tool_failure')
    .selectAll()
    .where('tool_id', '=', tool_id)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ ...row, arguments: JSON.parse(secrets.open(row.arguments, placeOf(row.id))) }))
}

/** TOOL_FAILURE_NOT_FOUND: it is of another tool, or no longer kept. */
export async function getFailure(
  store: { db: Queries; secrets: SecretBox },
  tool_id: number,
  id: number,
): Promise<ToolFailure> {
  const [failure] = await listFailures(store, tool_id, { after: id - 1, limit: 1 })
  if (failure?.id !== id) throw new AppError('TOOL_FAILURE_NOT_FOUND', { id })
  return failure
}

export async function expireFailures(db: Queries, now: number): Promise<void> {
  await db
    .deleteFrom('tool_failure')
    .where('failed_at', '<', now - KEPT_MS)
    .execute()
}

const placeOf = (id: number) => `tool_failure/${id}/arguments` as const
