import { z } from 'zod'
import { ROLES, SCOPES } from '../../domain/subject.ts'
import { nullish, wireArray, wireEnum, wireInteger, wireString } from '../../domain/wire.ts'
import { iso, isoOrNull } from '../iso.ts'
import { route } from '../route.ts'

const DAY_MS = 86_400_000
const MAX_DAYS = 36_500

const ApiKeyArgs = z
  .object({
    name: nullish(wireString({ max: 1_000 })),
    role: nullish(wireEnum(ROLES)),
    scopes: nullish(wireArray(wireEnum(SCOPES), { min: 1, max: SCOPES.length })),
    expiration_days: nullish(wireInteger({ min: 1, max: MAX_DAYS })),
    user_email: nullish(wireString({ min: 1, max: 500 })),
    user_group_ids: nullish(wireArray(wireString({ max: 500 }), { max: 10_000 })),
  })
  .meta({ id: 'ApiKeyArgs' })

const ApiKeyDescriptor = z
  .object({
    api_key_id: z.int(),
    api_key_display: z.string(),
    api_key: z.string().nullable().describe('The key itself: shown here and never again.'),
    api_key_name: z.string().nullable(),
    api_key_role: z.enum(ROLES),
    scopes: z.array(z.enum(SCOPES)).nullable(),
    user_id: z.string(),
    user_email: z.string().nullable(),
    user_group_ids: z.array(z.string()),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime().nullable(),
    last_used_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'ApiKeyDescriptor' })

export const apiKeyRoutes = [
  route({
    method: 'POST',
    path: '/admin/api-key',
    access: 'admin',
    tag: 'Keys',
    summary: 'Create API key',
    description:
      'With `user_email` and `user_group_ids` the key acts for that person and sees what that person may see. Scopes narrow what the role allows.',
    body: ApiKeyArgs,
    reply: ApiKeyDescriptor,
    handle: async ({ body, services }) => {
      const role = body.role ?? 'basic'
      const expires_at = body.expiration_days === null ? null : services.now() + body.expiration_days * DAY_MS
      const { name, scopes, user_email } = body
      const user_group_ids = body.user_group_ids ?? []
      const { key, stored } = await services.keys.create({ name, role, scopes, expires_at, user_email, user_group_ids })
      return {
        api_key_id: stored.id,
        api_key_display: stored.display,
        api_key: key,
        api_key_name: name,
        api_key_role: role,
        scopes,
        user_id: stored.user_id,
        user_email,
        user_group_ids,
        created_at: iso(stored.created_at),
        expires_at: isoOrNull(expires_at),
        last_used_at: null,
      }
    },
  }),
]
