// Groups for administrators. Paths and shapes are those of existing clients.
import { z } from 'zod'
import { AppError } from '../../../domain/errors.ts'
import { ROLES, type Subject } from '../../../domain/subject.ts'
import { type AuditLog, buildAct } from '../../../identity/audit-log.ts'
import type { Queryable } from '../../../store/database/database.ts'
import {
  addPeopleToGroup,
  deleteGroup,
  insertGroup,
  removePeopleFromGroup,
  renameGroup,
  setCurator,
  updateGroup,
} from '../../../store/identity/change-group.ts'
import {
  findListedGroup,
  groupVersion,
  type ListedGroup,
  listDefaultGroups,
  listGroupNames,
  listGroups,
} from '../../../store/identity/list-groups.ts'
import {
  nullish,
  WITHOUT_NUL,
  wireArray,
  wireBoolean,
  wireInteger,
  wireName,
  wireString,
} from '../../../wire/schemas.ts'
import { route } from '../../route.ts'
import { pageFields, toPage } from '../../wire/page.ts'

const name = wireName(500)
const user_id = wireString({ min: 1, max: 100, pattern: WITHOUT_NUL })
const user_ids = wireArray(user_id, { max: 10_000 })
const cc_pair_ids = wireArray(wireInteger({ min: 0 }), { max: 10_000 })
const UserGroupPath = z.object({ user_group_id: wireInteger() })

const NamedRecord = z.object({ id: z.int(), name: z.string() })

const UserGroup = z
  .object({
    id: z.int(),
    name: z.string(),
    users: z.array(z.object({ id: z.string(), email: z.string(), role: z.enum(ROLES), is_active: z.boolean() })),
    curator_ids: z.array(z.string()),
    cc_pairs: z.array(NamedRecord),
    document_sets: z.array(NamedRecord),
    personas: z.array(NamedRecord),
    api_keys: z.array(NamedRecord),
    origin: z.string().describe('`manual`, or the place that alone changes name and members.'),
    is_default: z.boolean().describe('The members follow from the role of people. The group opens no documents.'),
    is_up_to_date: z.boolean().describe('Always true.'),
    is_up_for_deletion: z.boolean().describe('Always false.'),
    version: z
      .string()
      .describe(
        'Changes with the members and the connectors that the caller sees: the `expected_version` of an update.',
      ),
  })
  .meta({ id: 'UserGroup' })

const userGroup = ({ members, ...group }: ListedGroup): z.infer<typeof UserGroup> => ({
  ...group,
  users: members,
  is_up_to_date: true,
  is_up_for_deletion: false,
  version: groupVersion({ members, cc_pairs: group.cc_pairs }),
})

async function getUserGroup(db: Queryable, subject: Subject, id: number): Promise<z.infer<typeof UserGroup>> {
  const group = await findListedGroup(db, subject, id)
  if (group === undefined) throw new AppError('USER_GROUP_NOT_FOUND', { id })
  return userGroup(group)
}

/** The entry of the group does not say whom a change affects. */
async function auditPeople(
  { audit }: { audit: Pick<AuditLog, 'record'> },
  { subject, requestId }: { subject: Subject; requestId: string },
  { action, ids }: { action: 'person.groups' | 'person.curate'; ids: readonly string[] },
): Promise<void> {
  const entry = { action, outcome: 'success', error_code: null, fields: [], request_id: requestId } as const
  await Promise.all(ids.map((object_id) => audit.record(buildAct(subject, { ...entry, object_id }))))
}

const groupDefaults = { access: 'admin', tag: 'People' } as const
/** Curators see their groups, and change the members. */
const curatedDefaults = { access: ['admin', 'curate'], tag: 'People' } as const

