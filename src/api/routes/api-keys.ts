import { z } from 'zod'
import { DAY_MS } from '../../domain/date-time.ts'
import { ROLES, type Role, SCOPES, type Scope } from '../../domain/subject.ts'
import {
  nullish,
  optionalNullable,
  pathInteger,
  WITHOUT_NUL,
  wireArray,
  wireEnum,
  wireInteger,
  wireString,
} from '../../domain/wire.ts'
import { type ApiKeyChange, deleteApiKey, listApiKeys, type StoredApiKey, updateApiKey } from '../../store/api-keys.ts'
import { iso, isoOrNull } from '../iso.ts'
import { PageQuery } from '../page.ts'
import { route } from '../route.ts'

const MAX_DAYS = 36_500

const name = wireString({ max: 1_000, pattern: WITHOUT_NUL })
const scopes = wireArray(wireEnum(SCOPES), { min: 1, max: SCOPES.length })
const expiration_days = wireInteger({ min: 1, max: MAX_DAYS })
const user_email = wireString({ min: 1, max: 500, pattern: WITHOUT_NUL })
const daily_token_limit = wireInteger({ min: 0 })
const user_group_ids = nullish(wireArray(wireString({ max: 500, pattern: WITHOUT_NUL }), { max: 10_000 }))

const ApiKeyArgs = z
  .object({
    name: nullish(name),
    role: nullish(wireEnum(ROLES)),
    scopes: nullish(scopes),
    expiration_days: nullish(expiration_days),
    user_email: nullish(user_email),
    user_group_ids,
    daily_token_limit: nullish(daily_token_limit).describe(
      'How many tokens it may have language models read and write in a day (UTC); without it, no limit.',
    ),
  })
  .meta({ id: 'ApiKeyArgs' })

/** Absent leaves a field as it is: a client that knows only `name` and `role` must not widen a key. */
const ApiKeyUpdate = z
  .object({
    name: optionalNullable(name),
    role: nullish(wireEnum(ROLES)),
    scopes: optionalNullable(scopes),
    expiration_days: optionalNullable(expiration_days),
    user_email: optionalNullable(user_email),
    user_group_ids,
    daily_token_limit: optionalNullable(daily_token_limit),
  })
  .meta({ id: 'ApiKeyUpdate' })

const ApiKeyPath = z.object({ api_key_id: pathInteger() })

const ApiKeyDescriptor = z
  .object({
    api_key_id: z.int(),
    api_key_display: z.string(),
    api_key: z.string().nullable().describe('The key itself: shown when it is made and never again.'),
    api_key_name: z.string().nullable(),
    api_key_role: z.enum(ROLES),
    scopes: z.array(z.enum(SCOPES)).nullable(),
    user_id: z.string(),
    user_email: z.string().nullable(),
    user_group_ids: z.array(z.string()),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime().nullable(),
    last_used_at: z.iso.datetime().nullable(),
    daily_token_limit: z.int().nullable(),
  })
  .meta({ id: 'ApiKeyDescriptor' })

/** Role, scopes and groups were written by these routes, from checked values. */
const descriptor = (stored: StoredApiKey, key: string | null = null): z.infer<typeof ApiKeyDescriptor> => ({
  api_key_id: stored.id,
  api_key_display: stored.display,
  api_key: key,
  api_key_name: stored.name,
  api_key_role: stored.role as Role,
  scopes: stored.scopes === null ? null : (JSON.parse(stored.scopes) as Scope[]),
  user_id: stored.user_id,
  user_email: stored.user_email,
  user_group_ids: JSON.parse(stored.user_group_ids),
  created_at: iso(stored.created_at),
  expires_at: isoOrNull(stored.expires_at),
  last_used_at: isoOrNull(stored.last_used_at),
  daily_token_limit: stored.daily_token_limit,
})

const expiry = (days: number | null, now: number) => (days === null ? null : now + days * DAY_MS)

