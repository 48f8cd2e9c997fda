// Groups whose members the directory decides.
import { AppError } from '../../../domain/errors.ts'
import type { ScimFilter } from '../../../domain/scim/filter.ts'
import type { Queryable } from '../../database/database.ts'
import { groupCondition } from './conditions.ts'
import type { ScimPage } from './users.ts'

export const SCIM_ORIGIN = 'scim'
/** A page ends before it has more members than this, so that a list needs little memory. */
const MAX_LISTED_MEMBERS = 20_000

export interface StoredScimGroup {
  id: number
  name: string
  externalId: string | null
  /** Null if they were not asked for. */
  members: string[] | null
  time_created: number
  time_updated: number
}

const groups = (db: Queryable) =>
  db.selectFrom('scim_group').innerJoin('user_group', 'user_group.id', 'scim_group.group_id')

const filterGroups = (db: Queryable, filter: ScimFilter | null) =>
  groups(db).$call((it) => (filter === null ? it : it.where(groupCondition(filter))))

const COLUMNS = [
  'user_group.id',
  'user_group.name',
  'scim_group.external_id as externalId',
  'user_group.time_created',
  'user_group.time_updated',
] as const

/** Lists groups in the order of their ids, with the number of all that match. */
export async function listScimGroups(
  db: Queryable,
  { filter, offset, limit, isWithMembers }: ScimPage & { isWithMembers: boolean },
): Promise<{ groups: StoredScimGroup[]; total: number }> {
  const { count } = await filterGroups(db, filter)
    .select((it) => it.fn.countAll<number | string>().as('count'))
    .executeTakeFirstOrThrow()
  const rows = await filterGroups(db, filter)
    .select(COLUMNS)
    .orderBy('user_group.id')
    .offset(offset)
    .limit(limit)
    .execute()
  const listed: StoredScimGroup[] = []
  let memberCount = 0
  for (const row of rows) {
    const members = isWithMembers ? await listMembers(db, row.id) : null
    memberCount += members?.length ?? 0
    if (listed.length > 0 && memberCount > MAX_LISTED_MEMBERS) break
    listed.push({ ...row, members })
  }
  return { groups: listed, total: Number(count) }
}

/** SCIM_NOT_FOUND: the directory manages no group with this id. */
export async function getScimGroup(
  db: Queryable,
  id: number,
  { isWithMembers }: { isWithMembers: boolean },
): Promise<StoredScimGroup> {
  const row = await groups(db).select(COLUMNS).where('user_group.id', '=', id).executeTakeFirst()
  if (row === undefined) throw new AppError('SCIM_NOT_FOUND', { kind: 'group' })
  return { ...row, members: isWithMembers ? await listMembers(db, id) : null }
}

async function listMembers(db: Queryable, id: number): Promise<string[]> {
  const rows = await db
    .selectFrom('user_group_member')
    .select('person_id')
    .where('group_id', '=', id)
    .orderBy('person_id')
    .execute()
  return rows.map((it) => it.person_id)
}
