import assert from 'node:assert/strict'
import { test } from 'node:test'
import { displayLink, displayTitle } from './display-text.ts'

test('a title is displayed without bidi controls', () => {
  assert.equal(displayTitle('annual\u202efdp.exe'), 'annualfdp.exe')
  assert.equal(displayTitle('\u2066\u200fשלום\u2069 2026'), 'שלום 2026')
})

for (const link of ['https://good.test@evil.test/', 'https://a:b@evil.test', 'ftp://user@host/']) {
  test(`${link} is not displayed as a link`, () => assert.equal(displayLink(link), null))
}
for (const link of [null, 'https://wiki.test/@ann', 'https://wiki.test/?q=a@b', 'mailto:ann@wiki.test', 'no address']) {
  test(`${link} is unchanged`, () => assert.equal(displayLink(link), link))
}
