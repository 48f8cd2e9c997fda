// Runs in the folder of the provider's own packages: `node oidc-sign-in-provider.mjs PORT PHAROS_URL SKEW_SECONDS FOLDER
// GROUPS_FILE`. Each start makes a new key. The file has the groups of people by their names.
import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

const [, , port, pharos, skew, folder, groupsFile] = process.argv
const realNow = Date.now
Date.now = () => realNow() + Number(skew) * 1_000
const found = createRequire(`${folder}/`).resolve('oidc-provider')
const { Provider } = await import(pathToFileURL(found).href)
const issuer = `http://127.0.0.1:${port}`
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })

const clientOf = (client_id, token_endpoint_auth_method) => ({
  client_id,
  client_secret: `secret of & ${client_id}`,
  token_endpoint_auth_method,
  grant_types: ['authorization_code'],
  response_types: ['code'],
  redirect_uris: [`${pharos}/auth/oidc/callback`],
  post_logout_redirect_uris: [`${pharos}/sign-in`],
  backchannel_logout_uri: `${pharos}/auth/oidc/backchannel-logout/${client_id}`,
  backchannel_logout_session_required: true,
})

const accountOf = (name) => {
  const claims = () => ({
    ...{ sub: name, name, email: `${name}@example.org`, email_verified: name !== 'unverified' },
    groups: JSON.parse(readFileSync(groupsFile, 'utf8'))[name] ?? [],
  })
  return { accountId: name, claims }
}

const provider = new Provider(issuer, {
  clients: [clientOf('basic', 'client_secret_basic'), clientOf('post', 'client_secret_post')],
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
  scopes: ['openid', 'email', 'profile', 'groups'],
  findAccount: (_context, name) => accountOf(name),
  // The default has a dispatcher that calls no address of this machine.
  fetch: (url, { dispatcher: _, ...options }) => globalThis.fetch(url, options),
  jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' }] },
  pkce: { required: () => true },
  ttl: { AccessToken: 600, IdToken: 60, Grant: 3_600, Session: 3_600, Interaction: 600, AuthorizationCode: 60 },
  features: { devInteractions: { enabled: true }, backchannelLogout: { enabled: true } },
})
provider.listen(Number(port), '127.0.0.1')
