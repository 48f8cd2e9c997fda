import { z } from 'zod'
import { endOfDay } from '../../domain/date-time.ts'
import { AppError } from '../../domain/errors.ts'
import { PAT_SCOPES } from '../../domain/subject.ts'
import { nullish, pathInteger, WITHOUT_NUL, wireArray, wireEnum, wireInteger, wireString } from '../../domain/wire.ts'
import { scopesOf } from '../../identity/tokens.ts'
import type { StoredPat } from '../../store/pats.ts'
import { iso, isoOrNull } from '../iso.ts'
import { PageQuery } from '../page.ts'
import { route } from '../route.ts'

const MAX_DAYS = 36_500

const CreateTokenRequest = z
  .object({
    name: wireString({ min: 1, max: 100, pattern: WITHOUT_NUL }),
    expiration_days: nullish(wireInteger({ min: 1, max: MAX_DAYS })).describe('It ends with that day, in UTC.'),
    scopes: nullish(wireArray(wireEnum(PAT_SCOPES), { max: 100 })).describe('Without them: all that its owner may.'),
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

const CreatedTokenResponse = TokenResponse.extend({
  token: z.string().describe('The token itself: shown here and never again.'),
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

const OPTIONS: PatScopeOption[] = [
  { scope: 'read:search', group_label: 'Search', label: 'Read', description: 'Search documents.', implies: [] },
  { scope: 'read:chat', group_label: 'Chat', label: 'Read', description: 'See agents and chats.', implies: [] },
  { scope: 'write:chat', group_label: 'Chat', label: 'Write', description: 'Ask and answer in chats.', implies: [] },
]

const snapshot = (stored: StoredPat): z.infer<typeof TokenResponse> => ({
  id: stored.id,
  name: stored.name,
  token_display: stored.display,
  created_at: iso(stored.created_at),
  expires_at: isoOrNull(stored.expires_at),
  last_used_at: isoOrNull(stored.last_used_at),
  scopes: scopesOf(stored),
})

export const patRoutes = [
  route({
    method: 'GET',
    path: '/user/pats',
    access: 'pats',
    tag: 'Keys',
    summary: 'List personal access tokens',
    description: 'Those made with the key that asks, expired ones too.',
    query: PageQuery,
    reply: z.array(TokenResponse),
    handle: async ({ query, subject, services: { tokens } }) => {
      await tokens.flushLastUsed()
      return (await tokens.list(subject, query)).map(snapshot)
    },
  }),
  route({
    method: 'POST',
    path: '/user/pats',
    audit: { action: 'token.create', object: (_, made) => made.id },
    access: 'pats',
    tag: 'Keys',
    summary: 'Create personal access token',
    description:
      'It acts for the key that makes it, may at most what that key may at the moment, ends with it, and makes no tokens itself.',
    body: CreateTokenRequest,
    reply: CreatedTokenResponse,
    handle: async ({ body: { name, expiration_days, scopes }, subject, services: { tokens, now } }) => {
      if (scopes?.length === 0) {
        throw new AppError('INVALID_INPUT', { reason: 'A scoped token must include at least one scope.' })
      }
      const { token, stored } = await tokens.create(subject, {
        name,
        scopes: scopes === null ? null : [...new Set(scopes)],
        expires_at: expiration_days === null ? null : endOfDay(now(), expiration_days),
      })
      return { ...snapshot(stored), token }
    },
  }),
  route({
    method: 'GET',
    path: '/user/pats/scopes',
    access: 'pats',
    tag: 'Keys',
    summary: 'List what a personal access token can be narrowed to',
    reply: z.array(PatScopeOption),
    handle: () => OPTIONS,
  }),
  route({
    method: 'DELETE',
    path: '/user/pats/{token_id}',
    audit: { action: 'token.delete', object: 'token_id' },
    access: 'pats',
    tag: 'Keys',
    summary: 'Delete personal access token',
    description: 'It is dead at once.',
    params: z.object({ token_id: pathInteger() }),
    reply: z.object({ message: z.string() }).meta({ id: 'MessageResponse' }),
    errors: ['PAT_NOT_FOUND'],
    handle: async ({ params, subject, services: { tokens } }) => {
      await tokens.delete(subject, params.token_id)
      return { message: 'Token deleted successfully' }
    },
  }),
]
