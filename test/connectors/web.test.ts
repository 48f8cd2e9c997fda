// The web connector against a real HTTP server, through the whole program.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWithConnectors } from './setup.ts'
import { openSite, pageOf } from './site.ts'

const { ok, pull, ended, documents, runAgain, prune, found, refused, detail, until, attempts } =
  await startWithConnectors()
const web = (base_url: string, more: object = {}) => ({
  source: 'web',
  connector_specific_config: { base_url, ...more },
  refresh_freq: null,
  prune_freq: null,
})
const paths = async (pair: number) => (await documents(pair)).map((it) => new URL(it).pathname).sort()

test('a crawl reads the pages below its base URL and makes them searchable', async () => {
  const site = await openSite()
  site.pages.set(
    '/docs',
    pageOf('Handbook', 'welcome', ['/docs/a', '/docs/b#part', '/elsewhere', 'https://example.com/docs/x']),
  )
  site.pages.set('/docs/a', pageOf('Chapter A', 'the zebra crossing', ['/docs', '/docs/deep/er']))
  site.pages.set('/docs/b', pageOf('Chapter B', 'more of it', ['mailto:x@y.z', 'javascript:void(0)', '/docs/gone']))
  site.pages.set('/docs/deep/er', pageOf('Deeper', 'down'))
  site.pages.set('/elsewhere', pageOf('Elsewhere', 'not below'))
  const pair = await pull('Handbook', web(`${site.url}/docs`))
  const attempt = await ended(pair)
  assert.deepEqual(
    [attempt.status, attempt.new_docs_indexed, attempt.error_count],
    ['success', 4, 0],
    JSON.stringify(attempt),
  )
  assert.deepEqual(await paths(pair), ['/docs', '/docs/a', '/docs/b', '/docs/deep/er'])
  assert.deepEqual(await until(async () => (await found('zebra')).length > 0 && found('zebra'), 'zebra'), [
    `${site.url}/docs/a`,
  ])
  const { status, pull: state, last_index_attempt_status } = await detail(pair)
  assert.deepEqual([status, last_index_attempt_status, state.state], ['ACTIVE', 'success', 'resting'])
  assert.equal(state.completeness.source_documents, 4)
})

test('results link to the heading above the passage, in any script', async () => {
  const site = await openSite()
  const main = '<main><p>first</p><h2 id="größe 1">Größe</h2><p>the axolotl</p></main>'
  site.pages.set('/', { body: `<html><head><title>Sizes</title></head><body>${main}</body></html>` })
  await ended(await pull('Anchors', web(site.url)))
  await until(async () => (await found('axolotl')).length > 0, 'axolotl')
  const { results } = await ok('POST', '/search', { body: { query: 'axolotl' } })
  assert.equal(results[0].link, `${site.url}/#gr%C3%B6%C3%9Fe%201`)
})

test('a second run sends ETags and reads only changed pages', async () => {
  const site = await openSite()
  const names = Array.from({ length: 50 }, (_, at) => `/p${at}`)
  const long = 'words and words '.repeat(200)
  site.pages.set('/', pageOf('Home', 'home', names))
  for (const it of names) site.pages.set(it, pageOf(it, `${long} ${it}`))
  const pair = await pull('Changing', web(site.url))
  await ended(pair)
  const before = site.sent()
  site.pages.set('/p7', pageOf('/p7', `${long} quagga`))
  const attempt = await runAgain(pair)
  assert.deepEqual([attempt.total_docs_indexed, attempt.new_docs_indexed], [51, 0])
  assert.ok(site.sent() - before < before * 0.05, `${site.sent() - before} of ${before} bytes were read again`)
  assert.deepEqual(await until(async () => (await found('quagga')).length > 0 && found('quagga'), 'quagga'), [
    `${site.url}/p7`,
  ])
})

test('crawler traps end: repeated paths, endless queries, session ids, depth', async () => {
  const site = await openSite((path) => {
    const { pathname, searchParams } = new URL(path, 'http://x')
    if (pathname.startsWith('/loop')) return pageOf(path, `loop ${path}`, [`${pathname}/loop`])
    if (pathname === '/calendar') {
      const month = Number(searchParams.get('month') ?? 0)
      return pageOf(`Month ${month}`, `month ${month}`, [`/calendar?month=${month + 1}`])
    }
    if (pathname === '/session') {
      const link = `/session?sid=${searchParams.get('sid') ?? ''}1`
      return pageOf('Same', 'the same text', [link], '<link rel="canonical" href="/session">')
    }
    if (pathname.startsWith('/depth/')) {
      const depth = Number(pathname.split('/').at(-1))
      return pageOf(`Depth ${depth}`, `at ${depth}`, [`/depth/${depth + 1}`])
    }
    return undefined
  })
  site.pages.set('/', pageOf('Home', 'home', ['/loop', '/calendar', '/session', '/depth/1']))
  const pair = await pull('Traps', web(site.url))
  const { status, total_docs_indexed } = await ended(pair)
  assert.equal(status, 'success')
  const read = await documents(pair)
  const count = (text: string) => read.filter((it) => it.includes(text)).length
  assert.deepEqual([count('/loop'), count('/depth/'), count('/session')], [3, 32, 1])
  assert.ok(count('/calendar') <= 200 && count('/calendar') >= 30)
  assert.ok(total_docs_indexed < 300 && site.asked.length < 400, `${site.asked.length} requests`)
})

