// The groups of SCIM: their members are those that the directory says.
import { z } from 'zod'
import { AppError } from '../../../domain/errors.ts'
import { groupResource, readGroup, readGroupChanges } from '../../../scim/group.ts'
import { readPatch } from '../../../scim/patch-operations.ts'
import { isWanted, project, readProjection } from '../../../scim/projection.ts'
import type { Database } from '../../../store/database/database.ts'
import { changeScimGroup, deleteScimGroup, insertScimGroup } from '../../../store/identity/scim/change-groups.ts'
import { getScimGroup } from '../../../store/identity/scim/groups.ts'
import { WITHOUT_NUL, wireString } from '../../../wire/schemas.ts'
import { type RouteCall, route } from '../../route.ts'
import {
  auditedScim,
  listAnswer,
  projectionQuery,
  readList,
  readPage,
  readScimBody,
  ScimResponse,
  scimBase,
  scimDefaults,
  scimQuery,
} from './protocol.ts'
import { listGroups } from './search.ts'

/** A message with 50,000 members. */
const MAX_GROUP_BYTES = 16 * 2 ** 20
const GroupPath = z.object({ id: wireString({ min: 1, max: 100, pattern: WITHOUT_NUL }) })

function groupId({ params: { id } }: { params: z.infer<typeof GroupPath> }): number {
  if (!/^[1-9]\d{0,14}$/.test(id)) throw new AppError('SCIM_NOT_FOUND', { kind: 'group' })
  return Number(id)
}

const groupAnswer = async (
  call: Pick<RouteCall<unknown, unknown, unknown>, 'browser'>,
  db: Database,
  id: number,
  status: number,
): Promise<ScimResponse> => {
  const group = await getScimGroup(db, id, { isWithMembers: true })
  return new ScimResponse(groupResource(group, scimBase(call)), { status, auditedId: String(id) })
}

export const scimGroupRoutes = [
  route({
    ...scimDefaults,
    method: 'GET',
    path: '/scim/v2/Groups',
    summary: 'List groups',
    query: scimQuery,
    services: ['db'],
    handle: async (call) => {
      const { query, services } = call
      const { resources, total } = await listGroups(services.db, readList(call))
      return listAnswer(resources, total, readPage(query).offset)
    },
  }),
  route({
    ...scimDefaults,
    method: 'GET',
    path: '/scim/v2/Groups/{id}',
    summary: 'Get a group',
    params: GroupPath,
    query: projectionQuery,
    services: ['db'],
    handle: async (call) => {
      const { query, services } = call
      const projection = readProjection(query.attributes, query.excludedAttributes)
      const group = await getScimGroup(services.db, groupId(call), { isWithMembers: isWanted('members', projection) })
      return new ScimResponse(project(groupResource(group, scimBase(call)), projection))
    },
  }),
  route({
    ...scimDefaults,
    method: 'POST',
    path: '/scim/v2/Groups',
    summary: 'Create a group',
    bodyLimitBytes: MAX_GROUP_BYTES,
    audit: auditedScim('user_group.scim_create'),
    services: ['db', 'now'],
    handle: async (call) => {
      const { db, now } = call.services
      const group = readGroup(await readScimBody(call))
      return groupAnswer(call, db, await insertScimGroup(db, group, now()), 201)
    },
  }),
  route({
    ...scimDefaults,
    method: 'PUT',
    path: '/scim/v2/Groups/{id}',
    summary: 'Replace a group',
    params: GroupPath,
    bodyLimitBytes: MAX_GROUP_BYTES,
    audit: auditedScim('user_group.scim_update'),
    services: ['db', 'now'],
    handle: async (call) => {
      const { db, now } = call.services
      const { displayName: name, externalId, members } = readGroup(await readScimBody(call))
      const changes = [
        { kind: 'name', name },
        { kind: 'externalId', externalId },
        { kind: 'replace', members },
      ] as const
      await changeScimGroup(db, groupId(call), changes, now())
      return groupAnswer(call, db, groupId(call), 200)
    },
  }),
  route({
    ...scimDefaults,
    method: 'PATCH',
    path: '/scim/v2/Groups/{id}',
    summary: 'Change a group',
    params: GroupPath,
    bodyLimitBytes: MAX_GROUP_BYTES,
    audit: auditedScim('user_group.scim_update'),
    services: ['db', 'now'],
    handle: async (call) => {
      const { db, now } = call.services
      const changes = readGroupChanges(readPatch(await readScimBody(call)))
      await changeScimGroup(db, groupId(call), changes, now())
      return groupAnswer(call, db, groupId(call), 200)
    },
  }),
  route({
    ...scimDefaults,
    method: 'DELETE',
    path: '/scim/v2/Groups/{id}',
    summary: 'Delete a group',
    params: GroupPath,
    audit: auditedScim('user_group.scim_delete'),
    services: ['db', 'now'],
    handle: async (call) => {
      const { db, now } = call.services
      await deleteScimGroup(db, groupId(call), now())
      return new ScimResponse(null, { status: 204, auditedId: call.params.id })
    },
  }),
]
