import { z } from 'zod'
import { OauthConfigCreate, OauthConfigSnapshot, OauthConfigUpdate } from '../../domain/oauth-config.ts'
import { nullish, pathInteger, wireInteger, wireString } from '../../domain/wire.ts'
import {
  deleteOauthConfig,
  getOauthConfig,
  insertOauthConfig,
  listOauthConfigs,
  updateOauthConfig,
} from '../../store/oauth-configs.ts'
import { checkAddress } from '../check-address.ts'
import { PageQuery } from '../page.ts'
import { type Call, route } from '../route.ts'

const ConfigPath = z.object({ oauth_config_id: pathInteger() })
const Message = z.object({ message: z.string() }).meta({ id: 'Message' })
const InitiateRequest = z
  .object({
    oauth_config_id: wireInteger(),
    return_path: nullish(wireString({ max: 2_000 })).describe(
      'A path of this service to come back to; /chat if absent.',
    ),
  })
  .meta({ id: 'OAuthInitiateRequest' })
const InitiateResponse = z
  .object({ authorization_url: z.string(), state: z.string() })
  .meta({ id: 'OAuthInitiateResponse' })
const CallbackResponse = z
  .object({ redirect_url: z.string(), error: z.string().nullable() })
  .meta({ id: 'OAuthCallbackResponse' })
/** RFC 6749, appendix A: what may stand in them. */
const PRINTABLE = /^[\x20-\x7e]*$/
const CallbackQuery = z.object({
  code: nullish(wireString({ max: 4_000, pattern: PRINTABLE })),
  state: nullish(wireString({ max: 1_000, pattern: PRINTABLE })),
  error: nullish(wireString({ max: 500, pattern: PRINTABLE })).describe('What the provider sends instead of a code.'),
  error_description: nullish(wireString({ max: 1_000 })),
})
const TokenStatus = z
  .object({
    oauth_config_id: z.int(),
    expires_at: z.int().nullable().describe('Unix seconds; null where the provider does not say.'),
    is_expired: z.boolean(),
  })
  .meta({ id: 'UserOAuthTokenStatus' })

/** Only the token address is called from here; a browser opens the other one. */
async function checkToken(
  { services, signal }: Pick<Call<unknown, unknown, unknown>, 'services' | 'signal'>,
  url: string | null,
): Promise<void> {
  if (url === null) return
  const asker = { kind: 'tool', id: null } as const
  await checkAddress(services, { loc: ['body', 'token_url'], url, profile: 'admin-target', asker }, signal)
}

const own = { access: 'tools', tag: 'OAuth' } as const
const OWN_NOTE = 'One’s own; administrators have all. The secret is never answered.'

const configs = [
  route({
    ...own,
    method: 'POST',
    path: '/admin/oauth-config/create',
    audit: { action: 'oauth_config.create', object: (_, made) => made.id },
    summary: 'Create OAuth configuration',
    description:
      'Where tools send people for a token of their own. Register the address /oauth-config/callback of this service (setting PUBLIC_URL) with the provider.',
    body: OauthConfigCreate,
    reply: OauthConfigSnapshot,
    handle: async ({ body, subject, services, signal }) => {
      await checkToken({ services, signal }, body.token_url)
      return insertOauthConfig(services, subject, body, services.now())
    },
  }),
  route({
    ...own,
    method: 'GET',
    path: '/admin/oauth-config',
    summary: 'List OAuth configurations',
    description: OWN_NOTE,
    query: PageQuery,
    reply: z.array(OauthConfigSnapshot),
    handle: ({ query, subject, services }) => listOauthConfigs(services.db, subject, query),
  }),
  route({
    ...own,
    method: 'GET',
    path: '/admin/oauth-config/{oauth_config_id}',
    summary: 'Get OAuth configuration',
    params: ConfigPath,
    reply: OauthConfigSnapshot,
    errors: ['OAUTH_CONFIG_NOT_FOUND'],
    handle: ({ params, subject, services }) => getOauthConfig(services.db, subject, params.oauth_config_id),
  }),
  route({
    ...own,
    method: 'PUT',
    path: '/admin/oauth-config/{oauth_config_id}',
    audit: { action: 'oauth_config.update', object: 'oauth_config_id' },
    summary: 'Update OAuth configuration',
    description:
      'Changes only what is sent. With another `token_url` or `client_id` the tokens that people were given are gone.',
    params: ConfigPath,
    body: OauthConfigUpdate,
    reply: OauthConfigSnapshot,
    errors: ['OAUTH_CONFIG_NOT_FOUND'],
    handle: async ({ params, body, subject, services, signal }) => {
      await checkToken({ services, signal }, body.token_url)
      return updateOauthConfig(services, subject, params.oauth_config_id, body, services.now())
    },
  }),
  route({
    ...own,
    method: 'DELETE',
    path: '/admin/oauth-config/{oauth_config_id}',
    audit: { action: 'oauth_config.delete', object: 'oauth_config_id' },
    summary: 'Delete OAuth configuration',
    description: 'Its tools go on without it; the tokens that people were given are gone.',
    params: ConfigPath,
    reply: Message,
    errors: ['OAUTH_CONFIG_NOT_FOUND'],
    handle: async ({ params, subject, services }) => {
      await deleteOauthConfig(services.db, subject, params.oauth_config_id)
      return { message: 'OAuth configuration deleted successfully' }
    },
  }),
]

const person = { access: ['tools', 'chat'], tag: 'OAuth' } as const

export const oauthConfigRoutes = [
  ...configs,
  route({
    ...person,
    method: 'POST',
    path: '/oauth-config/initiate',
    summary: 'Connect an account',
    description:
      'Where to send the browser, so that tools may act with the account of whoever asks. Works once, within ten minutes, and for the same person.',
    body: InitiateRequest,
    reply: InitiateResponse,
    errors: ['OAUTH_CONFIG_NOT_FOUND', 'INVALID_INPUT'],
    handle: ({ body: { oauth_config_id, return_path }, subject, services }) =>
      services.tools.oauth.initiate(subject, { oauth_config_id, return_path: return_path ?? '/chat' }),
  }),
  route({
    ...person,
    method: 'POST',
    path: '/oauth-config/callback',
    summary: 'Finish connecting an account',
    description: 'What the provider sent the browser back with. Failures are answered in `error`, with status 200.',
    query: CallbackQuery,
    reply: CallbackResponse,
    handle: ({ query, subject, services, signal }) => services.tools.oauth.callback(subject, query, signal),
  }),
  route({
    ...person,
    method: 'DELETE',
    path: '/oauth-config/{oauth_config_id}/token',
    summary: 'Disconnect an account',
    description: 'The token of whoever asks is forgotten here; at the provider it lives on until it expires.',
    params: ConfigPath,
    reply: Message,
    errors: ['OAUTH_CONFIG_NOT_FOUND'],
    handle: async ({ params, subject, services }) => {
      await services.tools.oauth.revoke(subject, params.oauth_config_id)
      return { message: 'OAuth token revoked successfully' }
    },
  }),
  route({
    ...person,
    method: 'GET',
    path: '/user-oauth-token/status',
    summary: 'List connected accounts',
    reply: z.array(TokenStatus),
    handle: ({ subject, services }) => services.tools.oauth.statuses(subject),
  }),
]