test('robots.txt, noindex, canonical links and duplicates are respected', async () => {
  const site = await openSite()
  site.pages.set('/robots.txt', {
    headers: { 'content-type': 'text/plain' },
    body: 'User-agent: *\nDisallow: /private',
  })
  const links = ['/private/x', '/noindex', '/print', '/copy', '/real']
  site.pages.set('/', pageOf('Home', 'home', links))
  site.pages.set('/private/x', pageOf('Private', 'secret'))
  site.pages.set('/noindex', pageOf('No', 'not me', ['/behind'], '<meta name="robots" content="noindex">'))
  site.pages.set('/behind', pageOf('Behind', 'behind'))
  site.pages.set('/print', pageOf('Print', 'the print', [], '<link rel="canonical" href="/real">'))
  site.pages.set('/real', pageOf('Real', 'the real one'))
  site.pages.set('/copy', pageOf('Real', 'the real one'))
  const pair = await pull('Polite', web(site.url))
  assert.equal((await ended(pair)).status, 'success')
  const read = await paths(pair)
  assert.deepEqual(
    read.filter((it) => !['/copy', '/real'].includes(it)),
    ['/', '/behind'],
  )
  assert.equal(read.filter((it) => ['/copy', '/real'].includes(it)).length, 1)
  assert.ok(site.asked.every((it) => it.path !== '/private/x'))
  const again = await runAgain(pair)
  assert.deepEqual([again.status, await paths(pair)], ['success', read])
})

test('a failing page is an error with its link that a targeted retry resolves', async () => {
  const site = await openSite()
  site.pages.set('/', pageOf('Home', 'home', ['/good', '/bad']))
  site.pages.set('/good', pageOf('Good', 'good'))
  site.pages.set('/bad', { status: 403, body: 'no' })
  const pair = await pull('Faulty', web(site.url))
  assert.equal((await ended(pair)).status, 'completed_with_errors')
  const errors = () => ok('GET', `/manage/admin/cc-pair/${pair}/errors`)
  const { items, total_items } = await errors()
  assert.deepEqual(
    [total_items, items[0].document_id, items[0].document_link, items[0].error_type, items[0].failure_message],
    [1, `${site.url}/bad`, `${site.url}/bad`, 'fetch', 'The page returned HTTP 403.'],
  )
  site.pages.set('/bad', pageOf('Better', 'better now'))
  await ok('POST', '/manage/admin/indexing/targeted-reindex', { body: { error_ids: [items[0].id] } })
  const attempt = await ended(pair, 2)
  assert.deepEqual([attempt.status, attempt.total_docs_indexed], ['success', 1])
  assert.equal((await errors()).total_items, 0)
  assert.deepEqual(await paths(pair), ['/', '/bad', '/good'])
})

test('deleted pages are pruned, and a large difference waits for confirmation', async () => {
  const site = await openSite()
  const names = Array.from({ length: 40 }, (_, at) => `/p${at}`)
  const set = (kept: readonly string[]) => {
    site.pages.clear()
    site.pages.set('/', pageOf('Home', `home ${kept.length}`, names))
    for (const it of kept) site.pages.set(it, pageOf(it, `text of ${it}`))
  }
  set(names)
  const pair = await pull('Pruned', web(site.url))
  await ended(pair)
  set(names.slice(2))
  site.pages.set('/p0', { status: 410 })
  const small = await prune(pair)
  assert.deepEqual([small.state, small.removed, small.error], ['none', 2, null])
  assert.equal((await documents(pair)).length, 39)
  assert.ok((await ok('GET', `/manage/admin/cc-pair/${pair}/last_pruned`)) !== null)

  set(names.slice(20))
  const held = await prune(pair)
  assert.deepEqual([held.state, held.to_delete, held.documents.length], ['held', 18, 18])
  assert.equal((await documents(pair)).length, 39)
  assert.equal((await prune(pair, { confirm: false })).state, 'none')
  await refused('POST', `/manage/admin/cc-pair/${pair}/prune`, { confirm: true }, 409)
  await prune(pair)
  assert.deepEqual((await prune(pair, { confirm: true })).removed, 18)
  assert.equal((await documents(pair)).length, 21)
  set(names)
  await runAgain(pair)
  assert.equal((await documents(pair)).length, 41, 'a page that comes back is read again')
})

