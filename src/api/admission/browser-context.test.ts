import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { createBrowserReader, SessionResponse } from './browser-context.ts'

const PROXY = '10.0.0.1'
const PUBLIC_URL = 'https://search.example'

const readerOf = (publicUrl: string | null, listenUrl: string | null = 'http://127.0.0.1:8080') =>
  createBrowserReader({ trustedProxies: [PROXY], publicUrl, listenUrl: () => listenUrl })
const from = (peer: string, headers: Record<string, string>) => ({ headers, socket: { remoteAddress: peer } as Socket })
const STRANGER = '203.0.113.7'

test('a context has the address and the user agent', () => {
  const context = readerOf(null).read(from(PROXY, { 'x-forwarded-for': STRANGER, 'user-agent': 'x'.repeat(600) }))
  assert.equal(context.address, STRANGER)
  assert.equal(context.userAgent, 'x'.repeat(500))
  assert.equal(readerOf(null).read(from(STRANGER, {})).userAgent, null)
})

for (const [publicUrl, peer, headers, serviceUrl, why] of [
  [PUBLIC_URL, PROXY, { host: 'other.corp' }, PUBLIC_URL, 'PUBLIC_URL is always used'],
  [null, STRANGER, { host: 'evil.example' }, 'http://127.0.0.1:8080', 'the Host of a client is not'],
  [
    ...[null, STRANGER, { host: 'evil.example', origin: 'https://evil.example' }, 'http://127.0.0.1:8080'],
    'neither is its Origin',
  ],
  [null, STRANGER, { host: 'localhost:8080' }, 'http://localhost:8080', 'a name of the own machine is'],
  [null, STRANGER, { host: 'localhost.evil.example' }, 'http://127.0.0.1:8080', 'a name that begins like it is not'],
  [null, PROXY, { host: 'search.corp' }, 'http://search.corp', 'the Host of a trusted proxy is'],
  [
    ...[null, PROXY, { host: 'pharos', 'x-forwarded-host': 'search.corp', 'x-forwarded-proto': 'https' }],
    ...['https://search.corp', 'the headers of a trusted proxy are'],
  ],
] as [string | null, string, Record<string, string>, string, string][]) {
  test(`the address for links: ${why} (${JSON.stringify(headers)})`, () => {
    assert.equal(readerOf(publicUrl).read(from(peer, headers)).serviceUrl, serviceUrl)
  })
}

test('a service that listens on every address and has no PUBLIC_URL has no address for links', () => {
  assert.equal(readerOf(null, null).read(from(STRANGER, { host: 'search.corp' })).serviceUrl, null)
})

const HTTPS = { host: 'search.corp', 'x-forwarded-proto': 'https' }
for (const [publicUrl, peer, headers, origin, isOwn, why] of [
  [null, STRANGER, { host: 'search.corp' }, 'http://search.corp', true, 'the address called'],
  [null, STRANGER, { host: 'Search.corp:80' }, 'http://search.corp', true, 'the default port'],
  [null, STRANGER, { host: 'search.corp:443' }, 'https://search.corp', true, 'the default port of https'],
  [null, STRANGER, { host: 'search.corp' }, 'https://search.corp', true, 'https behind a proxy that is not trusted'],
  [null, STRANGER, { host: 'search.corp' }, 'http://search.corp:8080', false, 'another port'],
  [null, STRANGER, { host: 'search.corp' }, 'http://a.search.corp', false, 'a subdomain'],
  [null, STRANGER, { host: 'search.corp' }, 'null', false, 'a sandboxed page'],
  [null, STRANGER, {}, 'null', false, 'a sandboxed page, without Host'],
  [null, STRANGER, { host: '' }, 'http://search.corp', false, 'an invalid Host'],
  [null, STRANGER, { host: 'search.corp' }, 'http://search.corp/', false, 'an origin has no path'],
  [null, STRANGER, { host: 'search.corp' }, 'ftp://search.corp', false, 'another scheme'],
  [null, STRANGER, { host: 'pharos', 'x-forwarded-host': 'a.corp' }, 'http://a.corp', false, 'a claim of the client'],
  [null, PROXY, { host: 'pharos', 'x-forwarded-host': 'a.corp' }, 'http://a.corp', true, 'a claim of a trusted proxy'],
  [null, PROXY, HTTPS, 'https://search.corp', true, 'https by a trusted proxy'],
  [null, PROXY, HTTPS, 'http://search.corp', false, 'plain http, although the service was called over https'],
  [PUBLIC_URL, STRANGER, { host: 'pharos:8080' }, PUBLIC_URL, true, 'PUBLIC_URL behind a proxy that changes Host'],
  [
    PUBLIC_URL,
    STRANGER,
    { host: 'evil.example' },
    'http://evil.example',
    false,
    'a name that leads here by DNS rebinding',
  ],
  [PUBLIC_URL, STRANGER, { host: '127.0.0.1:8080' }, 'http://127.0.0.1:8080', true, 'an address cannot be rebound'],
  [PUBLIC_URL, STRANGER, { host: '[::1]:8080' }, 'http://[::1]:8080', true, 'an address of IPv6 cannot be rebound'],
  [PUBLIC_URL, STRANGER, { host: 'localhost:8080' }, 'http://localhost:8080', true, 'localhost cannot be rebound'],
  [PUBLIC_URL, STRANGER, { host: 'localhost.evil.example' }, 'http://localhost.evil.example', false, 'but other names'],
] as [string | null, string, Record<string, string>, string, boolean, string][]) {
  test(`${origin} is ${isOwn ? 'ours' : 'foreign'}: ${why} (${JSON.stringify(headers)})`, () => {
    assert.equal(readerOf(publicUrl).isOwnOrigin(from(peer, headers), origin), isOwn)
    const { foreignOrigin } = readerOf(publicUrl).read(from(peer, { ...headers, origin }))
    assert.equal(foreignOrigin, isOwn ? null : origin)
  })
}

