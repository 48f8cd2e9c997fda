import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeEntities } from '../../web/src/pages/chat/html-entities.ts'
import { escapeInvisible, hostOf, safeHref } from '../../web/src/parts/safe-link.ts'

for (const [text, shown] of [
  ['AT&T &amp; &lt;b&gt; &quot;x&quot;', 'AT&T & <b> "x"'],
  ['&#65;&#x42;&#X43;', 'ABC'],
  ['&amp;lt;', '&lt;'],
  ['&nope; &; &#; &#x; &constructor;', '&nope; &; &#; &#x; &constructor;'],
  ['&#0;&#xD800;&#x110000;', '\ufffd\ufffd\ufffd'],
] as const) {
  test(`"${text}" is shown as "${shown}"`, () => assert.equal(decodeEntities(text), shown))
}

for (const href of [
  'javascript:alert(1)',
  ' javascript:alert(1)',
  'java\nscript:alert(1)',
  'vbscript:x',
  'data:text/html,x',
  'file:///etc/passwd',
  'smb://evil/x',
  '//evil.example',
  '/admin',
  'blob:https://x/y',
  null,
]) {
  test(`${JSON.stringify(href)} is not a safe link`, () => assert.equal(safeHref(href), undefined))
}

for (const [href, host] of [
  ['https://bank.example@evil.example/x', 'evil.example'],
  ['https://аpple.com/', 'xn--pple-43d.com'],
  ['http://x.example:8080/a', 'x.example:8080'],
  ['mailto:a@b.example', 'a@b.example'],
] as const) {
  test(`${href} leads to ${host}`, () => assert.equal(hostOf(href), host))
}

test('invisible characters are escaped in texts that the user approves', () => {
  assert.equal(escapeInvisible('a\u202eb\u200bc\u{e0041}\u001b\nd'), 'a\\u{202e}b\\u{200b}c\\u{e0041}\\u{1b}\nd')
})