test('an incomplete listing deletes nothing', async () => {
  const site = await openSite()
  const names = ['/a', '/b', '/c']
  site.pages.set('/', pageOf('Home', 'home', names))
  for (const it of names) site.pages.set(it, pageOf(it, `text of ${it}`, [`${it}/child`]))
  for (const it of names) site.pages.set(`${it}/child`, pageOf(`${it} child`, `child of ${it}`))
  const pair = await pull('Broken', web(site.url, { max_pages: 8 }))
  await ended(pair)
  site.pages.set('/', pageOf('Home', 'home now', [...names, '/d', '/e', '/f']))
  for (const it of ['/d', '/e', '/f']) site.pages.set(it, pageOf(it, it))
  const { state, error } = await prune(pair)
  assert.equal(state, 'none')
  assert.match(error, /max_pages/)
  assert.equal((await documents(pair)).length, 7)
})

test('a pushed document is neither overwritten nor pruned', async () => {
  const site = await openSite()
  site.pages.set('/', pageOf('Home', 'home', ['/page']))
  site.pages.set('/page', pageOf('Page', 'the original'))
  const pair = await pull('Edited', web(site.url))
  await ended(pair)
  const edited = {
    id: `${site.url}/page`,
    semantic_identifier: 'Edited',
    sections: [{ text: 'an okapi' }],
    source: 'web',
    metadata: {},
  }
  await ok('POST', '/service-api/ingestion', { body: { document: edited, cc_pair_id: pair } })
  const extra = { ...edited, id: 'supplement', sections: [{ text: 'a supplement' }] }
  await ok('POST', '/service-api/ingestion', { body: { document: extra, cc_pair_id: pair } })
  site.pages.set('/page', pageOf('Page', 'a newer original'))
  await runAgain(pair, { from_beginning: true })
  assert.deepEqual(await until(async () => (await found('okapi')).length > 0 && found('okapi'), 'okapi'), [
    `${site.url}/page`,
  ])
  site.pages.delete('/page')
  assert.equal((await prune(pair)).removed, 0)
  assert.ok((await documents(pair)).includes('supplement'))
})

test('a sitemap and a single page', async () => {
  const site = await openSite()
  const xml = (body: string) => ({ headers: { 'content-type': 'application/xml' }, body })
  site.pages.set('/sitemap.xml', xml(`<sitemapindex><sitemap><loc>${site.url}/s1.xml</loc></sitemap></sitemapindex>`))
  site.pages.set(
    '/s1.xml',
    xml(`<urlset><url><loc>${site.url}/a</loc></url><url><loc>${site.url}/b</loc></url></urlset>`),
  )
  for (const it of ['/a', '/b', '/c']) site.pages.set(it, pageOf(it, `text of ${it}`, ['/c']))
  const mapped = await pull('Mapped', web(site.url, { web_connector_type: 'sitemap' }))
  assert.equal((await ended(mapped)).status, 'success')
  assert.deepEqual(await paths(mapped), ['/a', '/b'])
  const single = await pull('Single', web(`${site.url}/c`, { web_connector_type: 'single' }))
  await ended(single)
  assert.deepEqual(await paths(single), ['/c'])
})

test("a failed validation reports the source's response and leaves no pair", async () => {
  const site = await openSite()
  const make = async (name: string, base_url: string) => {
    const body = { name, input_type: 'poll', access_type: 'public', ...web(base_url) }
    const { id } = await ok('POST', '/manage/admin/connector', { body })
    return `/manage/admin/connector/${id}/credential/0`
  }
  const missing = await refused('PUT', await make('Missing page', `${site.url}/nowhere`), {}, 400)
  assert.deepEqual(missing, {
    error_code: 'INVALID_INPUT',
    detail: `Connector validation error: connector_specific_config.base_url: Page not found for ${site.url}/nowhere (HTTP 404).`,
  })
  const closed = await refused('PUT', await make('Closed port', 'http://127.0.0.1:1/'), {}, 400)
  assert.match(closed.detail, /There is no connection to 127\.0\.0\.1 on port 1/)
  const listed = await ok('GET', '/manage/admin/connector/status')
  assert.ok(listed.every((it: { name: string }) => !['Missing page', 'Closed port'].includes(it.name)))
})