const [A, B] = ['a'.repeat(43), 'b'.repeat(43)]
for (const [cookie, session, why] of [
  [undefined, undefined, 'there is no cookie'],
  ['', undefined, 'the header is empty'],
  [`pharos_session=${A}`, A, 'our own cookie counts'],
  [`fastapiusersauth=${A}`, A, 'the cookie of the wire counts'],
  [`fastapiusersauth=${A}; pharos_session=${B}`, B, 'our own comes before that of the wire'],
  [`pharos_session=${A}; __Host-pharos_session=${B}; fastapiusersauth=${A}`, B, 'the one with the prefix comes first'],
  [`fastapiusersauth=${A}; pharos_session=nonsense`, undefined, 'an invalid one is not replaced by the next'],
  [`fastapiusersauth=${A}; pharos_session=`, undefined, 'neither is an empty one'],
  [`fastapiusersauth=${A}; pharos_session`, undefined, 'neither is one without a value'],
  [`pharos_session=${A}; __Host-pharos_session=nonsense`, undefined, 'neither is one with the prefix'],
  [`pharos_session=${A}; pharos_session=${B}`, undefined, 'two values decide nothing'],
  [`fastapiusersauth=${A}; fastapiusersauth=${B}`, undefined, 'two values of the wire decide nothing'],
  [`pharos_session=${A}; pharos_session=${A}`, A, 'the same value twice is one'],
  [`Fastapiusersauth=${A}`, undefined, 'names of cookies are case-sensitive'],
  [`fastapiusersauth="${A}"`, undefined, 'quotes belong to the value'],
  [`fastapiusersauth=${A}x`, undefined, 'a longer value is invalid'],
  [`xfastapiusersauth=${A};other=1;;=; pharos_session=${B}`, B, 'other cookies are ignored'],
] as const) {
  test(`the cookie of a session: ${why} (${cookie?.replaceAll(A, 'A').replaceAll(B, 'B')})`, () => {
    assert.equal(readerOf(null).read(from(STRANGER, cookie === undefined ? {} : { cookie })).session, session)
  })
}

/** Browsers ignore a Max-Age that is not a whole number. */
const session = { token: A, maxAgeMs: 60_999 }
const attributes = 'Path=/; HttpOnly; SameSite=Strict'
for (const [isHttps, name, suffix] of [
  [false, 'pharos_session', ''],
  [true, '__Host-pharos_session', '; Secure'],
] as const) {
  const own = `${name}=${A}; Max-Age=60; ${attributes}${suffix}`
  test(`a session opened over ${isHttps ? 'https' : 'http'} sets our cookie, and that of the wire on request`, () => {
    assert.deepEqual(new SessionResponse(null, { isHttps }, session).cookies, [own])
    assert.deepEqual(new SessionResponse(null, { isHttps }, { ...session, withWireCookie: true }).cookies, [
      own,
      `fastapiusersauth=${A}; Max-Age=60; ${attributes}${suffix}`,
    ])
  })

  test(`signing out over ${isHttps ? 'https' : 'http'} clears every cookie of a session`, () => {
    assert.deepEqual(new SessionResponse(null, { isHttps }).cookies, [
      `__Host-pharos_session=; Max-Age=0; ${attributes}; Secure`,
      `pharos_session=; Max-Age=0; ${attributes}${suffix}`,
      `fastapiusersauth=; Max-Age=0; ${attributes}${suffix}`,
    ])
  })
}
