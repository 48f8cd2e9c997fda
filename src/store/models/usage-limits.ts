// Limits of requests and tokens, and the tokens that count against them.
import { type Selectable, sql } from 'kysely'
import { AppError } from '../../domain/errors.ts'
import type { Subject } from '../../domain/subject.ts'
import { HOUR_MS } from '../../wire/date-time.ts'
import { toSqlFlag } from '../database/column-types.ts'
import type { Database, Queryable } from '../database/database.ts'
import type { UsageLimitRow } from '../database/model-tables.ts'

export const LIMIT_SCOPES = ['global', 'user', 'user_group', 'person', 'key'] as const
export type LimitScope = (typeof LIMIT_SCOPES)[number]

/** One of `requests_per_minute` and `token_budget` is null. */
export interface LimitAmount {
  requests_per_minute: number | null
  /** In thousands of tokens. */
  token_budget: number | null
  period_hours: number | null
  enabled: boolean
}

/** A limit applies to one of these. At most one id is not null. */
export interface LimitTarget {
  applies_to: LimitScope
  group_id: number | null
  person_id: string | null
  api_key_id: number | null
}

export type StoredLimit = Selectable<UsageLimitRow> & {
  /** The name of the group or key, or the address of the person. */
  target_name: string | null
}

/** Each request is compared with those of them that count requests. */
const MAX_LIMITS = 1_000
/** The longest period of a limit, in hours. Older counts are deleted. */
export const MAX_PERIOD_HOURS = 8_760

const selectLimits = (db: Queryable) =>
  db
    .selectFrom('usage_limit')
    .leftJoin('user_group', 'user_group.id', 'usage_limit.group_id')
    .leftJoin('person', 'person.id', 'usage_limit.person_id')
    .leftJoin('api_key', 'api_key.id', 'usage_limit.api_key_id')
    .selectAll('usage_limit')
    .select((it) => it.fn.coalesce('user_group.name', 'person.email', 'api_key.name').as('target_name'))
    .orderBy('usage_limit.id')

export const listLimits = (db: Queryable): Promise<StoredLimit[]> => selectLimits(db).execute()

/** LIMIT_NOT_FOUND: there is no such limit. */
export async function getLimit(db: Queryable, id: number): Promise<StoredLimit> {
  const limit = await selectLimits(db).where('usage_limit.id', '=', id).executeTakeFirst()
  if (limit === undefined) throw new AppError('LIMIT_NOT_FOUND', { id })
  return limit
}

