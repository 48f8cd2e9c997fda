import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { createClientResolver } from './client-address.ts'

const TRUSTED = ['10.0.0.0/8', '127.0.0.1', 'fd00::/8']
const [CLIENT, NEAR, FAR] = ['203.0.113.7', '10.0.0.1', '10.0.0.2']

const resolve = (
  peer: string | undefined,
  headers: Record<string, string> = {},
  trusted: readonly string[] = TRUSTED,
) => createClientResolver(trusted)({ headers, socket: { remoteAddress: peer } as Socket })

const forwardedFor = (peer: string, value: string) => resolve(peer, { 'x-forwarded-for': value }).address

for (const [peer, list, address, why] of [
  [CLIENT, '198.51.100.1', CLIENT, 'a client cannot name another address'],
  [NEAR, CLIENT, CLIENT, 'a trusted proxy names the client'],
  ['::ffff:10.0.0.1', CLIENT, CLIENT, 'a proxy is recognised by its IPv4-mapped address'],
  ['::FFFF:a00:1', CLIENT, CLIENT, 'a proxy is recognised by its IPv4-mapped address in hexadecimal'],
  ['fd00::1', '2001:DB8::0:7', '2001:db8::7', 'an address has one spelling'],
  [NEAR, `198.51.100.1, ${CLIENT}`, CLIENT, 'items that the client wrote are ignored'],
  [NEAR, `198.51.100.1, ${CLIENT}, ${FAR}`, CLIENT, 'the first address from the right that is no trusted proxy counts'],
  [NEAR, `${FAR}, ${CLIENT}, ${FAR}`, CLIENT, 'the client cannot name a trusted proxy'],
  [NEAR, `127.0.0.1, ${FAR}`, '127.0.0.1', 'if all are trusted, the first of the list is the client'],
  [NEAR, `::ffff:${CLIENT}`, CLIENT, 'a mapped address in the list is one of IPv4'],
  [NEAR, `${CLIENT}:4711`, CLIENT, 'a port is dropped'],
  [NEAR, '[2001:db8::7]:4711', '2001:db8::7', 'a port of IPv6 is dropped'],
  [NEAR, '[2001:db8::7]', '2001:db8::7', 'brackets are dropped'],
  [NEAR, `${CLIENT}, unknown`, NEAR, 'an invalid item ends the list'],
  [NEAR, `198.51.100.1, nonsense, ${FAR}`, FAR, 'an invalid item behind a trusted proxy ends the list'],
  [NEAR, '', NEAR, 'an empty list names no one'],
  [NEAR, ', ,', NEAR, 'empty items name no one'],
  [NEAR, '[::1', NEAR, 'half a bracket is invalid'],
  [NEAR, '203.0.113.7.9', NEAR, 'five numbers are invalid'],
] as const) {
  test(`X-Forwarded-For: ${why} (${list})`, () => assert.equal(forwardedFor(peer, list), address))
}

test('without trusted proxies no header counts, not even from this machine', () => {
  const headers = {
    ...{ 'x-forwarded-for': CLIENT, 'x-forwarded-proto': 'https', 'x-forwarded-host': 'evil.example' },
    host: 'search.corp',
  }
  for (const peer of ['127.0.0.1', NEAR, '::1']) {
    const expected = { address: peer, protocol: 'http', host: 'search.corp', isFromTrustedProxy: false }
    assert.deepEqual(resolve(peer, headers, []), expected)
  }
})

test('a connection that has ended has no address, and is no trusted proxy', () => {
  const client = resolve(undefined, { 'x-forwarded-for': CLIENT }, ['0.0.0.0/0', '::/0'])
  assert.deepEqual([client.address, client.isFromTrustedProxy], ['unknown', false])
})

for (const [value, protocol] of [
  ['https', 'https'],
  ['HTTPS', 'https'],
  ['http', 'http'],
  ['wss', 'http'],
  ['', 'http'],
  ['https, http', 'http'],
  ['http, https', 'https'],
] as const) {
  test(`X-Forwarded-Proto: the value "${value}" of a trusted proxy is ${protocol}`, () => {
    assert.equal(resolve(NEAR, { 'x-forwarded-proto': value }).protocol, protocol)
    assert.equal(resolve(CLIENT, { 'x-forwarded-proto': value }).protocol, 'http')
  })
}

test('X-Forwarded-Proto: behind two proxies the outer one speaks to the client', () => {
  const behind = (proto: string) =>
    resolve(NEAR, { 'x-forwarded-for': `${CLIENT}, ${FAR}`, 'x-forwarded-proto': proto }).protocol
  assert.equal(behind('https, http'), 'https', 'both append')
  assert.equal(behind('https'), 'https', 'the inner one passes it on')
  assert.equal(behind('https, http, http'), 'http', 'the client wrote the first')
})

for (const [value, host] of [
  ['search.corp', 'search.corp'],
  ['Search.Corp:8443', 'search.corp:8443'],
  ['[2001:db8::1]:8443', '[2001:db8::1]:8443'],
  ['evil.example, search.corp', 'search.corp'],
  ['search.corp/path', 'pharos:8080'],
  ['user@search.corp', 'pharos:8080'],
  ['search.corp:99999', 'pharos:8080'],
  ['', 'pharos:8080'],
] as const) {
  test(`X-Forwarded-Host: the value "${value}" of a trusted proxy is ${host}`, () => {
    assert.equal(resolve(NEAR, { host: 'pharos:8080', 'x-forwarded-host': value }).host, host)
    assert.equal(resolve(CLIENT, { host: 'pharos:8080', 'x-forwarded-host': value }).host, 'pharos:8080')
  })
}

for (const host of ['a b', 'a/b', 'user@a', 'a:b', '[::1', 'é', '']) {
  test(`the Host "${host}" is invalid`, () => assert.equal(resolve(CLIENT, { host }).host, null))
}
