// A browser that signs in with SAML: it keeps cookies, sends them to no post of another site, and follows one redirect.
import assert from 'node:assert/strict'
import type { Reply, Requester } from './api/request.ts'
import { openOidcBrowser } from './oidc-browser.ts'

export interface SamlBrowser {
  /** Leaves for the provider. Returns the address there. */
  leave(provider: string, next?: string): Promise<string>
  /** The provider lets the browser post a response; the browser follows the redirect with its cookies. */
  comeBack(provider: string, xml: string | Buffer, relayState: string | null): Promise<Reply>
  ask(method: string, path: string, body?: unknown): Promise<Reply>
  keep(reply: Reply): Reply
  cookies: Map<string, string>
}

export function openSamlBrowser(requester: Requester): SamlBrowser {
  const { cookies, ask, keep } = openOidcBrowser(requester)
  return {
    cookies,
    keep,
    ask,
    async leave(provider, next = '/') {
      const reply = await ask('GET', `/auth/saml/${provider}/authorize?${new URLSearchParams({ next })}`)
      assert.equal(reply.status, 200, reply.text)
      return reply.body.authorization_url
    },
    async comeBack(provider, xml, relayState) {
      const reply = keep(await postResponse(requester, provider, xml, relayState))
      const path = String(reply.headers.location)
      return path.startsWith(`/auth/saml/${provider}/finish?`) ? ask('GET', path) : reply
    },
  }
}

/** As a browser posts it from another site: without cookies, and with the headers that tell where it comes from. */
export const postResponse = (
  requester: Requester,
  provider: string,
  xml: string | Buffer,
  relayState: string | null,
): Promise<Reply> =>
  requester('POST', `/auth/saml/${provider}/callback`, {
    key: null,
    bytes: new URLSearchParams({
      SAMLResponse: Buffer.from(xml).toString('base64'),
      ...(relayState !== null && { RelayState: relayState }),
    }).toString(),
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      origin: 'https://idp.example',
      'sec-fetch-site': 'cross-site',
    },
  })
