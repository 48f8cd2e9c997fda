// An authorization server for a remote MCP server: metadata, registration, codes with PKCE, and refresh tokens that work
// once.
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { type Remote, type Seen, startRemote } from './remote-mcp.ts'

export interface Authority {
  origin: string
  seen: Seen[]
  clients: Map<string, { redirect_uris: string[] }>
  access: Set<string>
  refresh: Set<string>
  /** The number of token pairs issued so far. */
  issued: number
  /** Signs in like a person at the page. */
  approve(oauth_url: string): { code: string; state: string }
}

interface Code {
  challenge: string
  client_id: string
  redirect_uri: string
  resource: string | null
}

export const answerJson = (response: ServerResponse, status: number, body: object): true => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  return true
}
const random = () => randomBytes(12).toString('hex')

/** Makes the remote server require a token of the authority. */
export async function startAuthority(remote: Remote): Promise<Authority> {
  const server = await startRemote()
  const codes = new Map<string, Code>()
  const authority: Authority = {
    origin: server.origin,
    seen: server.seen,
    clients: new Map(),
    access: new Set(),
    refresh: new Set(),
    issued: 0,
    approve: (url) => approve(authority, codes, url),
  }
  remote.guard = (seen, response) => guard(authority, remote, seen, response)
  server.guard = (seen, response) => answer(authority, codes, seen, response)
  return authority
}

/** RFC 9728. */
function guard({ access, origin }: Authority, remote: Remote, { path, headers }: Seen, response: ServerResponse) {
  if (path.startsWith('/.well-known/oauth-protected-resource')) {
    const body = { resource: remote.url, authorization_servers: [origin], scopes_supported: ['orders'] }
    return answerJson(response, 200, body)
  }
  if (access.has(headers.authorization?.replace('Bearer ', '') ?? '')) return false
  const metadata = `${remote.origin}/.well-known/oauth-protected-resource/mcp`
  response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` }).end()
  return true
}

function answer(authority: Authority, codes: Map<string, Code>, seen: Seen, response: ServerResponse): true {
  const { origin, clients } = authority
  const { pathname } = new URL(seen.path, origin)
  if (pathname.startsWith('/.well-known/')) {
    return answerJson(response, 200, {
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      jwks_uri: `${origin}/keys`,
      registration_endpoint: `${origin}/register`,
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none', 'client_secret_post', 'client_secret_basic'],
    })
  }
  if (pathname === '/register') {
    const client_id = random()
    clients.set(client_id, JSON.parse(seen.body))
    return answerJson(response, 201, { ...JSON.parse(seen.body), client_id })
  }
  return pathname === '/token' ? answerToken(authority, codes, seen, response) : answerJson(response, 404, {})
}

function answerToken(
  authority: Authority,
  codes: Map<string, Code>,
  { body, headers }: Seen,
  response: ServerResponse,
) {
  const form = new URLSearchParams(body)
  const [basic] = Buffer.from(headers.authorization?.replace('Basic ', '') ?? '', 'base64')
    .toString()
    .split(':')
  const client_id = form.get('client_id') ?? basic ?? ''
  if (!authority.clients.has(client_id)) return answerJson(response, 401, { error: 'invalid_client' })
  if (form.get('grant_type') === 'refresh_token') {
    const isGood = authority.refresh.delete(form.get('refresh_token') ?? '')
    return isGood ? answerJson(response, 200, tokens(authority)) : answerJson(response, 400, { error: 'invalid_grant' })
  }
  const code = codes.get(form.get('code') ?? '')
  codes.delete(form.get('code') ?? '')
  const challenge = createHash('sha256')
    .update(form.get('code_verifier') ?? '')
    .digest('base64url')
  const isGood =
    code !== undefined &&
    code.challenge === challenge &&
    code.client_id === client_id &&
    code.redirect_uri === form.get('redirect_uri') &&
    code.resource === form.get('resource')
  return isGood ? answerJson(response, 200, tokens(authority)) : answerJson(response, 400, { error: 'invalid_grant' })
}

function tokens(authority: Authority) {
  authority.issued += 1
  const { issued } = authority
  const made = { access_token: `access-${issued}-${random()}`, refresh_token: `refresh-${issued}-${random()}` }
  authority.access.add(made.access_token)
  authority.refresh.add(made.refresh_token)
  return { ...made, token_type: 'Bearer', expires_in: 3_600, scope: 'orders' }
}

function approve(authority: Authority, codes: Map<string, Code>, oauth_url: string): { code: string; state: string } {
  const { origin, pathname, searchParams: asked } = new URL(oauth_url)
  assert.equal(origin + pathname, `${authority.origin}/authorize`)
  assert.deepEqual([asked.get('response_type'), asked.get('code_challenge_method')], ['code', 'S256'])
  const client_id = asked.get('client_id') ?? ''
  const redirect_uri = asked.get('redirect_uri') ?? ''
  assert.ok(authority.clients.get(client_id)?.redirect_uris.includes(redirect_uri), 'registered for that address')
  const code = random()
  codes.set(code, { challenge: asked.get('code_challenge')!, client_id, redirect_uri, resource: asked.get('resource') })
  return { code, state: asked.get('state')! }
}
