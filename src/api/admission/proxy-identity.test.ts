import assert from 'node:assert/strict'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { createProxyIdentityReader } from './proxy-identity.ts'

const PROXY = '10.0.0.1'
const headers = { email: 'x-email', name: 'x-name', groups: 'x-groups' }
const reader = createProxyIdentityReader({
  headers,
  trustedProxies: [PROXY, 'fd00::/8'],
  isOwnOrigin: (_, origin) => origin === 'https://search.corp',
})

/** As Node reads them: it joins the values of a repeated header. */
function requestFrom(peer: string, lines: readonly (readonly [string, string])[]): IncomingMessage {
  const request = new IncomingMessage(Object.defineProperty(new Socket(), 'remoteAddress', { value: peer }))
  for (const [name, value] of lines) {
    request.rawHeaders.push(name, value)
    const key = name.toLowerCase()
    request.headers[key] = request.headers[key] === undefined ? value : `${request.headers[key]}, ${value}`
  }
  reader.take(request)
  return request
}
const read = (lines: readonly (readonly [string, string])[], peer = PROXY) => reader.read(requestFrom(peer, lines))
const ADA = ['X-Email', 'ada@example.com'] as const

for (const [peer, isTrusted] of [
  [PROXY, true],
  [`::ffff:${PROXY}`, true],
  ['::ffff:a00:1', true],
  ['fd00::5', true],
  ['10.0.0.2', false],
  ['::ffff:10.0.0.2', false],
  ['::10.0.0.1', false],
  ['127.0.0.1', false],
  ['fe80::1', false],
  ['', false],
] as const) {
  test(`the headers of ${peer || 'a closed connection'} ${isTrusted ? 'count' : 'do not count'}, and are removed`, () => {
    const request = requestFrom(peer, [ADA, ['Accept', '*/*'], ['X-Groups', 'staff']])
    assert.equal(reader.read(request)?.email, isTrusted ? 'ada@example.com' : undefined)
    assert.deepEqual([request.headers, request.rawHeaders], [{ accept: '*/*' }, ['Accept', '*/*']])
  })
}

test('X-Forwarded-For does not decide which headers count', () => {
  assert.equal(read([ADA, ['X-Forwarded-For', PROXY]], '203.0.113.7'), null)
  assert.equal(read([ADA, ['X-Forwarded-For', `203.0.113.7, ${PROXY}`]], '203.0.113.7'), null)
  assert.equal(read([ADA, ['X-Forwarded-For', '203.0.113.7']])?.email, 'ada@example.com')
})

test('a header with underscores names nobody, and is removed', () => {
  const request = requestFrom(PROXY, [
    ['X_Email', 'eve@example.com'],
    ['x-email', 'ada@example.com'],
  ])
  assert.deepEqual([reader.read(request)?.email, request.headers, request.rawHeaders], ['ada@example.com', {}, []])
  assert.equal(read([['X_Email', 'eve@example.com']]), null)
})

for (const [lines, why] of [
  [[ADA, ADA], 'the same address twice'],
  [[ADA, ['x-EMAIL', 'eve@example.com']], 'two addresses'],
  [[['X-Email', 'ada@example.com, eve@example.com']], 'two addresses in one header'],
  [[['X-Email', 'ada']], 'no address'],
  [[['X-Email', '']], 'an empty header'],
  [[['X-Email', '@example.com']], 'no name before the @'],
  [[['X-Email', 'ada@eve@example.com']], 'two @'],
  [[['X-Email', 'ada@example.com\r\nx-email: eve@example.com']], 'a line break'],
  [[['X-Email', `${'a'.repeat(10_000)}@example.com`]], 'a very long address'],
  [[ADA, ['X-Name', 'a'], ['X-Name', 'b']], 'two names'],
  [[ADA, ['X-Name', 'a'.repeat(201)]], 'a very long name'],
  [[ADA, ['X-Groups', 'a'], ['X-Groups', 'b']], 'groups in two headers'],
  [[ADA, ['X-Groups', 'a'.repeat(501)]], 'a very long group'],
  [[ADA, ['X-Groups', Array.from({ length: 201 }, (_, at) => at).join()]], 'very many groups'],
] as const) {
  test(`malformed headers of a proxy are refused: ${why}`, () => {
    assert.throws(() => read(lines), { code: 'INVALID_INPUT', message: /^The header "x-\w+" of the proxy must / })
  })
}

test('names and groups are UTF-8 or Latin-1, and an absent header of groups means none', () => {
  const bytes = (text: string) => Buffer.from(text, 'utf8').toString('latin1')
  const groups = bytes(' Büro, staff ,,staff')
  const ada = { email: 'ada@example.com' }
  assert.deepEqual(read([ADA, ['X-Name', bytes('Zoë Łuc')], ['X-Groups', groups]]), {
    ...{ ...ada, name: 'Zoë Łuc', groups: ['Büro', 'staff'] },
  })
  assert.deepEqual(read([ADA, ['X-Name', 'Zo\u00eb']]), { ...ada, name: 'Zoë', groups: [] })
})

for (const [more, counts] of [
  [['Sec-Fetch-Site', 'same-origin'], true],
  [['Sec-Fetch-Site', 'none'], true],
  [['Sec-Fetch-Site', 'same-site'], false],
  [['Sec-Fetch-Site', 'cross-site'], false],
  [['Origin', 'https://search.corp'], true],
  [['Origin', 'https://evil.example'], false],
  [['Origin', 'null'], false],
] as const) {
  test(`the identity that a proxy adds to a request with ${more.join(': ')} ${counts ? 'counts' : 'does not count'}`, () => {
    assert.equal(read([ADA, more]) !== null, counts)
  })
}
