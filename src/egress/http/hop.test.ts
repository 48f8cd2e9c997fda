import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { EgressError } from '../egress-error.ts'
import { firstHop, hostOf, nextHop, parseUrl } from './hop.ts'

const PIECES =
  'http: https: / // \\ \\\\ @ : # ? ; & = % . .. %40 %2f %5c %23 %00 %2e [ ] [::1] [::ffff:7f00:1] 127.0.0.1 127.1 0x7f.1 2130706433 ① 。 ． ／ ＠ ﹫ ℀ ß ∕ public.example a b 80 443 user:pass 8080'.split(
    ' ',
  )
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(...PIECES, '\t', '\n', '\r', ' ', '\0', '\u200b', '\u00ad'),
      fc.string({ unit: 'binary', maxLength: 2 }),
    ),
    { maxLength: 10 },
  )
  .map((pieces) => pieces.join(''))
const texts = fc
  .tuple(fc.constantFrom('', 'http://', 'https://', 'http:', 'http://public.example'), hostile)
  .map((it) => it.join(''))

/** The authority by RFC 3986, appendix B, as other programs parse the URLs that we log, store and send. */
const authorityOf = (href: string) => /^https?:\/\/([^/?#]*)/.exec(href)?.[1]

const accepted = (text: string, base?: URL): URL | undefined => {
  try {
    return parseUrl(text, base)
  } catch (error) {
    assert.ok(error instanceof EgressError, `${text}: ${error}`)
    return undefined
  }
}

test('a parsed URL keeps its host when it is parsed again', () => {
  let count = 0
  fc.assert(
    fc.property(texts, (text) => {
      const url = accepted(text)
      if (url === undefined) return
      count += 1
      assert.equal(authorityOf(url.href), url.host)
      assert.equal(parseUrl(url.href).href, url.href)
      assert.doesNotMatch(url.host, /[@\\\s%?#/]/)
      assert.equal(hostOf(parseUrl(`http://${url.host}/`)), hostOf(url))
    }),
    { numRuns: 5000 },
  )
  assert.ok(count > 100, `only ${count} of the texts were URLs`)
})

test('a redirect leads to its own address, whatever the previous page was', () => {
  const base = firstHop('http://public.example/a/b?c', {})
  fc.assert(
    fc.property(texts, (location) => {
      let hop: ReturnType<typeof nextHop>
      try {
        hop = nextHop(base, 302, location)
      } catch (error) {
        assert.ok(error instanceof EgressError, `${location}: ${error}`)
        return
      }
      assert.ok(hop)
      assert.equal(authorityOf(hop.url.href), hop.url.host)
      assert.equal(hop.isAsked, hop.url.origin === base.url.origin)
    }),
    { numRuns: 2000 },
  )
})

test('a Location in raw UTF-8 is decoded as UTF-8', () => {
  const location = Buffer.from('/café?q=ü', 'utf8').toString('latin1')
  assert.equal(
    nextHop(firstHop('http://a.example/', {}), 302, location)?.url.href,
    'http://a.example/caf%C3%A9?q=%C3%BC',
  )
})

const turns: [status: number, method: 'GET' | 'HEAD' | 'POST' | 'PUT', then: string, body: string | undefined][] = [
  [301, 'POST', 'GET', undefined],
  [302, 'POST', 'GET', undefined],
  [302, 'PUT', 'PUT', 'x'],
  [303, 'PUT', 'GET', undefined],
  [303, 'HEAD', 'HEAD', undefined],
  [307, 'POST', 'POST', 'x'],
  [308, 'PUT', 'PUT', 'x'],
]
for (const [status, method, then, body] of turns)
  test(`${status} changes ${method} to ${then}`, () => {
    const first = firstHop('http://a.example/', { method, ...(method !== 'HEAD' && { body: 'x' }) })
    const next = nextHop(first, status, '/next')
    assert.deepEqual([next?.method, next?.body], [then, body])
  })

for (const status of [200, 204, 300, 304, 305, 399, 401])
  test(`${status} with a Location is not a redirect`, () => {
    assert.equal(nextHop(firstHop('http://a.example/', {}), status, '/next'), undefined)
  })

for (const text of ['http://u:secret@%/', 'http://%/?token=secret', 'secret@', 'http://u:secret@a.example/'])
  test(`the error does not contain the secret of "${text}"`, () => {
    assert.throws(
      () => parseUrl(text),
      (error) => error instanceof EgressError && !error.message.includes('secret') && !error.host.includes('secret'),
    )
  })
