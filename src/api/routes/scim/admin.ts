// The directory for administrators: its token, what it manages, and removals that wait for a decision.
import { z } from 'zod'
import { AppError } from '../../../domain/errors.ts'
import type { ScimTokens } from '../../../identity/keys/scim-tokens.ts'
import { linkToScim } from '../../../store/identity/scim/change-users.ts'
import {
  countHeldRemovals,
  decideHeldRemoval,
  type HeldRemoval,
  listHeldRemovals,
} from '../../../store/identity/scim/removals.ts'
import type { StoredScimToken } from '../../../store/identity/scim/tokens.ts'
import { countScim } from '../../../store/identity/scim/users.ts'
import { wireName, wirePathInteger } from '../../../wire/schemas.ts'
import { route } from '../../route.ts'
import { iso, isoOrNull } from '../../wire/iso.ts'
import { pageFields, toPage } from '../../wire/page.ts'
import { UserByEmail } from '../identity/users.ts'
import { scimBase } from './protocol.ts'

const tokenFields = {
  id: z.int(),
  name: z.string(),
  token_display: z.string().describe('The part of the token that may be shown.'),
  is_active: z.boolean(),
  created_at: z.iso.datetime(),
  last_used_at: z.iso.datetime().nullable(),
}
const ScimToken = z.object(tokenFields).meta({ id: 'ScimToken' })
const ScimTokenCreated = z
  .object({ ...tokenFields, raw_token: z.string().describe('The token. It is shown only here.') })
  .meta({ id: 'ScimTokenCreated' })

const scimToken = (stored: StoredScimToken): z.infer<typeof ScimToken> => ({
  id: stored.id,
  name: stored.name,
  token_display: stored.display,
  is_active: stored.is_active === 1,
  created_at: iso(stored.created_at),
  last_used_at: isoOrNull(stored.last_used_at),
})

const ScimStatus = z
  .object({
    url: z.string().describe('The address for the directory. Without an origin if the service does not know its own.'),
    token: ScimToken.nullable(),
    users: z.int(),
    active_users: z.int(),
    groups: z.int(),
    held_removals: z.int(),
  })
  .meta({ id: 'ScimStatus' })

const ScimHeldRemoval = z
  .object({
    id: z.int(),
    user_id: z.string(),
    email: z.string(),
    name: z.string().nullable(),
    kind: z.enum(['suspend', 'delete']).describe('`suspend`: the directory set `active` to false.'),
    reason: z.string(),
    asked_at: z.iso.datetime(),
  })
  .meta({ id: 'ScimHeldRemoval' })

const HELD_REASON = 'More than a fifth of all people, and at least 5, would be removed within a day.'

const heldRemoval = ({ person_id, asked_at, ...it }: HeldRemoval): z.infer<typeof ScimHeldRemoval> => ({
  ...it,
  user_id: person_id,
  reason: HELD_REASON,
  asked_at: iso(asked_at),
})

async function requireToken(scimTokens: Pick<ScimTokens, 'find'>): Promise<StoredScimToken> {
  const stored = await scimTokens.find()
  if (stored === undefined) throw new AppError('SCIM_NO_TOKEN')
  return stored
}

const adminDefaults = { access: 'admin', tag: 'SCIM' } as const
const TOKEN_PATH = '/admin/enterprise-settings/scim/token'
const HeldRemovalPath = z.object({ removal_id: wirePathInteger() })

const tokenRoutes = [
  route({
    ...adminDefaults,
    name: 'getScimToken',
    method: 'GET',
    path: TOKEN_PATH,
    summary: 'Describe the SCIM token',
    reply: ScimToken,
    errors: ['SCIM_NO_TOKEN'],
    services: ['scimTokens'],
    handle: async ({ services: { scimTokens } }) => scimToken(await requireToken(scimTokens)),
  }),
  route({
    ...adminDefaults,
    name: 'createScimToken',
    method: 'POST',
    path: TOKEN_PATH,
    summary: 'Create the SCIM token',
    description: 'The token before it is invalid at once. The token opens `/scim/v2` and nothing else.',
    audit: { action: 'scim_token.create', object: (_, { id }) => id },
    status: 201,
    body: z.object({ name: wireName(200) }).meta({ id: 'ScimTokenCreate' }),
    reply: ScimTokenCreated,
    services: ['scimTokens'],
    handle: async ({ body, services: { scimTokens } }) => {
      const { token, stored } = await scimTokens.create(body.name)
      return { ...scimToken(stored), raw_token: token }
    },
  }),
  route({
    ...adminDefaults,
    name: 'revokeScimToken',
    method: 'DELETE',
    path: TOKEN_PATH,
    summary: 'Revoke the SCIM token',
    description: 'The directory changes nothing any more. Its people and groups remain.',
    audit: { action: 'scim_token.delete' },
    reply: z.null(),
    errors: ['SCIM_NO_TOKEN'],
    services: ['scimTokens'],
    handle: async ({ services: { scimTokens } }) => {
      await scimTokens.revoke()
      return null
    },
  }),
]

