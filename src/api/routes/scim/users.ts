// The users of SCIM: people whom the directory manages.
import { z } from 'zod'
import type { ScimUserContent } from '../../../domain/scim/user.ts'
import { readPatch } from '../../../scim/patch-operations.ts'
import { patchUser } from '../../../scim/patch-user.ts'
import { project, readProjection } from '../../../scim/projection.ts'
import { addressOf, personNameOf, readUser, userResource } from '../../../scim/user.ts'
import type { Database } from '../../../store/database/database.ts'
import {
  type ChangedUser,
  deleteScimUser,
  insertScimUser,
  updateScimUser,
  type WantedUser,
} from '../../../store/identity/scim/change-users.ts'
import { getScimUser } from '../../../store/identity/scim/users.ts'
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
import { listUsers } from './search.ts'

const MAX_USER_BYTES = 262_144
const UserPath = z.object({ id: wireString({ min: 1, max: 100, pattern: WITHOUT_NUL }) })

const wantedUser = (content: ScimUserContent): WantedUser => ({
  content,
  email: addressOf(content),
  name: personNameOf(content),
})

async function changedUser(
  call: Pick<RouteCall<unknown, unknown, unknown>, 'browser'>,
  db: Database,
  { id, pseudonym }: ChangedUser,
  status: number,
): Promise<ScimResponse> {
  return new ScimResponse(userResource(await getScimUser(db, id), scimBase(call)), { status, auditedId: pseudonym })
}

export const scimUserRoutes = [
  route({
    ...scimDefaults,
    method: 'GET',
    path: '/scim/v2/Users',
    summary: 'List users',
    query: scimQuery,
    services: ['db'],
    handle: async (call) => {
      const { query, services } = call
      const { resources, total } = await listUsers(services.db, readList(call))
      return listAnswer(resources, total, readPage(query).offset)
    },
  }),
  route({
    ...scimDefaults,
    method: 'GET',
    path: '/scim/v2/Users/{id}',
    summary: 'Get a user',
    params: UserPath,
    query: projectionQuery,
    services: ['db'],
    handle: async (call) => {
      const { params, query, services } = call
      const resource = userResource(await getScimUser(services.db, params.id), scimBase(call))
      return new ScimResponse(project(resource, readProjection(query.attributes, query.excludedAttributes)))
    },
  }),
  route({
    ...scimDefaults,
    method: 'POST',
    path: '/scim/v2/Users',
    summary: 'Create a user',
    bodyLimitBytes: MAX_USER_BYTES,
    audit: auditedScim('person.scim_create'),
    services: ['db', 'now'],
    handle: async (call) => {
      const { db, now } = call.services
      const wanted = wantedUser(readUser(await readScimBody(call)))
      return changedUser(call, db, await insertScimUser(db, wanted, now()), 201)
    },
  }),
  route({
    ...scimDefaults,
    method: 'PUT',
    path: '/scim/v2/Users/{id}',
    summary: 'Replace a user',
    params: UserPath,
    bodyLimitBytes: MAX_USER_BYTES,
    audit: auditedScim('person.scim_update'),
    services: ['db', 'now'],
    handle: async (call) => {
      const { db, now } = call.services
      const wanted = wantedUser(readUser(await readScimBody(call)))
      return changedUser(call, db, await updateScimUser(db, call.params.id, () => wanted, now()), 200)
    },
  }),
  route({
    ...scimDefaults,
    method: 'PATCH',
    path: '/scim/v2/Users/{id}',
    summary: 'Change a user',
    params: UserPath,
    bodyLimitBytes: MAX_USER_BYTES,
    audit: auditedScim('person.scim_update'),
    services: ['db', 'now'],
    handle: async (call) => {
      const { db, now } = call.services
      const operations = readPatch(await readScimBody(call))
      const change = (content: ScimUserContent) => wantedUser(patchUser(content, operations))
      return changedUser(call, db, await updateScimUser(db, call.params.id, change, now()), 200)
    },
  }),
  route({
    ...scimDefaults,
    method: 'DELETE',
    path: '/scim/v2/Users/{id}',
    summary: 'Remove a user',
    params: UserPath,
    audit: auditedScim('person.scim_delete'),
    services: ['db', 'now'],
    handle: async ({ params, services: { db, now } }) => {
      const { pseudonym } = await deleteScimUser(db, params.id, now())
      return new ScimResponse(null, { status: 204, auditedId: pseudonym })
    },
  }),
]
