// Counts the records that the retention settings keep, and those that would go if they changed.
import type { AliasableExpression } from 'kysely'
import type { RetentionSetting } from '../../domain/settings.ts'
import type { Queryable } from '../database/database.ts'

export const RETAINED_KINDS = [
  'chats',
  'deleted_chats',
  'trashed_documents',
  'audit_entries',
  'recent_queries',
  'recorded_queries',
] as const
export type RetainedKind = (typeof RETAINED_KINDS)[number]

export const SETTING_OF_KIND: Readonly<Record<RetainedKind, RetentionSetting>> = {
  chats: 'chat_retention_days',
  deleted_chats: 'trash_retention_days',
  trashed_documents: 'trash_retention_days',
  audit_entries: 'audit_retention_days',
  recent_queries: 'recent_query_retention_days',
  recorded_queries: 'recorded_query_retention_days',
}

export interface RetainedRecords {
  kept: number
  /** The time that counts for the oldest; null if there are none. */
  oldest: number | null
  /** How many of them are older than the given time. */
  expired: number
}

/** `before` is null if nothing expires. */
export async function countRetained(
  db: Queryable,
  kind: RetainedKind,
  before: number | null,
): Promise<RetainedRecords> {
  const all = await selectTimes(db, kind)
    .select((it) => [it.fn.countAll<number>().as('kept'), it.fn.min<number | null>('at').as('oldest')])
    .executeTakeFirstOrThrow()
  const oldest = all.oldest === null ? null : Number(all.oldest)
  const counted = { kept: Number(all.kept), oldest }
  if (before === null || oldest === null || oldest >= before) return { ...counted, expired: 0 }
  const { expired } = await selectTimes(db, kind)
    .where('at', '<', before)
    .select((it) => it.fn.countAll<number>().as('expired'))
    .executeTakeFirstOrThrow()
  return { ...counted, expired: Number(expired) }
}

const selectTimes = (db: Queryable, kind: RetainedKind) => db.selectFrom(timesOf(db, kind).as('retained'))

/** The time from which each kind is counted, as `at`. */
function timesOf(db: Queryable, kind: RetainedKind): AliasableExpression<{ at: number | null }> {
  switch (kind) {
    case 'chats':
      return db
        .selectFrom('chat_session')
        .select('time_updated as at')
        .where('incognito', '=', 0)
        .where('deleted_at', 'is', null)
    case 'deleted_chats':
      return db.selectFrom('chat_session').select('deleted_at as at').where('deleted_at', 'is not', null)
    case 'trashed_documents':
      return db.selectFrom('document').select('deleted_at as at').where('deleted_at', 'is not', null)
    case 'audit_entries':
      return db.selectFrom('audit').select('at')
    case 'recent_queries':
      return db.selectFrom('recent_query').select('asked_at as at')
    case 'recorded_queries':
      return db.selectFrom('recorded_query').select('asked_at as at')
  }
}
