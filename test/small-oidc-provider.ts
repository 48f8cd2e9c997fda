// A small OpenID provider of our own, of which a test can change every answer. It signs everybody in at once.
import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { after } from 'node:test'
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose'

type Json = Record<string, unknown>
type Answer = { status?: number; headers?: Record<string, string>; body: string | Json } | 'never'

export interface SmallProvider {
  url: string
  /** Added to every ID token, over its own claims. A text replaces the whole token. */
  claims: Json
  /** Changes the ID token after it was signed. */
  forge: (token: string, payload: Json) => string | Promise<string>
  discovery: Json
  /** Replaces the answer of an endpoint. */
  answers: Partial<Record<'discovery' | 'token' | 'jwks' | 'userinfo', () => Answer>>
  userinfo: Json
  /** Requests by path. */
  counts: Record<string, number>
  /** The forms that the token endpoint received. */
  codes: string[]
  /** Signs with a new key, which alone is published from now on. */
  rotate(): Promise<void>
  sign(payload: JWTPayload, header?: Json): Promise<string>
  /** The public key, as anybody can read it. */
  publicKey(): JWK
  /** Signs in, and returns the address to which the browser is sent back. */
  agree(authorizationUrl: string, more?: Json): URL
  /** As before a test. */
  reset(): void
}

interface Grant {
  nonce: string | null
  challenge: string | null
  clientId: string | null
  redirectUri: string | null
  claims: Json
}

export async function startSmallProvider(): Promise<SmallProvider> {
  const grants = new Map<string, Grant>()
  const server = createServer((request, response) => void respond(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`
  let key = await makeKey()

  const it: SmallProvider = {
    ...{ url, claims: {}, discovery: {}, answers: {}, userinfo: {}, counts: {}, codes: [] },
    forge: (token) => token,
    async rotate() {
      key = await makeKey()
    },
    sign: (payload, header = {}) =>
      new SignJWT(payload).setProtectedHeader({ alg: 'RS256', kid: key.kid, ...header }).sign(key.privateKey),
    publicKey: () => key.jwk,
    agree(authorizationUrl, claims = {}) {
      const asked = new URL(authorizationUrl).searchParams
      const code = randomBytes(16).toString('base64url')
      const redirectUri = asked.get('redirect_uri')
      const challenge = asked.get('code_challenge')
      grants.set(code, { nonce: asked.get('nonce'), challenge, clientId: asked.get('client_id'), redirectUri, claims })
      const back = new URL(redirectUri ?? '')
      for (const [name, value] of Object.entries({ code, state: asked.get('state') ?? '', iss: url }))
        back.searchParams.set(name, value)
      return back
    },
    reset() {
      Object.assign(it, { claims: {}, discovery: {}, answers: {}, userinfo: {}, counts: {}, codes: [] })
      it.forge = (token) => token
    },
  }

  const metadata = (): Json => ({
    ...{ issuer: url, authorization_endpoint: `${url}/auth`, token_endpoint: `${url}/token`, jwks_uri: `${url}/jwks` },
    ...{ userinfo_endpoint: `${url}/userinfo`, end_session_endpoint: `${url}/logout` },
    ...{ response_types_supported: ['code'], subject_types_supported: ['public'] },
    ...{ id_token_signing_alg_values_supported: ['RS256', 'ES256', 'none', 'HS256'] },
    authorization_response_iss_parameter_supported: true,
    ...it.discovery,
  })

  async function token(form: URLSearchParams): Promise<Answer> {
    const code = form.get('code') ?? ''
    it.codes.push(code)
    const grant = grants.get(code)
    grants.delete(code)
    const verifier = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    if (grant === undefined || grant.challenge !== verifier || grant.redirectUri !== form.get('redirect_uri'))
      return { status: 400, body: { error: 'invalid_grant', error_description: 'The code is not valid' } }
    const seconds = Math.floor(Date.now() / 1_000)
    const payload: Json = {
      ...{ iss: url, aud: grant.clientId, iat: seconds, exp: seconds + 300, nonce: grant.nonce },
      ...it.claims,
      ...grant.claims,
    }
    const defined = Object.fromEntries(Object.entries(payload).filter(([, value]) => value !== undefined))
    const id_token = await it.forge(await it.sign(defined), defined)
    const access_token = Buffer.from(String(payload.sub)).toString('base64url')
    return { body: { access_token, token_type: 'Bearer', id_token } }
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', url)
    it.counts[pathname] = (it.counts[pathname] ?? 0) + 1
    let text = ''
    for await (const chunk of request) text += chunk
    if (pathname === '/auth') {
      response.writeHead(303, { location: it.agree(`${url}${request.url}`).href }).end()
      return
    }
    if (pathname === '/logout') {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>You are signed out</h1>')
      return
    }
    const answer = await answerTo(pathname, { text, authorization: request.headers.authorization })
    if (answer === 'never') return
    const body = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body)
    response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers }).end(body)
  }

  async function answerTo(
    path: string,
    { text, authorization }: { text: string; authorization: string | undefined },
  ): Promise<Answer> {
    switch (path) {
      case '/.well-known/openid-configuration':
        return it.answers.discovery?.() ?? { body: metadata() }
      case '/jwks':
        return it.answers.jwks?.() ?? { body: { keys: [key.jwk] } }
      case '/token':
        return it.answers.token?.() ?? token(new URLSearchParams(text))
      case '/userinfo': {
        const sub = Buffer.from((authorization ?? '').replace('Bearer ', ''), 'base64url').toString()
        return it.answers.userinfo?.() ?? { body: { sub, ...it.userinfo } }
      }
      default:
        return { status: 404, body: {} }
    }
  }
  return it
}

async function makeKey() {
  const { privateKey, publicKey } = await generateKeyPair('RS256')
  const kid = randomBytes(6).toString('hex')
  return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' } satisfies JWK }
}