export const userGroupRoutes = [
  route({
    ...curatedDefaults,
    name: 'listUserGroups',
    method: 'GET',
    path: '/manage/admin/user-group',
    summary: 'List groups',
    description:
      'A curator sees the groups that they curate, without the default groups, the keys, and the connectors that are closed to them.',
    query: z.object({
      ...pageFields,
      q: nullish(wireString({ max: 500, pattern: WITHOUT_NUL })).describe('A part of the name, in any case.'),
      include_default: nullish(wireBoolean()).describe(
        'Begin with the groups Admin and Basic, which follow from the role of people. They are in no page after the first, and `q` does not apply to them.',
      ),
    }),
    reply: z.array(UserGroup),
    services: ['db'],
    handle: async ({ query, subject, services: { db } }) => {
      const isAdmin = subject.rights.has('admin')
      const isWithDefault = isAdmin && query.include_default === true && query.after === null
      const defaultGroups = isWithDefault ? await listDefaultGroups(db) : []
      return [...defaultGroups, ...(await listGroups(db, subject, { ...toPage(query), q: query.q }))].map(userGroup)
    },
  }),
  route({
    ...curatedDefaults,
    name: 'getUserGroup',
    method: 'GET',
    path: '/manage/admin/user-group/{user_group_id}',
    summary: 'Get group',
    params: UserGroupPath,
    reply: UserGroup,
    errors: ['USER_GROUP_NOT_FOUND'],
    services: ['db'],
    handle: ({ params, subject, services: { db } }) => getUserGroup(db, subject, params.user_group_id),
  }),
  route({
    name: 'listUserGroupNames',
    method: 'GET',
    path: '/manage/user-groups/minimal',
    access: 'search',
    tag: 'People',
    summary: 'List names of groups',
    description: 'Administrators see all groups, others those to which they belong.',
    reply: z.array(NamedRecord.meta({ id: 'MinimalUserGroup' })),
    services: ['db'],
    handle: ({ subject, services: { db } }) => listGroupNames(db, subject.rights.has('admin') ? null : subject.groups),
  }),
  route({
    ...groupDefaults,
    name: 'createUserGroup',
    method: 'POST',
    path: '/manage/admin/user-group',
    summary: 'Create group',
    description: 'Documents, connectors and personas that already name the group are open to its members.',
    audit: { action: 'user_group.create', object: (_, { id }) => id },
    body: z.object({ name, user_ids, cc_pair_ids: nullish(cc_pair_ids) }).meta({ id: 'UserGroupCreate' }),
    reply: UserGroup,
    errors: ['DEFAULT_GROUP', 'DUPLICATE_RESOURCE', 'INVALID_INPUT', 'CC_PAIR_NOT_FOUND'],
    services: ['db', 'now', 'audit'],
    handle: async ({ body, subject, requestId, services: { db, now, audit } }) => {
      const id = await insertGroup(db, body, now())
      await auditPeople(
        { audit },
        { subject, requestId },
        {
          action: 'person.groups',
          ids: [...new Set(body.user_ids)],
        },
      )
      return getUserGroup(db, subject, id)
    },
  }),
  route({
    ...groupDefaults,
    name: 'renameUserGroup',
    method: 'PATCH',
    path: '/manage/admin/user-group/rename',
    summary: 'Rename group',
    description:
      'Connectors, document sets, agents, model providers, MCP servers and invitations that name the group get the new name. External access of documents keeps the name that its source gives.',
    audit: { action: 'user_group.rename', object: ({ body }) => body.id },
    body: z.object({ id: wireInteger(), name }).meta({ id: 'UserGroupRename' }),
    reply: UserGroup,
    errors: ['USER_GROUP_NOT_FOUND', 'DEFAULT_GROUP', 'DUPLICATE_RESOURCE', 'GROUP_MANAGED_ELSEWHERE'],
    services: ['db', 'now'],
    handle: async ({ body, subject, services: { db, now } }) => {
      await renameGroup(db, body.id, body.name, now())
      return getUserGroup(db, subject, body.id)
    },
  }),
  route({
    ...curatedDefaults,
    name: 'updateUserGroup',
    method: 'PATCH',
    path: '/manage/admin/user-group/{user_group_id}',
    summary: 'Replace members and connectors of a group',
    description:
      'A list that is missing or null leaves the members or the connectors as they are. Members who stay keep whether they curate the group. A curator of the group can do this, but does not remove curators; connectors that are closed to them stay. With `expected_version`, the update fails with 409 if the group has changed since it had that version.',
    audit: { action: 'user_group.update', object: 'user_group_id' },
    params: UserGroupPath,
    body: z
      .object({
        user_ids: nullish(user_ids),
        cc_pair_ids: nullish(cc_pair_ids),
        expected_version: nullish(wireString({ max: 100 })).describe('The `version` of the group that this changes.'),
      })
      .meta({ id: 'UserGroupUpdate' }),
    reply: UserGroup,
    errors: [
      ...(['USER_GROUP_NOT_FOUND', 'DEFAULT_GROUP', 'GROUP_MANAGED_ELSEWHERE'] as const),
      ...(['INVALID_INPUT', 'CC_PAIR_NOT_FOUND', 'NOT_CURATED', 'USER_GROUP_CHANGED'] as const),
    ],
    services: ['db', 'now', 'audit'],
    handle: async ({ params, body, subject, requestId, services: { db, now, audit } }) => {
      const target = { id: params.user_group_id, expectedVersion: body.expected_version }
      const changed = await updateGroup(db, subject, target, body, now())
      await auditPeople({ audit }, { subject, requestId }, { action: 'person.groups', ids: changed })
      return getUserGroup(db, subject, params.user_group_id)
    },
  }),
  route({
    ...groupDefaults,
    name: 'deleteUserGroup',
    method: 'DELETE',
    path: '/manage/admin/user-group/{user_group_id}',
    summary: 'Delete group',
    description:
      'Everything that names the group no longer names it. Its members and keys lose what only the group opened to them, with the next request.',
    audit: { action: 'user_group.delete', object: 'user_group_id' },
    params: UserGroupPath,
    reply: z.null(),
    errors: ['USER_GROUP_NOT_FOUND', 'DEFAULT_GROUP', 'GROUP_MANAGED_ELSEWHERE'],
    services: ['db', 'now'],
    handle: async ({ params, services: { db, now } }) => {
      await deleteGroup(db, params.user_group_id, now())
      return null
    },
  }),
  route({
    ...curatedDefaults,
    name: 'addUsersToGroup',
    method: 'POST',
    path: '/manage/admin/user-group/{user_group_id}/add-users',
    summary: 'Add people to a group',
    audit: { action: 'user_group.update', object: 'user_group_id' },
    params: UserGroupPath,
    body: z.object({ user_ids }).meta({ id: 'AddUsersToUserGroupRequest' }),
    reply: UserGroup,
    errors: ['USER_GROUP_NOT_FOUND', 'DEFAULT_GROUP', 'GROUP_MANAGED_ELSEWHERE', 'INVALID_INPUT'],
    services: ['db', 'now', 'audit'],
    handle: async ({ params, body, subject, requestId, services: { db, now, audit } }) => {
      const added = await addPeopleToGroup(db, subject, params.user_group_id, body.user_ids, now())
      await auditPeople({ audit }, { subject, requestId }, { action: 'person.groups', ids: added })
      return getUserGroup(db, subject, params.user_group_id)
    },
  }),
  route({
    ...curatedDefaults,
    name: 'removeUsersFromGroup',
    method: 'POST',
    path: '/manage/admin/user-group/{user_group_id}/remove-users',
    summary: 'Remove people from a group',
    description:
      'People who are no members are ignored. A curator of the group can do this, but does not remove curators.',
    audit: { action: 'user_group.update', object: 'user_group_id' },
    params: UserGroupPath,
    body: z.object({ user_ids }).meta({ id: 'RemoveUsersFromUserGroupRequest' }),
    reply: UserGroup,
    errors: ['USER_GROUP_NOT_FOUND', 'DEFAULT_GROUP', 'GROUP_MANAGED_ELSEWHERE'],
    services: ['db', 'now', 'audit'],
    handle: async ({ params, body, subject, requestId, services: { db, now, audit } }) => {
      const removed = await removePeopleFromGroup(db, subject, params.user_group_id, body.user_ids, now())
      await auditPeople({ audit }, { subject, requestId }, { action: 'person.groups', ids: removed })
      return getUserGroup(db, subject, params.user_group_id)
    },
  }),
  route({
    ...groupDefaults,
    name: 'setGroupCurator',
    method: 'POST',
    path: '/manage/admin/user-group/{user_group_id}/set-curator',
    summary: 'Set whether a member curates a group',
    description:
      'A basic person who curates a group gets the role `curator`, and loses it with the last of these groups.',
    audit: { action: 'user_group.curator', object: 'user_group_id' },
    params: UserGroupPath,
    body: z.object({ user_id, is_curator: wireBoolean() }).meta({ id: 'SetCuratorRequest' }),
    reply: z.null(),
    errors: ['USER_GROUP_NOT_FOUND', 'DEFAULT_GROUP', 'INVALID_INPUT'],
    services: ['db', 'now', 'audit'],
    handle: async ({ params, body, subject, requestId, services: { db, now, audit } }) => {
      await setCurator(db, params.user_group_id, body, now())
      await auditPeople({ audit }, { subject, requestId }, { action: 'person.curate', ids: [body.user_id] })
      return null
    },
  }),
]
