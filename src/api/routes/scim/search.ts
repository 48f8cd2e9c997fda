// POST /.search: the parameters of a list in a body (RFC 7644, 3.4.3), for users, groups, or both.
import { AppError } from '../../../domain/errors.ts'
import { groupResource } from '../../../scim/group.ts'
import { isWanted, project } from '../../../scim/projection.ts'
import { readSearch } from '../../../scim/search-request.ts'
import { userResource } from '../../../scim/user.ts'
import type { Database } from '../../../store/database/database.ts'
import { listScimGroups } from '../../../store/identity/scim/groups.ts'
import { listScimUsers } from '../../../store/identity/scim/users.ts'
import { type RouteCall, route } from '../../route.ts'
import {
  listAnswer,
  readScimBody,
  type ScimList,
  type ScimResponse,
  scimBase,
  scimDefaults,
  toList,
} from './protocol.ts'

const MAX_SEARCH_BYTES = 65_536

interface FoundResources {
  resources: object[]
  total: number
}

export async function listUsers(db: Database, { page, projection, base }: ScimList): Promise<FoundResources> {
  const { users, total } = await listScimUsers(db, page)
  return { resources: users.map((it) => project(userResource(it, base), projection)), total }
}

export async function listGroups(db: Database, { page, projection, base }: ScimList): Promise<FoundResources> {
  const isWithMembers = isWanted('members', projection)
  const { groups, total } = await listScimGroups(db, { ...page, isWithMembers })
  return { resources: groups.map((it) => project(groupResource(it, base), projection)), total }
}

/** Users first, then groups. A filter may name attributes that only one of them has. */
async function listBoth(db: Database, request: ScimList): Promise<FoundResources> {
  const users = await noneIfUnknown(listUsers(db, request))
  const { offset, limit } = request.page
  const rest = { offset: Math.max(offset - (users?.total ?? 0), 0), limit: limit - (users?.resources.length ?? 0) }
  const groups = listGroups(db, { ...request, page: { ...request.page, ...rest } })
  if (users === null) return groups
  const found = await noneIfUnknown(groups)
  return {
    resources: [...users.resources, ...(found?.resources ?? [])],
    total: users.total + (found?.total ?? 0),
  }
}

const noneIfUnknown = (found: Promise<FoundResources>): Promise<FoundResources | null> =>
  found.catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'SCIM_INVALID_FILTER') return null
    throw error
  })

const searchRoute = (path: string, list: (db: Database, request: ScimList) => Promise<FoundResources>) =>
  route({
    ...scimDefaults,
    method: 'POST',
    path: `/scim/v2${path}/.search`,
    summary: 'Search',
    bodyLimitBytes: MAX_SEARCH_BYTES,
    services: ['db'],
    handle: async (call) => answerSearch(call, call.services.db, list),
  })

async function answerSearch(
  call: Pick<RouteCall<unknown, unknown, unknown>, 'browser' | 'webRequest'>,
  db: Database,
  list: (db: Database, request: ScimList) => Promise<FoundResources>,
): Promise<ScimResponse> {
  const request = toList(readSearch(await readScimBody(call)), scimBase(call))
  const { resources, total } = await list(db, request)
  return listAnswer(resources, total, request.page.offset)
}

export const scimSearchRoutes = [
  searchRoute('', listBoth),
  searchRoute('/Users', listUsers),
  searchRoute('/Groups', listGroups),
]
