import { z } from 'zod'
import { ROLES, SCOPES } from '../../../domain/subject.ts'
import type { Queryable } from '../../../store/database/database.ts'
import {
  type ApiKeyChange,
  apiKeyVersion,
  deleteApiKey,
  getApiKey,
  listApiKeys,
  type StoredApiKey,
  updateApiKey,
} from '../../../store/identity/api-keys.ts'
import { listGroupNames } from '../../../store/identity/list-groups.ts'
import { DAY_MS } from '../../../wire/date-time.ts'
import {
  nullish,
  optionalNullable,
  WITHOUT_NUL,
  wireArray,
  wireEnum,
  wireInteger,
  wireName,
  wirePathInteger,
  wireString,
} from '../../../wire/schemas.ts'
import { defaultGroupsOf, readKeyGroups } from '../../checks/key-groups.ts'
import { route } from '../../route.ts'
import { iso, isoOrNull } from '../../wire/iso.ts'
import { PageQuery } from '../../wire/page.ts'

const MAX_DAYS = 36_500

const name = wireName()
const scopes = wireArray(wireEnum(SCOPES), { min: 1, max: SCOPES.length })
const expiration_days = wireInteger({ min: 1, max: MAX_DAYS })
const user_email = wireString({ min: 1, max: 500, pattern: WITHOUT_NUL })
const daily_token_limit = wireInteger({ min: 0 })
const user_group_ids = nullish(wireArray(wireString({ max: 500, pattern: WITHOUT_NUL }), { max: 10_000 }))
const group_ids = nullish(wireArray(wireInteger(), { max: 10_000 })).describe(
  'The groups by id, in the place of their names. The group -1 (Admin) stands for the role admin, -2 (Basic) for basic, an empty list for limited.',
)

const ApiKeyArgs = z
  .object({
    name: nullish(name),
    role: nullish(wireEnum(ROLES)),
    scopes: nullish(scopes),
    expiration_days: nullish(expiration_days),
    user_email: nullish(user_email),
    user_group_ids,
    group_ids,
    daily_token_limit: nullish(daily_token_limit).describe(
      'Maximum number of language model tokens (input and output) per UTC day. Default: unlimited.',
    ),
  })
  .meta({ id: 'ApiKeyArgs' })

/** An absent field is left unchanged, so that a client which only sends `name` and `role` does not widen the key. */
const ApiKeyUpdate = z
  .object({
    name: optionalNullable(name),
    role: nullish(wireEnum(ROLES)),
    scopes: optionalNullable(scopes),
    expiration_days: optionalNullable(expiration_days),
    user_email: optionalNullable(user_email),
    user_group_ids,
    group_ids,
    daily_token_limit: optionalNullable(daily_token_limit),
    expected_version: nullish(wireString({ max: 100 })).describe('The `version` of the key that this changes.'),
  })
  .meta({ id: 'ApiKeyUpdate' })

const ApiKeyPath = z.object({ api_key_id: wirePathInteger() })

const ApiKeyDescriptor = z
  .object({
    api_key_id: z.int(),
    api_key_display: z.string(),
    api_key: z.string().nullable().describe('The secret key. Returned only when the key is created or regenerated.'),
    api_key_name: z.string().nullable(),
    api_key_role: z.enum(ROLES),
    scopes: z.array(z.enum(SCOPES)).nullable(),
    user_id: z.string(),
    user_email: z.string().nullable(),
    user_group_ids: z.array(z.string()),
    groups: z
      .array(z.object({ id: z.int(), name: z.string() }))
      .describe('The default group that the role stands for, and the groups of `user_group_ids`.'),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime().nullable(),
    last_used_at: z.iso.datetime().nullable(),
    daily_token_limit: z.int().nullable(),
    version: z.string().describe('Changes with what an update can change: the `expected_version` of an update.'),
  })
  .meta({ id: 'ApiKeyDescriptor' })

/** Only these routes write scopes and groups, from validated values. */
const apiKeyDescriptor = (
  stored: StoredApiKey,
  groupIds: ReadonlyMap<string, number>,
  key: string | null = null,
): z.infer<typeof ApiKeyDescriptor> => ({
  api_key_id: stored.id,
  api_key_display: stored.display,
  api_key: key,
  api_key_name: stored.name,
  api_key_role: stored.role,
  scopes: stored.scopes === null ? null : JSON.parse(stored.scopes),
  user_id: stored.user_id,
  user_email: stored.user_email,
  user_group_ids: [...stored.user_group_ids],
  groups: [
    ...defaultGroupsOf(stored.role),
    ...stored.user_group_ids.flatMap((name) => {
      const id = groupIds.get(name)
      return id === undefined ? [] : [{ id, name }]
    }),
  ],
  created_at: iso(stored.created_at),
  expires_at: isoOrNull(stored.expires_at),
  last_used_at: isoOrNull(stored.last_used_at),
  daily_token_limit: stored.daily_token_limit,
  version: apiKeyVersion(stored),
})

async function mapGroupIds(db: Queryable, keys: readonly StoredApiKey[]): Promise<ReadonlyMap<string, number>> {
  const names = new Set(keys.flatMap((it) => it.user_group_ids))
  return new Map((await listGroupNames(db, [...names])).map(({ id, name }) => [name, id]))
}

const describeKey = async (db: Queryable, stored: StoredApiKey, key: string | null = null) =>
  apiKeyDescriptor(stored, await mapGroupIds(db, [stored]), key)

const expiresAt = (days: number | null, now: number) => (days === null ? null : now + days * DAY_MS)

