// The pages as files: who gets them, how they are cached, and their security headers.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { PAGES as PAGES_OF_SERVER } from '../../src/api/http/panel.ts'
import { startServer } from '../server.ts'

const built = spawnSync(process.execPath, ['web/build.mjs'], { encoding: 'utf8', timeout: 120_000 })
assert.equal(built.status, 0, built.stderr)
const server = await startServer({ env: { LOG_LEVEL: 'warn' } })
const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const PAGES = [
  '/',
  '/?q=leave',
  '/sign-in',
  '/chat',
  '/chat/7c0e4f6a-0000-4000-8000-000000000000?message=2',
  '/nrf',
  '/nrf/side-panel',
  '/admin',
  '/admin/connectors',
  '/admin/connector/7',
  '/admin/ingestion',
  '/admin/sign-in',
  '/admin/people',
  '/oauth-config/callback?code=x&state=y',
  '/mcp/oauth/callback?code=x&state=y',
]

const get = (path: string, headers: Record<string, string> = HTML) => fetch(server.url + path, { headers })

for (const path of PAGES) {
  test(`${path} is the page for a navigating browser only`, async () => {
    const page = await get(path)
    assert.deepEqual([page.status, page.headers.get('content-type')], [200, 'text/html; charset=utf-8'])
    assert.match(await page.text(), /<div id="root">/)
    const json = await get(path, { accept: 'application/json' })
    // A POST to the same address accepts the parameters that a provider sent back.
    const expected = path.includes('/callback') ? [405, 'METHOD_NOT_ALLOWED'] : [404, 'NOT_FOUND']
    assert.deepEqual([json.status, ((await json.json()) as { error_code: string }).error_code], expected)
  })
}

test('a path that is a page and a route gives browsers the page and clients the answer, and caches learn it', async () => {
  const page = await get('/admin/access?person=ann&document=x')
  assert.deepEqual([page.status, page.headers.get('vary')], [200, 'accept, accept-encoding'])
  const { status, headers } = await get('/admin/access?person=ann&document=x', { accept: 'application/json' })
  assert.deepEqual([status, headers.get('vary')], [401, 'accept'])
  const other = await get('/api/admin/access?person=ann&document=x')
  assert.deepEqual([other.status, other.headers.get('vary')], [401, null])
})

test('the server knows each page of the administration area', () => {
  const names = [...readFileSync('web/src/admin/admin-pages.ts', 'utf8').matchAll(/\bname: '([\w-]+)'/g)].map(
    ([, it]) => it,
  )
  const served = PAGES_OF_SERVER.flatMap((it) => /^\/admin\/([\w-]+)$/.exec(it)?.[1] ?? [])
  assert.ok(names.length > 1)
  assert.deepEqual(names.toSorted(), served.toSorted())
})

test('a chat address with another method is 405 with the allowed methods', async () => {
  const { status, headers } = await get('/chat/send-chat-message', { accept: 'application/json' })
  assert.deepEqual([status, headers.get('allow')], [405, 'POST'])
})

for (const path of [
  '/api/',
  '/api/admin/connectors',
  '/nothing',
  '/admin/nothing',
  '/assets/nothing.js',
  '/index.html',
  '/.stamp',
]) {
  test(`${path} is not found: an HTML page for browsers, JSON for programs`, async () => {
    const page = await get(path)
    assert.deepEqual([page.status, page.headers.get('content-type')], [404, 'text/html; charset=utf-8'])
    assert.deepEqual([page.headers.get('cache-control'), page.headers.get('etag')], ['no-store', null])
    assert.equal(await page.text(), readFileSync('web/dist/index.html', 'utf8'))
    for (const accept of ['application/json', '*/*']) {
      const { status, headers } = await get(path, { accept })
      assert.deepEqual([status, headers.get('content-type')], [404, 'application/json; charset=utf-8'])
    }
    const { status, headers } = await fetch(server.url + path, { method: 'POST', headers: HTML })
    assert.deepEqual([status, headers.get('content-type')], [404, 'application/json; charset=utf-8'])
  })
}

test('a page of the interface stays what it is', async () => {
  assert.equal((await get('/search')).status, 405)
  assert.equal((await get('/me')).status, 401)
})

