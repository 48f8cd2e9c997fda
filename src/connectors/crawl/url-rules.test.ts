import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compilePattern, crawlTrapReason, isBelow, normalizeUrl, parseStartUrl } from './url-rules.ts'

for (const [text, base, expected] of [
  ['/a#part', 'https://x.example/b', 'https://x.example/a'],
  ['/a#!route', 'https://x.example/b', 'https://x.example/a#!route'],
  ['..\\c', 'https://x.example/a/b/', 'https://x.example/a/c'],
  ['https://me:secret@x.example/', undefined, 'https://x.example/'],
  ['mailto:a@x.example', 'https://x.example/', null],
  ['javascript:alert(1)', 'https://x.example/', null],
  ['file:///etc/passwd', undefined, null],
  ['http://[', 'https://x.example/', null],
] as const) {
  test(`"${text}" on a page resolves to ${expected}`, () => assert.equal(normalizeUrl(text, base), expected))
}

for (const [text, expected] of [
  ['x.example', 'https://x.example/'],
  ['x.example:8080/docs', 'https://x.example:8080/docs'],
  [' http://x.example ', 'http://x.example/'],
] as const) {
  test(`a crawl of "${text}" begins at ${expected}`, () => assert.equal(parseStartUrl(text), expected))
}

test('an invalid start URL is an error that names the field', () => {
  for (const text of ['ftp://x.example', 'http://[']) {
    assert.throws(() => parseStartUrl(text), { kind: 'config', field: 'connector_specific_config.base_url' })
  }
})

for (const [base, url, expected] of [
  ['https://x.example/docs', 'https://x.example/docs', true],
  ['https://x.example/docs/', 'http://www.x.example/docs/a', true],
  ['https://x.example/docs', 'https://x.example/docs2', false],
  ['https://x.example/docs', 'https://y.example/docs/a', false],
  ['https://x.example/', 'https://x.example:8443/', false],
  ['https://www.X.example', 'https://x.EXAMPLE/a', true],
] as const) {
  test(`${url} is ${expected ? '' : 'not '}below ${base}`, () => assert.equal(isBelow(base, url), expected))
}

for (const [path, isTrap] of [
  ['/a/b/a/b/a/b', false],
  ['/a/b/a/b/a/b/a/b', true],
  [`/${'s/'.repeat(3)}`, false],
  [`/${Array.from({ length: 41 }, (_, at) => at).join('/')}`, true],
  [`/${'x'.repeat(2_000)}`, true],
] as const) {
  test(`${path.slice(0, 30)} … is ${isTrap ? 'a' : 'no'} crawler trap`, () =>
    assert.equal(crawlTrapReason(`https://x.example${path}`) !== null, isTrap))
}

for (const [pattern, url, fits] of [
  ['https://x.example/a', 'https://x.example/a/b', true],
  ['https://x.example/a', 'https://x.example/b', false],
  ['*/print', 'https://x.example/a/print', true],
  ['*/print', 'https://x.example/a/print/b', false],
  ['*?*sort=*', 'https://x.example/a?x=1&sort=up', true],
  ['https://*.example/*/a*', 'https://x.example/b/abc', true],
  ['ab*ba', 'aba', false],
  ['*', 'anything', true],
  ['', 'anything', true],
] as const) {
  test(`"${pattern}" ${fits ? 'matches' : 'does not match'} ${url}`, () =>
    assert.equal(compilePattern(pattern)(url), fits))
}