const apiKeyChange = (
  {
    role,
    expiration_days: days,
    ...sent
  }: Omit<z.infer<typeof ApiKeyUpdate>, 'group_ids' | 'user_group_ids' | 'expected_version'> & {
    user_group_ids: readonly string[] | null
  },
  now: number,
): ApiKeyChange => ({
  ...(sent.name !== undefined && { name: sent.name }),
  ...(role !== null && { role }),
  ...(sent.scopes !== undefined && { scopes: sent.scopes === null ? null : JSON.stringify(sent.scopes) }),
  ...(days !== undefined && { expires_at: expiresAt(days, now) }),
  ...(sent.user_email !== undefined && { user_email: sent.user_email }),
  ...(sent.daily_token_limit !== undefined && { daily_token_limit: sent.daily_token_limit }),
  ...(sent.user_group_ids !== null && { user_group_ids: sent.user_group_ids }),
})

export const apiKeyRoutes = [
  route({
    name: 'listApiKeys',
    method: 'GET',
    path: '/admin/api-key',
    access: 'admin',
    tag: 'Keys',
    summary: 'List API keys',
    query: PageQuery,
    reply: z.array(ApiKeyDescriptor),
    services: ['db', 'keys'],
    handle: async ({ query, services: { db, keys } }) => {
      await keys.flushLastUsed()
      const stored = await listApiKeys(db, query)
      const groupIds = await mapGroupIds(db, stored)
      return stored.map((it) => apiKeyDescriptor(it, groupIds))
    },
  }),
  route({
    name: 'createApiKey',
    method: 'POST',
    path: '/admin/api-key',
    audit: { action: 'api_key.create', object: (_, created) => created.api_key_id },
    access: 'admin',
    tag: 'Keys',
    summary: 'Create API key',
    description:
      'With `user_email`, the key acts for that person and sees the documents that person may read; the person is created if nobody has this address. `user_group_ids` names groups: missing ones are created, and the person becomes a member. Without it, a key has the groups of its person. Scopes restrict the rights of the role.',
    body: ApiKeyArgs,
    reply: ApiKeyDescriptor,
    errors: ['KEY_ROLE_TOO_HIGH', 'GROUP_MANAGED_ELSEWHERE', 'DEFAULT_GROUP', 'USER_GROUP_NOT_FOUND'],
    services: ['db', 'keys', 'now'],
    handle: async ({ body, services: { db, keys, now } }) => {
      const { name, scopes, user_email, daily_token_limit } = body
      const { role, user_group_ids } = await readKeyGroups(db, body, null)
      const { key, stored } = await keys.create({
        name,
        role: role ?? 'basic',
        scopes,
        expires_at: expiresAt(body.expiration_days, now()),
        user_email,
        user_group_ids,
        daily_token_limit,
      })
      return describeKey(db, stored, key)
    },
  }),
  route({
    name: 'updateApiKey',
    method: 'PATCH',
    path: '/admin/api-key/{api_key_id}',
    audit: { action: 'api_key.update', object: 'api_key_id' },
    access: 'admin',
    tag: 'Keys',
    summary: 'Update API key',
    description:
      'Changes only the fields that are sent. Null removes the name, the scopes, the expiration, the person or the token limit. `expiration_days` counts from now. Takes effect with the next request. With `expected_version`, the update fails with 409 if the key has changed since it had that version.',
    params: ApiKeyPath,
    body: ApiKeyUpdate,
    reply: ApiKeyDescriptor,
    errors: [
      'API_KEY_NOT_FOUND',
      'API_KEY_CHANGED',
      'KEY_ROLE_TOO_HIGH',
      'GROUP_MANAGED_ELSEWHERE',
      'DEFAULT_GROUP',
      'USER_GROUP_NOT_FOUND',
    ],
    services: ['db', 'now'],
    handle: async ({
      params: { api_key_id },
      body: { group_ids, expected_version, ...body },
      services: { db, now },
    }) => {
      const { role } = await getApiKey(db, api_key_id)
      const groups = await readKeyGroups(db, { ...body, group_ids }, role)
      const target = { id: api_key_id, expectedVersion: expected_version }
      return describeKey(db, await updateApiKey(db, target, apiKeyChange({ ...body, ...groups }, now()), now()))
    },
  }),
  route({
    name: 'regenerateApiKey',
    method: 'POST',
    path: '/admin/api-key/{api_key_id}/regenerate',
    audit: { action: 'api_key.regenerate', object: 'api_key_id' },
    access: 'admin',
    tag: 'Keys',
    summary: 'Regenerate API key',
    description:
      'Keeps name, role, scopes and expiration. The old key and the personal access tokens created with it are revoked immediately.',
    params: ApiKeyPath,
    reply: ApiKeyDescriptor,
    errors: ['API_KEY_NOT_FOUND'],
    services: ['db', 'keys'],
    handle: async ({ params, services: { db, keys } }) => {
      const { key, stored } = await keys.regenerate(params.api_key_id)
      return describeKey(db, stored, key)
    },
  }),
  route({
    name: 'deleteApiKey',
    method: 'DELETE',
    path: '/admin/api-key/{api_key_id}',
    audit: { action: 'api_key.delete', object: 'api_key_id' },
    access: 'admin',
    tag: 'Keys',
    summary: 'Delete API key',
    description: 'Revokes the key and the personal access tokens created with it immediately.',
    params: ApiKeyPath,
    reply: z.null(),
    errors: ['API_KEY_NOT_FOUND'],
    services: ['db'],
    handle: async ({ params, services: { db } }) => {
      await deleteApiKey(db, params.api_key_id)
      return null
    },
  }),
]