const changeOf = (
  { role, expiration_days: days, ...sent }: z.infer<typeof ApiKeyUpdate>,
  now: number,
): ApiKeyChange => ({
  ...(sent.name !== undefined && { name: sent.name }),
  ...(role !== null && { role }),
  ...(sent.scopes !== undefined && { scopes: sent.scopes === null ? null : JSON.stringify(sent.scopes) }),
  ...(days !== undefined && { expires_at: expiry(days, now) }),
  ...(sent.user_email !== undefined && { user_email: sent.user_email }),
  ...(sent.daily_token_limit !== undefined && { daily_token_limit: sent.daily_token_limit }),
  ...(sent.user_group_ids !== null && { user_group_ids: JSON.stringify(sent.user_group_ids) }),
})

export const apiKeyRoutes = [
  route({
    method: 'GET',
    path: '/admin/api-key',
    access: 'admin',
    tag: 'Keys',
    summary: 'List API keys',
    query: PageQuery,
    reply: z.array(ApiKeyDescriptor),
    handle: async ({ query, services: { db, keys } }) => {
      await keys.flushLastUsed()
      return (await listApiKeys(db, query)).map((it) => descriptor(it))
    },
  }),
  route({
    method: 'POST',
    path: '/admin/api-key',
    audit: { action: 'api_key.create', object: (_, made) => made.api_key_id },
    access: 'admin',
    tag: 'Keys',
    summary: 'Create API key',
    description:
      'With `user_email` and `user_group_ids` the key acts for that person and sees what that person may see. Scopes narrow what the role allows.',
    body: ApiKeyArgs,
    reply: ApiKeyDescriptor,
    handle: async ({ body, services: { keys, now } }) => {
      const { name, role, scopes, user_email, user_group_ids, daily_token_limit } = body
      const { key, stored } = await keys.create({
        name,
        role: role ?? 'basic',
        scopes,
        expires_at: expiry(body.expiration_days, now()),
        user_email,
        user_group_ids: user_group_ids ?? [],
        daily_token_limit,
      })
      return descriptor(stored, key)
    },
  }),
  route({
    method: 'PATCH',
    path: '/admin/api-key/{api_key_id}',
    audit: { action: 'api_key.update', object: 'api_key_id' },
    access: 'admin',
    tag: 'Keys',
    summary: 'Update API key',
    description:
      'Changes only what is sent. Null takes away the name, the scopes, the end, the person, or the limit of tokens; `expiration_days` count from now. It holds from the next request on.',
    params: ApiKeyPath,
    body: ApiKeyUpdate,
    reply: ApiKeyDescriptor,
    errors: ['API_KEY_NOT_FOUND'],
    handle: async ({ params, body, services: { db, now } }) =>
      descriptor(await updateApiKey(db, params.api_key_id, changeOf(body, now()))),
  }),
  route({
    method: 'POST',
    path: '/admin/api-key/{api_key_id}/regenerate',
    audit: { action: 'api_key.regenerate', object: 'api_key_id' },
    access: 'admin',
    tag: 'Keys',
    summary: 'Give an API key a new secret',
    description:
      'Name, role, scopes and end stay. The old key is dead at once, and so are the personal access tokens that were made with it.',
    params: ApiKeyPath,
    reply: ApiKeyDescriptor,
    errors: ['API_KEY_NOT_FOUND'],
    handle: async ({ params, services: { keys } }) => {
      const { key, stored } = await keys.regenerate(params.api_key_id)
      return descriptor(stored, key)
    },
  }),
  route({
    method: 'DELETE',
    path: '/admin/api-key/{api_key_id}',
    audit: { action: 'api_key.delete', object: 'api_key_id' },
    access: 'admin',
    tag: 'Keys',
    summary: 'Delete API key',
    description: 'It is dead at once, and so are the personal access tokens that were made with it.',
    params: ApiKeyPath,
    reply: z.null(),
    errors: ['API_KEY_NOT_FOUND'],
    handle: async ({ params, services: { db } }) => {
      await deleteApiKey(db, params.api_key_id)
      return null
    },
  }),
]
