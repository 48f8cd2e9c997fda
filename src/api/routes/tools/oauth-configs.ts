import { z } from 'zod'
import { OauthConfigCreate, OauthConfigSnapshot, OauthConfigUpdate } from '../../../domain/tools/oauth-config.ts'
import {
  deleteOauthConfig,
  getOauthConfig,
  insertOauthConfig,
  listOauthConfigs,
  updateOauthConfig,
} from '../../../store/tools/oauth-configs.ts'
import { listOauthTokenHolders, type OauthTokenHolder } from '../../../store/tools/oauth-tokens.ts'
import { nullish, wireInteger, wirePathInteger, wireString } from '../../../wire/schemas.ts'
import { checkEgressAddress } from '../../checks/egress-address.ts'
import { type RouteCall, route } from '../../route.ts'
import { iso, isoOrNull } from '../../wire/iso.ts'
import { PageQuery } from '../../wire/page.ts'

const OauthConfigPath = z.object({ oauth_config_id: wirePathInteger() })
const Message = z.object({ message: z.string() }).meta({ id: 'Message' })
const OauthInitiateRequest = z
  .object({
    oauth_config_id: wireInteger(),
    return_path: nullish(wireString({ max: 2_000 })).describe('The path of this service to return to. Default: /chat.'),
  })
  .meta({ id: 'OAuthInitiateRequest' })
const OauthInitiateResponse = z
  .object({ authorization_url: z.string(), state: z.string() })
  .meta({ id: 'OAuthInitiateResponse' })
const OauthCallbackResponse = z
  .object({ redirect_url: z.string(), error: z.string().nullable() })
  .meta({ id: 'OAuthCallbackResponse' })
/** Allowed characters: RFC 6749, appendix A. */
const PRINTABLE = /^[\x20-\x7e]*$/
const OauthCallbackQuery = z.object({
  code: nullish(wireString({ max: 4_000, pattern: PRINTABLE })),
  state: nullish(wireString({ max: 1_000, pattern: PRINTABLE })),
  error: nullish(wireString({ max: 500, pattern: PRINTABLE })).describe('Sent by the provider instead of a code.'),
  error_description: nullish(wireString({ max: 1_000 })),
})
const UserOauthTokenStatus = z
  .object({
    oauth_config_id: z.int(),
    oauth_config_name: z.string(),
    expires_at: z.int().nullable().describe('Unix seconds. Null if the provider does not report it.'),
    is_expired: z.boolean(),
  })
  .meta({ id: 'UserOAuthTokenStatus' })

const OauthConnection = z
  .object({
    user_id: z.string(),
    email: z.string().nullable().describe('Null for a key that acts for nobody.'),
    name: z.string().nullable(),
    connected_at: z.iso.datetime().describe('When the token was last issued or refreshed.'),
    expires_at: z.iso.datetime().nullable(),
    is_expired: z.boolean(),
  })
  .meta({ id: 'OAuthConnection' })

const oauthConnection = (
  { time_updated, expires_at, ...holder }: OauthTokenHolder,
  now: number,
): z.infer<typeof OauthConnection> => ({
  ...holder,
  connected_at: iso(time_updated),
  expires_at: isoOrNull(expires_at),
  is_expired: expires_at !== null && expires_at <= now,
})

/** Checks only the token URL: the browser opens the authorization URL. */
async function checkTokenUrl(
  { services, signal }: Pick<RouteCall<unknown, unknown, unknown, 'egress'>, 'services' | 'signal'>,
  url: string | null,
): Promise<void> {
  if (url === null) return
  const asker = { kind: 'tool', id: null } as const
  await checkEgressAddress(services, { loc: ['body', 'token_url'], url, profile: 'admin-target', asker }, signal)
}

const ownDefaults = { access: 'tools', tag: 'OAuth' } as const
const OWNERSHIP_NOTE = 'Lists own configurations; administrators see all. The client secret is never returned.'