test('an invalid config is a 422 at its field', async () => {
  const body = { name: 'Wrong', input_type: 'poll', access_type: 'public', ...web('x') }
  const wrong = { ...body, connector_specific_config: { base_url: '', max_depth: 'deep' } }
  const { detail } = await refused('POST', '/manage/admin/connector', wrong, 422)
  assert.deepEqual(
    detail.map((it: { loc: string[] }) => it.loc),
    [
      ['body', 'connector_specific_config', 'base_url'],
      ['body', 'connector_specific_config', 'max_depth'],
    ],
  )
})

test('a preview shows documents and skipped items and stores nothing', async () => {
  const site = await openSite()
  site.pages.set('/', pageOf('Home', 'home', ['/a', '/b']))
  site.pages.set('/a', pageOf('A', 'first', [], '<meta name="robots" content="noindex">'))
  site.pages.set('/b', { status: 500, body: 'oh' })
  const body = { source: 'web', connector_specific_config: { base_url: site.url } }
  const preview = await ok('POST', '/manage/admin/connector/preview', { body })
  assert.deepEqual(
    preview.documents.map((it: { semantic_identifier: string }) => it.semantic_identifier),
    ['Home'],
  )
  assert.deepEqual(preview.skipped, [
    { document_id: `${site.url}/a`, link: `${site.url}/a`, reason: 'The page is marked noindex.' },
  ])
  assert.match(preview.failures[0].message, /500/)
  assert.deepEqual(await found('home'), await found('home'))
})

test('a test names the servers that it called, and what is wrong', async () => {
  const site = await openSite()
  site.pages.set('/docs', pageOf('Home', 'home'))
  const ask = (base_url: string) =>
    ok('POST', '/manage/admin/connector/test', { body: { source: 'web', connector_specific_config: { base_url } } })
  const { duration_ms, ...works } = await ask(`${site.url}/docs`)
  assert.deepEqual(works, {
    problem: null,
    servers: [{ origin: site.url, requests: 2, status: 200 }],
    documents: null,
  })
  assert.ok(Number.isInteger(duration_ms) && duration_ms >= 0)
  const gone = await ask(`${site.url}/gone`)
  assert.deepEqual(
    [gone.problem.kind, gone.problem.field, gone.problem.status],
    ['config', 'connector_specific_config.base_url', 404],
  )
  assert.deepEqual(gone.servers, [{ origin: site.url, requests: 2, status: 404 }])
  const unknown = await ask('http://no-such-host.invalid/')
  assert.equal(unknown.problem.kind, 'unresolved')
  assert.deepEqual(unknown.servers[0].status, null)
  const refusedOne = { source: 'web', connector_specific_config: { base_url: 'http://10.1.2.3/' } }
  const { detail } = await refused('POST', '/manage/admin/connector/test', refusedOne, 422)
  assert.deepEqual(detail[0].loc, ['body', 'connector_specific_config', 'base_url'])
  const pushed = { source: 'slack', connector_specific_config: {} }
  assert.equal((await refused('POST', '/manage/admin/connector/test', pushed, 400)).error_code, 'NOT_RUNNABLE')
})

test('a pause stops the run, and the next run resumes', async () => {
  const names = Array.from({ length: 300 }, (_, at) => `/p${at}`)
  const site = await openSite()
  site.pages.set('/', pageOf('Home', 'home', names))
  let served = 0
  for (const it of names)
    site.pages.set(it, () => {
      served += 1
      return served < 120 || isOpen ? pageOf(it, `text of ${it}`) : { status: 503, headers: { 'retry-after': '1' } }
    })
  let isOpen = false
  const pair = await pull('Paused', web(site.url))
  await until(async () => served >= 120, 'the middle of the crawl')
  await ok('PUT', `/manage/admin/cc-pair/${pair}/status`, { body: { status: 'PAUSED' } })
  const [canceled] = await attempts(pair)
  assert.equal(canceled!.status, 'canceled')
  assert.deepEqual((await detail(pair)).status, 'PAUSED')
  isOpen = true
  const before = site.asked.filter((it) => it.status === 200).map((it) => it.path)
  await ok('PUT', `/manage/admin/cc-pair/${pair}/status`, { body: { status: 'ACTIVE' } })
  assert.equal((await ended(pair, 2)).status, 'success')
  assert.equal((await documents(pair)).length, 301)
  const twice = site.asked.slice(before.length).filter((it) => it.status === 200 && before.includes(it.path))
  assert.ok(twice.length <= 40, `${twice.length} pages were read twice`)
})
