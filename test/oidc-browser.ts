// A browser that signs in with OpenID Connect: it keeps cookies and follows no redirects.
import assert from 'node:assert/strict'
import type { Reply, Requester } from './api/request.ts'

export interface OidcBrowser {
  /** Leaves for the provider. Returns the address there. */
  leave(provider: string, next?: string): Promise<string>
  /** Comes back from the provider. */
  comeBack(address: URL): Promise<Reply>
  /** A request with the cookies of this browser. */
  ask(method: string, path: string, body?: unknown): Promise<Reply>
  /** Keeps the cookies of an answer. */
  keep(reply: Reply): Reply
  cookies: Map<string, string>
}

export function openOidcBrowser(requester: Requester): OidcBrowser {
  const cookies = new Map<string, string>()
  const keep = (reply: Reply): Reply => {
    for (const line of reply.headers['set-cookie'] ?? []) {
      const [pair = ''] = line.split(';')
      const [name = '', value = ''] = pair.split('=')
      if (/Max-Age=0;/.test(line)) cookies.delete(name)
      else cookies.set(name, value)
    }
    return reply
  }
  const ask = async (method: string, path: string, body?: unknown): Promise<Reply> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { ...(cookie !== '' && { cookie }), 'x-requested-with': 'test' }
    return keep(await requester(method, path, { key: null, headers, ...(body !== undefined && { body }) }))
  }
  return {
    cookies,
    keep,
    ask,
    async leave(provider, next = '/') {
      const query = new URLSearchParams({ provider, next })
      const reply = await ask('GET', `/auth/oidc/authorize?${query}`)
      assert.equal(reply.status, 200, reply.text)
      return reply.body.authorization_url
    },
    comeBack: (address) => ask('GET', `${address.pathname}${address.search}`),
  }
}

/** The failure that the page to sign in shows; null after a sign-in. */
export function failureIn({ status, headers }: Reply): string | null {
  assert.equal(status, 303)
  return new URL(String(headers.location), 'http://here.invalid').searchParams.get('failure')
}