export const scimAdminRoutes = [
  ...tokenRoutes,
  route({
    ...adminDefaults,
    name: 'getScimStatus',
    method: 'GET',
    path: '/admin/scim/status',
    summary: 'Describe what the directory manages',
    reply: ScimStatus,
    services: ['db', 'scimTokens'],
    handle: async (call) => {
      const { db, scimTokens } = call.services
      const stored = await scimTokens.find()
      return {
        url: scimBase(call),
        token: stored === undefined ? null : scimToken(stored),
        ...(await countScim(db)),
        held_removals: await countHeldRemovals(db),
      }
    },
  }),
  route({
    ...adminDefaults,
    name: 'linkScimUser',
    method: 'POST',
    path: '/admin/scim/link',
    summary: 'Let the directory manage an existing person',
    description:
      'The directory does not take over an administrator by itself. After this, it finds them by `userName`, and can suspend them; it never changes their role or, as long as they are an administrator, their e-mail address.',
    audit: { action: 'person.scim_link', object: (_, { pseudonym }) => pseudonym },
    body: UserByEmail,
    reply: z.object({ pseudonym: z.string().describe('The person in the audit.') }).meta({ id: 'ScimLink' }),
    errors: ['PERSON_NOT_FOUND', 'SCIM_UNIQUENESS'],
    services: ['db', 'now'],
    handle: async ({ body, services: { db, now } }) => ({ pseudonym: await linkToScim(db, body.user_email, now()) }),
  }),
  route({
    ...adminDefaults,
    name: 'listHeldRemovals',
    method: 'GET',
    path: '/admin/scim/held-removals',
    summary: 'List removals that wait for a decision',
    query: z.object(pageFields),
    reply: z.array(ScimHeldRemoval),
    services: ['db'],
    handle: async ({ query, services: { db } }) => (await listHeldRemovals(db, toPage(query))).map(heldRemoval),
  }),
  route({
    ...adminDefaults,
    name: 'approveHeldRemoval',
    method: 'POST',
    path: '/admin/scim/held-removals/{removal_id}/approve',
    summary: 'Approve a removal',
    description: 'The sessions of the person end, and keys that act for them are refused.',
    audit: { action: 'person.scim_approve', object: (_, { pseudonym }) => pseudonym },
    params: HeldRemovalPath,
    reply: z.object({ pseudonym: z.string() }).meta({ id: 'DecidedRemoval' }),
    errors: ['HELD_REMOVAL_NOT_FOUND', 'LAST_ADMIN'],
    services: ['db', 'now'],
    handle: async ({ params, services: { db, now } }) => ({
      pseudonym: await decideHeldRemoval(db, params.removal_id, 'approved', now()),
    }),
  }),
  route({
    ...adminDefaults,
    name: 'discardHeldRemoval',
    method: 'POST',
    path: '/admin/scim/held-removals/{removal_id}/discard',
    summary: 'Discard a removal',
    description: 'The person stays. For a day, the directory cannot ask again.',
    audit: { action: 'person.scim_discard', object: (_, { pseudonym }) => pseudonym },
    params: HeldRemovalPath,
    reply: z.object({ pseudonym: z.string() }).meta({ id: 'DecidedRemoval' }),
    errors: ['HELD_REMOVAL_NOT_FOUND'],
    services: ['db', 'now'],
    handle: async ({ params, services: { db, now } }) => ({
      pseudonym: await decideHeldRemoval(db, params.removal_id, 'discarded', now()),
    }),
  }),
]
