// Meta refreshes and warnings about the base URL.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWithConnectors } from './setup.ts'
import { openSite, pageOf, type Site } from './site.ts'

const { ok, pull, ended, documents, runAgain, prune } = await startWithConnectors()
const web = (base_url: string, more: object = {}) => ({
  source: 'web',
  connector_specific_config: { base_url, ...more },
  refresh_freq: null,
  prune_freq: null,
})
const paths = async (pair: number) => (await documents(pair)).map((it) => new URL(it).pathname).sort()
const skipped = async (pair: number): Promise<string[]> =>
  (await ok('GET', `/manage/admin/cc-pair/${pair}/skipped-documents`)).items.map((it: { reason: string }) => it.reason)
const refresh = (content: string, text = 'You are sent on.') =>
  pageOf('Moved', text, [], `<meta http-equiv="refresh" content="${content}">`)
const timesOf = (site: Site, path: string) => site.asked.filter((it) => it.path === path).length

test('a meta refresh within ten seconds is a redirect; slower ones and reloads are read as pages', async () => {
  const site = await openSite()
  site.pages.set('/', pageOf('Home', 'home', ['/moved', '/slow', '/board', '/quoted']))
  site.pages.set('/moved', refresh('0; url=there/'))
  site.pages.set('/there/', pageOf('There', 'what was moved', ['/behind']))
  site.pages.set('/behind', pageOf('Behind', 'behind it'))
  site.pages.set('/slow', refresh('60;url=/later', 'A text for a minute.'))
  site.pages.set('/later', pageOf('Later', 'later'))
  site.pages.set('/board', refresh('5; url=/board', 'A board that loads itself.'))
  site.pages.set('/quoted', refresh("3;URL='/there/'"))
  const pair = await pull('Refreshed', web(site.url))
  const { status, total_docs_indexed } = await ended(pair)
  assert.deepEqual([status, total_docs_indexed], ['success', 6])
  assert.deepEqual(await paths(pair), ['/', '/behind', '/board', '/later', '/slow', '/there/'])
  assert.equal(timesOf(site, '/there/'), 1)
  const again = await runAgain(pair)
  assert.deepEqual([again.status, again.new_docs_indexed, await paths(pair)], ['success', 0, await paths(pair)])
  const { removed, error } = await prune(pair)
  assert.deepEqual([removed, error], [0, null])
})

test('the start page may redirect, in single mode too', async () => {
  const site = await openSite()
  site.pages.set('/', refresh('0; url=/en/latest/'))
  site.pages.set('/en/latest/', pageOf('Manual', 'the manual', ['/en/latest/a']))
  site.pages.set('/en/latest/a', pageOf('A', 'chapter a'))
  const pair = await pull('Led on', web(site.url))
  await ended(pair)
  assert.deepEqual(await paths(pair), ['/en/latest/', '/en/latest/a'])
  const single = await pull('Led on alone', web(site.url, { web_connector_type: 'single' }))
  await ended(single)
  assert.deepEqual(await paths(single), ['/en/latest/'])
})

test('meta refresh targets obey robots.txt, scope, patterns, loop and length limits', async () => {
  const [site, elsewhere] = [await openSite(), await openSite()]
  const links = ['/docs/p', '/docs/out', '/docs/far', '/docs/not', '/docs/circle', '/docs/chain0', '/docs/nofollow']
  site.pages.set('/docs', pageOf('Home', 'home', links))
  site.pages.set('/docs/p', refresh('0; url=/docs/private/x'))
  site.pages.set('/robots.txt', {
    headers: { 'content-type': 'text/plain' },
    body: 'User-agent: *\nDisallow: /docs/private',
  })
  site.pages.set('/docs/out', refresh('0; url=/other'))
  site.pages.set('/docs/far', refresh(`0; url=${elsewhere.url}/docs/x`))
  site.pages.set('/docs/not', refresh('0; url=/docs/excluded'))
  site.pages.set('/docs/circle', refresh('0; url=/docs/circle2'))
  site.pages.set('/docs/circle2', refresh('0; url=/docs/circle'))
  for (let at = 0; at < 9; at++) site.pages.set(`/docs/chain${at}`, refresh(`0; url=/docs/chain${at + 1}`))
  site.pages.set(
    '/docs/nofollow',
    pageOf(
      'Stays',
      'it stays',
      [],
      '<meta name=robots content=nofollow><meta http-equiv=refresh content="0;url=/docs/y">',
    ),
  )
  const pair = await pull('Judged', web(`${site.url}/docs`, { exclude_patterns: ['*/excluded'] }))
  assert.equal((await ended(pair)).status, 'success')
  assert.deepEqual(await paths(pair), ['/docs', '/docs/nofollow'])
  const reasons = [
    'More than 5 meta refreshes follow each other.',
    `It redirects to ${elsewhere.url}/docs/x, which is outside ${site.url}/docs.`,
    `It redirects to ${site.url}/docs/excluded, which the patterns exclude.`,
    `It redirects to ${site.url}/other, which is outside ${site.url}/docs.`,
    `Its meta refreshes form a loop through ${site.url}/docs/circle.`,
    'robots.txt disallows this page.',
  ]
  assert.deepEqual((await skipped(pair)).toSorted(), reasons.toSorted())
  assert.deepEqual(
    [elsewhere.asked.length, timesOf(site, '/docs/private/x'), timesOf(site, '/docs/excluded')],
    [0, 0, 0],
  )
})

test('a base URL that ends in index.html stands for its folder', async () => {
  const site = await openSite()
  site.pages.set('/docs/index.html', pageOf('Home', 'home', ['a.html', '/docs/sub/b.html', '/other.html']))
  site.pages.set('/docs/a.html', pageOf('A', 'chapter a'))
  site.pages.set('/docs/sub/b.html', pageOf('B', 'chapter b'))
  const pair = await pull('Index', web(`${site.url}/docs/index.html`))
  await ended(pair)
  assert.deepEqual(await paths(pair), ['/docs/a.html', '/docs/index.html', '/docs/sub/b.html'])
  assert.deepEqual(await skipped(pair), [])
})

test('preview and run warn if only one page is below the base URL', async () => {
  const site = await openSite()
  site.pages.set('/docs/intro.html', pageOf('Intro', 'an introduction', ['a.html', 'https://example.com/x']))
  site.pages.set('/docs/alone', pageOf('Alone', 'it leads nowhere', ['https://example.com/x']))
  const warning = `Only 1 page is below ${site.url}/docs/intro.html. Did you mean ${site.url}/docs/?`
  const body = { source: 'web', connector_specific_config: { base_url: `${site.url}/docs/intro.html` } }
  const preview = await ok('POST', '/manage/admin/connector/preview', { body })
  assert.deepEqual([preview.documents.length, preview.is_complete, preview.warnings], [1, true, [warning]])
  const pair = await pull('Narrow', web(`${site.url}/docs/intro.html`))
  assert.equal((await ended(pair)).docs_skipped, 1)
  assert.deepEqual(await skipped(pair), [warning])
  for (const more of [{ base_url: `${site.url}/docs/alone` }, { ...body.connector_specific_config, max_depth: 0 }]) {
    const other = { source: 'web', connector_specific_config: more }
    assert.deepEqual((await ok('POST', '/manage/admin/connector/preview', { body: other })).warnings, [])
  }
})
