// The groups of a key: requests name them by id, by name or by both, and existing clients expect a role to be a group.
import { ADMIN_GROUP, BASIC_GROUP, findDefaultGroup } from '../../domain/default-groups.ts'
import { AppError } from '../../domain/errors.ts'
import type { Role } from '../../domain/subject.ts'
import type { Queryable } from '../../store/database/database.ts'
import { listGroupsById } from '../../store/identity/list-groups.ts'
import { InvalidRequestError } from '../http/error-response.ts'

interface SentGroups {
  role: Role | null
  group_ids: readonly number[] | null
  user_group_ids: readonly string[] | null
}

/**
 * Returns the names of the groups, and the role that the default groups stand for; null leaves either unchanged.
 * `before` is the role that the key has, or null for a new key. 422: two fields disagree.
 * USER_GROUP_NOT_FOUND: a group is unknown.
 */
export async function readKeyGroups(
  db: Queryable,
  { role, group_ids, user_group_ids }: SentGroups,
  before: Role | null,
): Promise<Omit<SentGroups, 'group_ids'>> {
  if (group_ids === null) return { role, user_group_ids }
  const needed = roleOfGroups(group_ids, before)
  const contradicts = group_ids.includes(ADMIN_GROUP.id)
    ? role !== 'admin'
    : role === 'limited' && group_ids.includes(BASIC_GROUP.id)
  if (role !== null && contradicts) throw disagreement('role')
  const names = await getGroupNames(db, group_ids)
  if (user_group_ids !== null && new Set(user_group_ids).symmetricDifference(new Set(names)).size > 0)
    throw disagreement('user_group_ids')
  return { role: role ?? needed, user_group_ids: names }
}

/** A key in no group has no rights. A curator is a member of Basic as well, and stays a curator. */
function roleOfGroups(ids: readonly number[], before: Role | null): Role | null {
  if (ids.includes(ADMIN_GROUP.id)) return 'admin'
  if (ids.length === 0) return 'limited'
  if (before === null || before === 'admin') return 'basic'
  return before === 'limited' && ids.includes(BASIC_GROUP.id) ? 'basic' : null
}

async function getGroupNames(db: Queryable, ids: readonly number[]): Promise<string[]> {
  const wanted = ids.filter((it) => findDefaultGroup(it) === undefined)
  const groups = new Map((await listGroupsById(db, wanted)).map(({ id, name }) => [id, name]))
  const missing = wanted.find((it) => !groups.has(it))
  if (missing !== undefined) throw new AppError('USER_GROUP_NOT_FOUND', { id: missing })
  return [...groups.values()]
}

const disagreement = (other: string) =>
  new InvalidRequestError(
    ['group_ids', other].map((field) => ({
      loc: ['body', field],
      msg: `group_ids and ${other} disagree. Send one of them.`,
      type: 'value_error',
    })),
  )

/** The default group that a role stands for in the answers; a limited key is in none. */
export function defaultGroupsOf(role: Role): { id: number; name: string }[] {
  if (role === 'limited') return []
  return [role === 'admin' ? ADMIN_GROUP : BASIC_GROUP]
}