test('the page loads only from this origin and runs no inline script', async () => {
  const { headers } = await get('/')
  assert.equal(
    headers.get('content-security-policy'),
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  )
  assert.equal(headers.get('x-content-type-options'), 'nosniff')
  assert.equal(headers.get('referrer-policy'), 'no-referrer')
  assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin')
  const text = await (await get('/')).text()
  assert.doesNotMatch(text, /<script(?![^>]*\bsrc="\/)|<style|\bstyle=|\bon\w+=|https?:/)
})

test('framing of the pages is a setting, and API responses are never framed', async () => {
  const FRAME_ANCESTORS = 'chrome-extension://abcdefgh, self'
  const framed = await startServer({ env: { LOG_LEVEL: 'warn', FRAME_ANCESTORS } })
  const policyAt = async (path: string) =>
    (await fetch(framed.url + path, { headers: HTML })).headers.get('content-security-policy') ?? ''
  for (const path of ['/chat', '/nrf', '/nrf/side-panel', '/sign-in']) {
    assert.match(await policyAt(path), /; frame-ancestors chrome-extension:\/\/abcdefgh 'self';/)
  }
  for (const path of ['/version', '/docs']) assert.match(await policyAt(path), /frame-ancestors 'none'/)
})

test('files with a content hash in their name are immutable, others are revalidated', async () => {
  const assets = readdirSync('web/dist/assets').filter((it) => /\.(?:js|css)$/.test(it))
  assert.ok(assets.length > 3)
  for (const name of assets) {
    assert.match(name, /-[\w-]{8}\.\w+$/)
    const { status, headers } = await get(`/assets/${name}`)
    assert.deepEqual([status, headers.get('cache-control')], [200, 'public, max-age=31536000, immutable'])
  }
  for (const path of ['/', '/theme.js', '/favicon.svg']) {
    const { headers } = await get(path)
    assert.equal(headers.get('cache-control'), 'no-cache')
    const again = await get(path, { ...HTML, 'if-none-match': headers.get('etag')! })
    assert.deepEqual([again.status, await again.text()], [304, ''])
  }
})

test('files are compressed as the client accepts', async () => {
  const name = readdirSync('web/dist/assets').find((it) => it.endsWith('.js'))!
  const ask = (encoding: string) => server.api('GET', `/assets/${name}`, undefined, { 'accept-encoding': encoding })
  const encodingOf = async (encoding: string) => (await ask(encoding)).headers['content-encoding']
  assert.equal(await encodingOf('gzip, deflate, br'), 'br')
  assert.equal(await encodingOf('gzip;q=0.5, br;q=0'), 'gzip')
  assert.equal(await encodingOf('identity'), undefined)
  const plain = await (await get(`/assets/${name}`, { 'accept-encoding': 'identity' })).text()
  const folder = 'web/dist/assets'
  assert.equal(brotliDecompressSync(readFileSync(`${folder}/${name}.br`)).toString(), plain)
  assert.equal(gunzipSync(readFileSync(`${folder}/${name}.gz`)).toString(), plain)
})

/** Small files are not compressed. */
const gzipSize = (name: string): number => {
  const path = `web/dist/assets/${name}`
  return statSync(existsSync(`${path}.gz`) ? `${path}.gz` : path).size
}
const assets = () => readdirSync('web/dist/assets').filter((it) => /\.(?:js|css)$/.test(it))

test('the search page loads little', () => {
  const named = [...readFileSync('web/dist/index.html', 'utf8').matchAll(/\/assets\/([\w.-]+)/g)].map(([, it]) => it!)
  // One language is loaded: the longest counts. Each has two files, and the administration's is loaded later.
  const isOfAdministration = (it: string) =>
    /^[^{]{0,20}\{"?admin"?:/.test(readFileSync(`web/dist/assets/${it}`, 'utf8'))
  const ofEveryone = assets().filter((it) => /^(?:en|de)-/.test(it) && !isOfAdministration(it))
  assert.equal(ofEveryone.length, 2)
  const texts = Math.max(...ofEveryone.map(gzipSize))
  const size = named.reduce((sum, it) => sum + gzipSize(it), texts)
  assert.ok(named.length > 1 && size < 250_000, `the first load is ${size} bytes`)
})

test('no file that a page loads on demand is large', () => {
  for (const it of assets()) assert.ok(gzipSize(it) < 110_000, `${it} is ${gzipSize(it)} bytes`)
})