/** USER_GROUP_NOT_FOUND, PERSON_NOT_FOUND, API_KEY_NOT_FOUND: nothing has the id. */
export const insertLimit = (db: Database, limit: LimitTarget & LimitAmount, now: number): Promise<StoredLimit> =>
  db.transaction().execute(async (trx) => {
    await checkTarget(trx, limit)
    const { count } = await trx
      .selectFrom('usage_limit')
      .select((it) => it.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    if (Number(count) >= MAX_LIMITS) throw new AppError('INVALID_INPUT', { reason: TOO_MANY })
    const values = { ...limit, enabled: toSqlFlag(limit.enabled), time_created: now }
    const { id } = await trx.insertInto('usage_limit').values(values).returning('id').executeTakeFirstOrThrow()
    return getLimit(trx, id)
  })

const TOO_MANY = `There are ${MAX_LIMITS} limits already. Delete one first.`

async function checkTarget(trx: Queryable, { group_id, person_id, api_key_id }: LimitTarget): Promise<void> {
  if (group_id !== null) {
    const group = await trx.selectFrom('user_group').select('id').where('id', '=', group_id).executeTakeFirst()
    if (group === undefined) throw new AppError('USER_GROUP_NOT_FOUND', { id: group_id })
  }
  if (person_id !== null) {
    const person = await trx.selectFrom('person').select('id').where('id', '=', person_id).executeTakeFirst()
    if (person === undefined) throw new AppError('PERSON_NOT_FOUND')
  }
  if (api_key_id !== null) {
    const key = await trx.selectFrom('api_key').select('id').where('id', '=', api_key_id).executeTakeFirst()
    if (key === undefined) throw new AppError('API_KEY_NOT_FOUND', { id: api_key_id })
  }
}

/** LIMIT_NOT_FOUND: there is no such limit. */
export async function updateLimit(db: Database, id: number, amount: LimitAmount): Promise<StoredLimit> {
  const values = { ...amount, enabled: toSqlFlag(amount.enabled) }
  await db.updateTable('usage_limit').set(values).where('id', '=', id).execute()
  return getLimit(db, id)
}

/** LIMIT_NOT_FOUND: there is no such limit. */
export async function deleteLimit(db: Database, id: number): Promise<void> {
  const deleted = await db.deleteFrom('usage_limit').where('id', '=', id).returning('id').executeTakeFirst()
  if (deleted === undefined) throw new AppError('LIMIT_NOT_FOUND', { id })
}

/** Inside the transaction that counts the tokens by day. */
export async function addTokenHour(trx: Queryable, userId: string, tokens: number, now: number): Promise<void> {
  const hour = Math.floor(now / HOUR_MS)
  await trx
    .insertInto('token_hour')
    .values({ hour, user_id: userId, tokens })
    .onConflict((it) =>
      it
        .columns(['hour', 'user_id'])
        .doUpdateSet((to) => ({ tokens: to('token_hour.tokens', '+', to.ref('excluded.tokens')) })),
    )
    .execute()
  await trx
    .deleteFrom('token_hour')
    .where('hour', '<', hour - MAX_PERIOD_HOURS)
    .execute()
}

export type TokenSubject = Pick<Subject, 'usage_id' | 'user_id' | 'api_key_id' | 'person_id' | 'groups'>

export interface UsedUpLimit {
  limit: StoredLimit
  hours: number
  tokens: number
  /** When enough of the tokens are older than the period. */
  resetAt: number
}

/**
 * The used-up limit of tokens whose tokens return last; undefined if tokens are left. Of several limited groups, one with
 * tokens left is enough.
 */
export async function findUsedUpLimit(
  db: Queryable,
  subject: TokenSubject,
  now: number,
): Promise<UsedUpLimit | undefined> {
  const limits = (await listLimits(db)).filter((it) => it.enabled === 1 && appliesTo(it, subject))
  const usedUp: UsedUpLimit[] = []
  for (const limit of limits) {
    const { token_budget, period_hours: hours } = limit
    if (token_budget === null || hours === null) continue
    const tokens = token_budget * 1_000
    const counted = { limit, hours, usageId: subject.usage_id, userId: subject.user_id }
    const used = await countTokensOf(db, counted, now)
    if (used >= tokens) usedUp.push({ limit, hours, tokens, resetAt: await findReset(db, counted, tokens, now) })
  }
  const groups = new Set(limits.filter(isGroupLimit).map((it) => it.group_id))
  const usedUpGroups = Map.groupBy(
    usedUp.filter((it) => isGroupLimit(it.limit)),
    (it) => it.limit.group_id,
  )
  const bestGroup = [...usedUpGroups.values()].flatMap((it) => lastOf(it) ?? []).toSorted(byReset)[0]
  const others = usedUp.filter((it) => !isGroupLimit(it.limit))
  return lastOf(bestGroup === undefined || usedUpGroups.size < groups.size ? others : [bestGroup, ...others])
}

const byReset = (a: UsedUpLimit, b: UsedUpLimit): number => a.resetAt - b.resetAt
const lastOf = (limits: readonly UsedUpLimit[]): UsedUpLimit | undefined => limits.toSorted(byReset).at(-1)

const isGroupLimit = ({ applies_to, token_budget }: StoredLimit): boolean =>
  applies_to === 'user_group' && token_budget !== null

export function appliesTo(
  { applies_to, target_name, person_id, api_key_id }: StoredLimit,
  subject: Pick<Subject, 'api_key_id' | 'person_id' | 'groups'>,
): boolean {
  if (applies_to === 'user_group') return target_name !== null && subject.groups.includes(target_name)
  if (applies_to === 'person') return subject.person_id === person_id
  if (applies_to === 'key') return subject.api_key_id === api_key_id
  return true
}

interface CountedTokens {
  limit: StoredLimit
  hours: number
  usageId: string
  userId: string
}

/** Hours are counted as a whole, so a period begins up to an hour earlier. */
function selectTokens(db: Queryable, { limit, hours, usageId, userId }: CountedTokens, now: number) {
  const keysOf = (personId: string) => sql<string>`select user_id from api_key where person_id = ${personId}`
  return db
    .selectFrom('token_hour')
    .where('hour', '>', Math.floor(now / HOUR_MS) - hours)
    .$if(limit.applies_to === 'key', (it) => it.where('user_id', '=', usageId))
    .$if(limit.applies_to === 'user' || limit.applies_to === 'person', (it) =>
      it.where(sql<boolean>`(user_id in (${userId}, ${usageId}) or user_id in (${keysOf(userId)}))`),
    )
    .$if(limit.applies_to === 'user_group', (it) => it.where(isOfGroup(limit.group_id ?? 0)))
}

async function countTokensOf(db: Queryable, counted: CountedTokens, now: number): Promise<number> {
  const { tokens } = await selectTokens(db, counted, now)
    .select((it) => it.fn.coalesce(it.fn.sum<number>('tokens'), it.lit(0)).as('tokens'))
    .executeTakeFirstOrThrow()
  return Number(tokens)
}

/** When fewer than these tokens count, if no more are used. */
async function findReset(db: Queryable, counted: CountedTokens, tokens: number, now: number): Promise<number> {
  const rows = await selectTokens(db, counted, now)
    .select((it) => ['hour', it.fn.sum<number>('tokens').as('tokens')])
    .groupBy('hour')
    .orderBy('hour')
    .execute()
  let left = rows.reduce((sum, it) => sum + Number(it.tokens), 0)
  for (const row of rows) {
    left -= Number(row.tokens)
    if (left < tokens) return (Number(row.hour) + counted.hours) * HOUR_MS
  }
  return now
}

/** The people of the group with their keys, and the keys of the group that act for nobody. */
const isOfGroup = (groupId: number) => sql<boolean>`user_id in (
  select person_id from user_group_member where group_id = ${groupId}
  union select api_key.user_id from api_key join user_group_member on user_group_member.person_id = api_key.person_id
    where user_group_member.group_id = ${groupId}
  union select api_key.user_id from api_key join user_group_key on user_group_key.api_key_id = api_key.id
    where user_group_key.group_id = ${groupId} and api_key.person_id is null)`

/** The tokens that count against a limit now. For `user` they are those of the person or key that used most. */
export async function countTokensOfLimit(db: Queryable, limit: StoredLimit, now: number): Promise<number> {
  const hours = limit.period_hours ?? 0
  if (limit.applies_to !== 'user') {
    const usageId = limit.person_id ?? (await findUsageIdOfKey(db, limit.api_key_id))
    return countTokensOf(db, { limit, hours, usageId, userId: usageId }, now)
  }
  const owner = sql<string>`coalesce(api_key.person_id, token_hour.user_id)`
  const rows = await db
    .selectFrom('token_hour')
    .leftJoin('api_key', 'api_key.user_id', 'token_hour.user_id')
    .select((it) => it.fn.sum<number>('tokens').as('tokens'))
    .where('hour', '>', Math.floor(now / HOUR_MS) - hours)
    .groupBy(owner)
    .execute()
  return rows.reduce((most, it) => Math.max(most, Number(it.tokens)), 0)
}

const findUsageIdOfKey = async (db: Queryable, id: number | null): Promise<string> =>
  (
    await db
      .selectFrom('api_key')
      .select('user_id')
      .where('id', '=', id ?? -1)
      .executeTakeFirst()
  )?.user_id ?? ''
