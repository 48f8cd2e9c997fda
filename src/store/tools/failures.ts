// Failed tool calls of chats, kept for a while so that the author of the tool can retry them.

import { AppError } from '../../domain/errors.ts'
import type { KeysetPage } from '../../domain/values/keyset-page.ts'
import { DAY_MS } from '../../wire/date-time.ts'
import type { Queryable } from '../database/database.ts'
import type { DatabaseWithSecrets, QueryableWithSecrets } from '../secrets/secret-box.ts'

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

/** Deletes the oldest failures when a tool has too many. Calls with overlong arguments are not kept. */
export async function insertToolFailure(
  { db, secrets }: DatabaseWithSecrets,
  failure: Omit<ToolFailure, 'id'>,
): Promise<void> {
  const text = JSON.stringify(failure.arguments)
  if (text.length > MAX_ARGUMENTS) return
  const row = { ...failure, arguments: '', reason: withoutNul(failure.reason.slice(0, MAX_REASON)) }
  await db.transaction().execute(async (trx) => {
    const { id } = await trx.insertInto('tool_failure').values(row).returning('id').executeTakeFirstOrThrow()
    await trx
      .updateTable('tool_failure')
      .set({ arguments: secrets.seal(text, argumentsLocation(id)) })
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

export async function listToolFailures(
  { db, secrets }: QueryableWithSecrets,
  tool_id: number,
  { after, limit }: KeysetPage,
): Promise<ToolFailure[]> {
  const rows = await db
    .selectFrom('tool_failure')
    .selectAll()
    .where('tool_id', '=', tool_id)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ ...row, arguments: JSON.parse(secrets.open(row.arguments, argumentsLocation(row.id))) }))
}

/** TOOL_FAILURE_NOT_FOUND: it belongs to another tool or has expired. */
export async function getToolFailure(store: QueryableWithSecrets, tool_id: number, id: number): Promise<ToolFailure> {
  const [failure] = await listToolFailures(store, tool_id, { after: id - 1, limit: 1 })
  if (failure?.id !== id) throw new AppError('TOOL_FAILURE_NOT_FOUND', { id })
  return failure
}

export async function expireToolFailures(db: Queryable, now: number): Promise<void> {
  await db
    .deleteFrom('tool_failure')
    .where('failed_at', '<', now - KEPT_MS)
    .execute()
}

const argumentsLocation = (id: number) => `tool_failure/${id}/arguments` as const
