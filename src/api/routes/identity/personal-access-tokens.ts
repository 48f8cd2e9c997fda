import { z } from 'zod'
import { AppError } from '../../../domain/errors.ts'
import { PAT_SCOPES } from '../../../domain/subject.ts'
import { parseScopes } from '../../../identity/keys/access-tokens.ts'
import type { StoredPat } from '../../../store/identity/personal-access-tokens.ts'
import { endOfDay } from '../../../wire/date-time.ts'
import { nullish, wireArray, wireEnum, wireInteger, wireName, wirePathInteger } from '../../../wire/schemas.ts'
import { route } from '../../route.ts'
import { iso, isoOrNull } from '../../wire/iso.ts'
import { pageFields } from '../../wire/page.ts'

const MAX_DAYS = 36_500

const CreateTokenRequest = z
  .object({
    name: wireName(100),
    expiration_days: nullish(wireInteger({ min: 1, max: MAX_DAYS })).describe(
      'The token expires at the end of that day, in UTC.',
    ),
    scopes: nullish(wireArray(wireEnum(PAT_SCOPES), { max: 100 })).describe('Default: all rights of the owner.'),
  })
  .meta({ id: 'CreateTokenRequest' })

const TokenResponse = z
  .object({
    id: z.int(),
    name: z.string(),
    token_display: z.string(),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime().nullable(),
    last_used_at: z.iso.datetime().nullable(),
    scopes: z.array(z.enum(PAT_SCOPES)).nullable(),
  })
  .meta({ id: 'TokenResponse' })

const TokenPageQuery = z
  .object({
    limit: pageFields.limit,
    after: nullish(wireInteger({ min: 0 })).describe(
      'Only items with a smaller id: pass the last id of the previous page.',
    ),
  })
  .transform(({ limit, after }) => ({ limit: limit ?? Number.MAX_SAFE_INTEGER, before: after }))

const CreatedTokenResponse = TokenResponse.extend({
  token: z.string().describe('The secret token. Returned only once.'),
}).meta({ id: 'CreatedTokenResponse' })

const PatScopeOption = z
  .object({
    scope: z.enum(PAT_SCOPES),
    group_label: z.string(),
    label: z.string(),
    description: z.string(),
    implies: z.array(z.enum(PAT_SCOPES)),
  })
  .meta({ id: 'PatScopeOption' })
type PatScopeOption = z.infer<typeof PatScopeOption>

const SCOPE_OPTIONS: PatScopeOption[] = [
  { scope: 'read:search', group_label: 'Search', label: 'Read', description: 'Search documents.', implies: [] },
  { scope: 'read:chat', group_label: 'Chat', label: 'Read', description: 'See agents and chats.', implies: [] },
  {
    scope: 'write:chat',
    group_label: 'Chat',
    label: 'Write',
    description: 'Ask and answer in chats.',
    implies: ['read:chat'],
  },
  {
    scope: 'use:llm_gateway',
    group_label: 'Language models',
    label: 'Use',
    description: 'Accepted for compatibility; has no effect, because there is no gateway.',
    implies: [],
  },
]

const tokenSnapshot = (stored: StoredPat): z.infer<typeof TokenResponse> => ({
  id: stored.id,
  name: stored.name,
  token_display: stored.display,
  created_at: iso(stored.created_at),
  expires_at: isoOrNull(stored.expires_at),
  last_used_at: isoOrNull(stored.last_used_at),
  scopes: parseScopes(stored),
})

export const personalAccessTokenRoutes = [
  route({
    name: 'listPersonalAccessTokens',
    method: 'GET',
    path: '/user/pats',
    access: 'pats',
    tag: 'Keys',
    summary: 'List personal access tokens',
    description: 'Lists the tokens created with the calling key, including expired tokens, newest first.',
    query: TokenPageQuery,
    reply: z.array(TokenResponse),
    services: ['tokens'],
    handle: async ({ query, subject, services: { tokens } }) => {
      await tokens.flushLastUsed()
      return (await tokens.list(subject, query)).map(tokenSnapshot)
    },
  }),
  route({
    name: 'createPersonalAccessToken',
    method: 'POST',
    path: '/user/pats',
    audit: { action: 'token.create', object: (_, created) => created.id },
    access: 'pats',
    tag: 'Keys',
    summary: 'Create personal access token',
    description:
      'The token acts for the key that creates it, never has more rights than that key currently has, is revoked with it, and cannot create tokens.',
    body: CreateTokenRequest,
    reply: CreatedTokenResponse,
    services: ['tokens', 'now'],
    handle: async ({ body: { name, expiration_days, scopes }, subject, services: { tokens, now } }) => {
      if (scopes?.length === 0) {
        throw new AppError('INVALID_INPUT', { reason: 'A scoped token must include at least one scope.' })
      }
      const { token, stored } = await tokens.create(subject, {
        name,
        scopes: scopes === null ? null : [...new Set(scopes)],
        expires_at: expiration_days === null ? null : endOfDay(now(), expiration_days),
      })
      return { ...tokenSnapshot(stored), token }
    },
  }),
  route({
    name: 'listPersonalAccessTokenScopes',
    method: 'GET',
    path: '/user/pats/scopes',
    access: 'pats',
    tag: 'Keys',
    summary: 'List personal access token scopes',
    reply: z.array(PatScopeOption),
    handle: () => SCOPE_OPTIONS,
  }),
  route({
    name: 'deletePersonalAccessToken',
    method: 'DELETE',
    path: '/user/pats/{token_id}',
    audit: { action: 'token.delete', object: 'token_id' },
    access: 'pats',
    tag: 'Keys',
    summary: 'Delete personal access token',
    description: 'Revokes the token immediately.',
    params: z.object({ token_id: wirePathInteger() }),
    reply: z.object({ message: z.string() }).meta({ id: 'MessageResponse' }),
    errors: ['PAT_NOT_FOUND'],
    services: ['tokens'],
    handle: async ({ params, subject, services: { tokens } }) => {
      await tokens.delete(subject, params.token_id)
      return { message: 'Token deleted successfully' }
    },
  }),
]
