import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseApprovedHost } from './check.ts'

const spellings: [text: string, host: string][] = [
  ['wiki.corp', 'wiki.corp'],
  ['WIKI.Corp.', 'wiki.corp'],
  ['büro.corp', 'xn--bro-hoa.corp'],
  ['10.0.0.1', '10.0.0.1'],
  ['0x0a.1', '10.0.0.1'],
  ['fd00:0::1', 'fd00::1'],
  ['[FD00::1]', 'fd00::1'],
  ['::ffff:10.0.0.1', '10.0.0.1'],
]
for (const [text, host] of spellings)
  test(`"${text}" is approved as ${host}`, () => {
    assert.equal(parseApprovedHost(text), host)
  })

for (const text of [
  '',
  '*',
  '*.corp',
  'a b',
  'a/b',
  'a?b',
  'a#b',
  'user@wiki.corp',
  'wiki.corp:8443',
  'http://wiki.corp',
])
  test(`"${text}" is not a host`, () => {
    assert.throws(() => parseApprovedHost(text), { code: 'EGRESS_REFUSED' })
  })
