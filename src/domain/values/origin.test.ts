import assert from 'node:assert/strict'
import { test } from 'node:test'
import { httpOriginOf, isOriginAllowed, mailServerOrigin, parseOrigin } from './origin.ts'

for (const [text, origin] of [
  ['https://Wiki.Example', 'https://wiki.example'],
  ['https://wiki.example:443/', 'https://wiki.example'],
  ['http://wiki.example:443', 'http://wiki.example:443'],
  ['imaps://mail.example:993', 'imaps://mail.example'],
  ['imap://mail.example:443', 'imap://mail.example:443'],
  ['http://0x7f.1:8080', 'http://127.0.0.1:8080'],
  ['https://[::1]:8443', 'https://[::1]:8443'],
  ['https://bücher.example', 'https://xn--bcher-kva.example'],
] as const) {
  test(`${text} is ${origin}`, () => assert.equal(parseOrigin(text), origin))
}

for (const text of [
  ...['', 'wiki.example', 'https://', 'https://a/b', 'https://a?b', 'https://a#b', 'https://u@a', 'https://a\\b'],
  ...[
    'https://*.example',
    'https://a:99999',
    'https://a:b',
    'file:///etc',
    'https://a b',
    `https://${'a'.repeat(400)}`,
  ],
]) {
  test(`"${text.slice(0, 40)}" is not an origin`, () => assert.equal(parseOrigin(text), null))
}

test('the origin of an address is the one that is called', () => {
  assert.equal(httpOriginOf('https://good.example\\@evil.example/x'), 'https://good.example')
  assert.equal(httpOriginOf('https://good.example@evil.example/x'), 'https://evil.example')
  assert.equal(httpOriginOf('ftp://a.example'), null)
  assert.equal(mailServerOrigin('Mail.example', 993, true), 'imaps://mail.example')
  assert.equal(mailServerOrigin('::1', 143, false), 'imap://[::1]')
  for (const host of ['good.example/@evil', 'a@b', 'a:1', 'a#b', ''])
    assert.equal(mailServerOrigin(host, 993, true), null)
})

test('permission for http includes https at the same host, and nothing else', () => {
  assert.ok(isOriginAllowed('https://a.example', ['http://a.example']))
  for (const other of ['http://b.example', 'https://a.example:8443', 'https://x.a.example', 'imaps://a.example']) {
    assert.ok(!isOriginAllowed(other, ['http://a.example']), other)
  }
  assert.ok(!isOriginAllowed('http://a.example', ['https://a.example']))
  assert.ok(!isOriginAllowed('https://a.example', ['http://a.example:8080']))
})