const configRoutes = [
  route({
    ...ownDefaults,
    name: 'createOauthConfig',
    method: 'POST',
    path: '/admin/oauth-config/create',
    audit: { action: 'oauth_config.create', object: (_, created) => created.id },
    summary: 'Create OAuth configuration',
    description:
      'Tools with this configuration require each user to authorize access to their account. Register /oauth-config/callback of this service (setting PUBLIC_URL) as redirect URL with the provider.',
    body: OauthConfigCreate,
    reply: OauthConfigSnapshot,
    services: ['db', 'secrets', 'egress', 'now'],
    handle: async ({ body, subject, services, signal }) => {
      await checkTokenUrl({ services, signal }, body.token_url)
      return insertOauthConfig(services, subject, body, services.now())
    },
  }),
  route({
    ...ownDefaults,
    name: 'listOauthConfigs',
    method: 'GET',
    path: '/admin/oauth-config',
    summary: 'List OAuth configurations',
    description: OWNERSHIP_NOTE,
    query: PageQuery,
    reply: z.array(OauthConfigSnapshot),
    services: ['db'],
    handle: ({ query, subject, services }) => listOauthConfigs(services.db, subject, query),
  }),
  route({
    ...ownDefaults,
    name: 'getOauthConfig',
    method: 'GET',
    path: '/admin/oauth-config/{oauth_config_id}',
    summary: 'Get OAuth configuration',
    params: OauthConfigPath,
    reply: OauthConfigSnapshot,
    errors: ['OAUTH_CONFIG_NOT_FOUND'],
    services: ['db'],
    handle: ({ params, subject, services }) => getOauthConfig(services.db, subject, params.oauth_config_id),
  }),
  route({
    ...ownDefaults,
    name: 'updateOauthConfig',
    method: 'PUT',
    path: '/admin/oauth-config/{oauth_config_id}',
    audit: { action: 'oauth_config.update', object: 'oauth_config_id' },
    summary: 'Update OAuth configuration',
    description:
      'Changes only the fields that are sent. Changing `token_url` or `client_id` deletes the tokens of all users.',
    params: OauthConfigPath,
    body: OauthConfigUpdate,
    reply: OauthConfigSnapshot,
    errors: ['OAUTH_CONFIG_NOT_FOUND'],
    services: ['db', 'secrets', 'egress', 'now'],
    handle: async ({ params, body, subject, services, signal }) => {
      await checkTokenUrl({ services, signal }, body.token_url)
      return updateOauthConfig(services, subject, params.oauth_config_id, body, services.now())
    },
  }),
  route({
    ...ownDefaults,
    name: 'deleteOauthConfig',
    method: 'DELETE',
    path: '/admin/oauth-config/{oauth_config_id}',
    audit: { action: 'oauth_config.delete', object: 'oauth_config_id' },
    summary: 'Delete OAuth configuration',
    description: 'Deletes the tokens of all users. Tools that used the configuration remain, without OAuth.',
    params: OauthConfigPath,
    reply: Message,
    errors: ['OAUTH_CONFIG_NOT_FOUND'],
    services: ['db'],
    handle: async ({ params, subject, services }) => {
      await deleteOauthConfig(services.db, subject, params.oauth_config_id)
      return { message: 'OAuth configuration deleted successfully' }
    },
  }),
]

const connectionRoutes = [
  route({
    name: 'listOauthConnections',
    method: 'GET',
    path: '/admin/oauth-config/{oauth_config_id}/connections',
    access: 'admin',
    tag: 'OAuth',
    summary: 'List OAuth connections',
    description: 'Lists the people and keys that have connected their account. Tokens are never returned.',
    params: OauthConfigPath,
    reply: z.array(OauthConnection),
    errors: ['OAUTH_CONFIG_NOT_FOUND'],
    services: ['db', 'now'],
    handle: async ({ params: { oauth_config_id }, subject, services: { db, now } }) => {
      await getOauthConfig(db, subject, oauth_config_id)
      return (await listOauthTokenHolders(db, oauth_config_id)).map((it) => oauthConnection(it, now()))
    },
  }),
]

const userDefaults = { access: ['tools', 'chat'], tag: 'OAuth' } as const

export const oauthConfigRoutes = [
  ...configRoutes,
  ...connectionRoutes,
  route({
    ...userDefaults,
    name: 'startOauthFlow',
    method: 'POST',
    path: '/oauth-config/initiate',
    summary: 'Start OAuth flow',
    description:
      'Returns the URL to send the browser to, where the user authorizes tools to use their account. The URL works once, expires after ten minutes and is bound to the same person.',
    body: OauthInitiateRequest,
    reply: OauthInitiateResponse,
    errors: ['OAUTH_CONFIG_NOT_FOUND', 'INVALID_INPUT'],
    services: ['tools'],
    handle: ({ body: { oauth_config_id, return_path }, subject, services }) =>
      services.tools.oauth.startFlow(subject, { oauth_config_id, return_path: return_path ?? '/chat' }),
  }),
  route({
    ...userDefaults,
    name: 'finishOauthFlow',
    method: 'POST',
    path: '/oauth-config/callback',
    summary: 'Finish OAuth flow',
    description: 'Takes the query parameters of the redirect. Failures are reported in `error`, with status 200.',
    query: OauthCallbackQuery,
    reply: OauthCallbackResponse,
    services: ['tools'],
    handle: ({ query, subject, services, signal }) => services.tools.oauth.finishFlow(subject, query, signal),
  }),
  route({
    ...userDefaults,
    name: 'revokeOauthToken',
    method: 'DELETE',
    path: '/oauth-config/{oauth_config_id}/token',
    summary: 'Revoke OAuth token',
    description:
      'Deletes the token of the caller from this service. It remains valid at the provider until it expires.',
    params: OauthConfigPath,
    reply: Message,
    errors: ['OAUTH_CONFIG_NOT_FOUND'],
    services: ['tools'],
    handle: async ({ params, subject, services }) => {
      await services.tools.oauth.revoke(subject, params.oauth_config_id)
      return { message: 'OAuth token revoked successfully' }
    },
  }),
  route({
    ...userDefaults,
    name: 'listOauthTokenStatuses',
    method: 'GET',
    path: '/user-oauth-token/status',
    summary: 'List OAuth token statuses',
    reply: z.array(UserOauthTokenStatus),
    services: ['tools'],
    handle: ({ subject, services }) => services.tools.oauth.listStatuses(subject),
  }),
]
