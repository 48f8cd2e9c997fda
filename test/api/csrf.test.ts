// Writes with the session cookie: those of our own pages and of scripts pass, those of other pages do not.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Server, startServer } from '../server.ts'
import { createRequester } from './request.ts'

const PUBLIC_URL = 'https://search.example'
const launch = (env: Record<string, string> = {}) => startServer({ env: { LOG_LEVEL: 'warn', ...env } })
const [plain, named, proxied] = await Promise.all([
  launch(),
  launch({ PUBLIC_URL }),
  launch({ TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8' }),
])

type Headers = Record<string, string>
const signIn = (server: Server, headers: Headers) =>
  createRequester(server)('POST', '/auth/session', { key: null, body: { api_key: server.key }, headers })

const cookies = new Map<Server, string>()
for (const server of [plain, named, proxied]) {
  cookies.set(server, String((await signIn(server, {})).headers['set-cookie']).split(';', 1)[0]!)
}

/** The statuses of a search with the cookie, and of a sign-in. Both are writes. */
async function writeStatuses(server: Server, headers: Headers): Promise<[search: number, signIn: number]> {
  const withCookie = { cookie: cookies.get(server)!, ...headers }
  const search = await createRequester(server)('POST', '/search', {
    ...{ key: null, headers: withCookie, body: { query: 'x' } },
  })
  const signedIn = await signIn(server, headers)
  for (const { status, body } of [search, signedIn]) if (status === 403) assert.equal(body.error_code, 'CSRF_FAILURE')
  if (signedIn.status === 403) assert.equal(signedIn.headers['set-cookie'], undefined)
  return [search.status, signedIn.status]
}

const own = { 'x-requested-with': 'pharos' }
const called = { ...own, origin: plain.url }
const { host: address } = new URL(plain.url)
const [PASSES, BLOCKED] = [200, 403]
type Case = [who: string, headers: Headers, status: number]

const PLAIN: Case[] = [
  // Scripts.
  ['a script that keeps a cookie', {}, PASSES],
  ['a script with the header of the pages', own, PASSES],
  ['a script at another Host', { host: 'search.corp' }, PASSES],
  ['fetch of Node, which sends Sec-Fetch-Mode', { 'sec-fetch-mode': 'cors' }, BLOCKED],
  ['fetch of Node with the header', { ...own, 'sec-fetch-mode': 'cors' }, PASSES],
  // Our own pages.
  ['our page on plain HTTP, without Sec-Fetch', called, PASSES],
  ['our page at a secure address', { ...called, 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' }, PASSES],
  ['our page in a browser that hides Origin and Referer', { ...own, 'sec-fetch-site': 'same-origin' }, PASSES],
  ['our page in a browser that sends only Referer', { ...own, referer: `${plain.url}/chat?id=1` }, PASSES],
  ['our page at a name', { ...own, host: 'search.corp', origin: 'http://search.corp' }, PASSES],
  ['our page at the default port', { ...own, host: 'search.corp:80', origin: 'http://search.corp' }, PASSES],
  ['our page behind a proxy with TLS that is not listed', { ...own, host: 'a.corp', origin: 'https://a.corp' }, PASSES],
  // Pages of others, with the header or without.
  ['a page without the header', { origin: plain.url, 'sec-fetch-site': 'same-origin' }, BLOCKED],
  ['a form of our own origin', { origin: plain.url }, BLOCKED],
  ['a form of another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }, BLOCKED],
  ['a form of another site, only with Referer', { referer: 'https://evil.example/' }, BLOCKED],
  ['a form with only Sec-Fetch-Dest', { 'sec-fetch-dest': 'document' }, BLOCKED],
  ['a form with only Sec-Fetch-User', { 'sec-fetch-user': '?1' }, BLOCKED],
  ['a page of the same site', { ...called, 'sec-fetch-site': 'same-site' }, BLOCKED],
  ['a page of another site', { ...called, 'sec-fetch-site': 'cross-site' }, BLOCKED],
  ['no page at all', { ...called, 'sec-fetch-site': 'none' }, BLOCKED],
  ['an unknown Sec-Fetch-Site', { ...called, 'sec-fetch-site': 'nonsense' }, BLOCKED],
  ['another origin on plain HTTP', { ...own, origin: 'http://evil.example' }, BLOCKED],
  [
    'another origin that claims same-origin',
    { ...own, origin: 'http://e.example', 'sec-fetch-site': 'same-origin' },
    BLOCKED,
  ],
  ['another port of this machine', { ...own, origin: 'http://127.0.0.1:1' }, BLOCKED],
  ['another name of this machine', { ...own, origin: plain.url.replace('127.0.0.1', 'localhost') }, BLOCKED],
  ['a subdomain', { ...own, host: 'search.corp', origin: 'http://a.search.corp' }, BLOCKED],
  ['a name that begins like ours', { ...own, host: 'search.corp', origin: 'http://search.corp.evil.example' }, BLOCKED],
  ['an opaque origin', { ...own, origin: 'null' }, BLOCKED],
  ['an opaque origin with our Referer', { ...own, origin: 'null', referer: `${plain.url}/` }, BLOCKED],
  ['an empty origin', { ...own, origin: '' }, BLOCKED],
  ['our origin with a path', { ...own, origin: `${plain.url}/` }, BLOCKED],
  ['another Referer', { ...own, referer: 'https://evil.example/' }, BLOCKED],
  ['a Referer that only contains our address', { ...own, referer: `https://evil.example/${plain.url}` }, BLOCKED],
  ['a Referer with our address as user name', { ...own, referer: `http://${address}@evil.example/` }, BLOCKED],
  ['an invalid Referer', { ...own, referer: 'nonsense' }, BLOCKED],
  ['our origin, whatever the Referer', { ...called, referer: 'https://evil.example/' }, PASSES],
  [
    'an origin that agrees with X-Forwarded-Host only',
    { ...own, origin: 'http://e.example', 'x-forwarded-host': 'e.example' },
    BLOCKED,
  ],
]

const NAMED: Case[] = [
  ['a page of PUBLIC_URL behind a proxy that changes Host', { ...own, origin: PUBLIC_URL }, PASSES],
  ['a page of PUBLIC_URL', { ...own, host: 'search.example', origin: PUBLIC_URL }, PASSES],
  ['PUBLIC_URL on plain HTTP', { ...own, host: 'search.example', origin: 'http://search.example' }, BLOCKED],
  ['a page at the address of the service', { ...own, origin: named.url }, PASSES],
  ['a name that leads here by DNS rebinding', { ...own, host: 'evil.example', origin: 'http://evil.example' }, BLOCKED],
  ['only the Referer of such a page', { ...own, host: 'evil.example', referer: 'http://evil.example/' }, BLOCKED],
  ['a script', {}, PASSES],
]

const tls = { ...own, host: 'search.corp', 'x-forwarded-proto': 'https' }
const PROXIED: Case[] = [
  ['our page over TLS', { ...tls, origin: 'https://search.corp' }, PASSES],
  ['our name on plain HTTP', { ...tls, origin: 'http://search.corp' }, BLOCKED],
  [
    'the host that the proxy names',
    { ...tls, host: 'pharos', 'x-forwarded-host': 'a.corp', origin: 'https://a.corp' },
    PASSES,
  ],
  ['the host behind that', { ...tls, host: 'pharos', 'x-forwarded-host': 'a.corp', origin: 'https://pharos' }, BLOCKED],
  ['a script', { host: 'search.corp', 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.7' }, PASSES],
]

for (const [setup, server, cases] of [
  ['', plain, PLAIN],
  ['with PUBLIC_URL ', named, NAMED],
  ['behind a trusted proxy ', proxied, PROXIED],
] as const) {
  for (const [who, headers, status] of cases) {
    test(`${setup}a write ${status === PASSES ? 'passes' : 'is blocked'}: ${who}`, async () => {
      assert.deepEqual(await writeStatuses(server, headers), [status, status])
    })
  }
}

test('another page of the same browser cannot change anything with the cookie', async () => {
  const ask = createRequester(plain)
  const headers = { cookie: cookies.get(plain)!, ...own, origin: 'https://evil.example' }
  for (const [method, path] of [
    ['POST', '/chat/create-chat-session'],
    ['PATCH', '/admin/api-key/1'],
    ['PUT', '/admin/llm/provider'],
    ['DELETE', '/auth/session'],
  ] as const) {
    const { status, body } = await ask(method, path, { key: null, headers, body: {} })
    assert.deepEqual([method, status, body.error_code], [method, 403, 'CSRF_FAILURE'])
  }
  const { status } = await ask('GET', '/me', { key: null, headers: { cookie: cookies.get(plain)! } })
  assert.equal(status, 200, 'the session still exists')
})

test('reading needs no header, because no other origin can read the response', async () => {
  const headers = { cookie: cookies.get(plain)!, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
  const reply = await createRequester(plain)('GET', '/me', { key: null, headers })
  assert.deepEqual([reply.status, reply.headers['access-control-allow-origin']], [200, undefined])
})

test('a key in a header needs no proof of the page, because a browser does not add it by itself', async () => {
  const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
  assert.equal((await createRequester(plain)('POST', '/search', { headers, body: { query: 'x' } })).status, 200)
})

test('another page cannot sign the browser in', async () => {
  for (const headers of [{ origin: 'https://evil.example' }, { ...own, 'sec-fetch-site': 'cross-site' }] as Headers[]) {
    const { status, body, headers: sent } = await signIn(plain, headers)
    assert.deepEqual([status, body.error_code, sent['set-cookie']], [403, 'CSRF_FAILURE', undefined])
  }
})

test('with PUBLIC_URL a page at another name cannot sign in', async () => {
  const { status } = await signIn(named, { ...own, host: 'evil.example', origin: 'http://evil.example' })
  assert.equal(status, 403)
})
