// Runs in the folder of the provider's own packages: `node oidc-provider.mjs PORT REDIRECT_URI`.
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

const [, , port, redirectUri, folder] = process.argv
const found = createRequire(`${folder}/`).resolve('oidc-provider')
const { Provider } = await import(pathToFileURL(found).href)
const issuer = `http://127.0.0.1:${port}`

const clientOf = (client_id, token_endpoint_auth_method) => ({
  client_id,
  client_secret: `secret of & ${client_id}`,
  token_endpoint_auth_method,
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  redirect_uris: [redirectUri],
})

const provider = new Provider(issuer, {
  clients: [clientOf('by-header', 'client_secret_basic'), clientOf('by-body', 'client_secret_post')],
  claims: { openid: ['sub'], email: ['email'] },
  scopes: ['openid', 'email', 'offline_access'],
  findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id, email: `${id}@example.org` }) }),
  pkce: { required: () => true },
  // The reuse of a refresh token ends the whole grant.
  rotateRefreshToken: () => true,
  ttl: { AccessToken: 62, RefreshToken: 3_600, Grant: 3_600, Session: 3_600, Interaction: 600, AuthorizationCode: 60 },
  features: { devInteractions: { enabled: true }, revocation: { enabled: true } },
})
provider.listen(Number(port), '127.0.0.1')
