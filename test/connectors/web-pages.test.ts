// Pages as they are meant: without the navigation of their site, with their own name, time and place.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWithConnectors } from './setup.ts'
import { type Answer, openSite } from './site.ts'

const { ok, pull, ended, runAgain, until } = await startWithConnectors()
const NAMES = Array.from({ length: 24 }, (_, at) => `Topic ${at}`)
const path = (name: string) => `/${name.toLowerCase().replace(' ', '-')}`

/** No element and no class of the page says what its menu and its footer are. */
const pageOf = (name: string, text: string, headers: Answer['headers'] = {}): Answer => ({
  headers,
  body: `<!doctype html><title>${name} – Harbour Handbook</title><table><tr><td>
    ${NAMES.map((it) => `<p><a href="${path(it)}">${it}</a></p>`).join('')}</td></tr></table>
    <p class="breadcrumb"><a href="/">Handbook</a> / <a href="/topics">Topics</a> / ${name}</p>
    <div id="start"><h1>${name}</h1><p>${text}</p></div><h2>More on ${name}</h2><p>Ask the harbour master.</p>
    <p>Harbour Ltd., Pier 4, all rights reserved.</p>`,
})

interface Found {
  semantic_identifier: string
  link: string
  metadata: Record<string, unknown>
  doc_updated_at: string | null
}
const firstFound = (query: string): Promise<Found> =>
  until(async () => {
    const { results } = await ok('POST', '/search', { body: { query, answers_only: false } })
    return results[0]?.semantic_identifier === query && results[0]
  }, `the page ${query}`)
const textOf = async (id: string): Promise<string> =>
  (await ok('GET', `/manage/admin/document/sections?document_id=${encodeURIComponent(id)}`)).items
    .map((it: { text: string }) => it.text)
    .join('\n')

test('the lines that most pages share are no text of a page, also when a later run reads one page', async () => {
  const site = await openSite()
  const lastModified = { 'last-modified': 'Sat, 03 Feb 2024 00:00:00 GMT' }
  site.pages.set('/', pageOf('Start', 'Welcome to the harbour.'))
  for (const [at, name] of NAMES.entries())
    site.pages.set(path(name), pageOf(name, `Berth ${at} is for ferries.`, { etag: `"${at}"`, ...lastModified }))
  const pair = await pull('Harbour', { source: 'web', connector_specific_config: { base_url: site.url } })
  assert.equal((await ended(pair)).total_docs_indexed, 25)
  for (const name of ['Topic 0', 'Topic 23']) {
    const text = await textOf(`${site.url}${path(name)}`)
    assert.match(text, /Berth \d+ is for ferries/)
    assert.doesNotMatch(text, /Topic 7|Pier 4/)
  }
  const { extraction } = await ok(
    'GET',
    `/manage/admin/document?document_id=${encodeURIComponent(`${site.url}/topic-0`)}`,
  )
  assert.deepEqual(
    [extraction.kind, extraction.language, extraction.left_out_lines, extraction.left_out.at(-1)],
    ['html', 'en', 3, 'Harbour Ltd., Pier 4, all rights reserved.'],
  )
  const found = await firstFound('Topic 3')
  assert.deepEqual(found.metadata, { breadcrumb: ['Handbook', 'Topics'] })
  assert.equal(Date.parse(found.doc_updated_at ?? ''), Date.UTC(2024, 1, 3))

  site.pages.set('/topic-3', pageOf('Topic 3', 'Berth 3 is for tugs.', { etag: '"new"', ...lastModified }))
  assert.equal((await runAgain(pair)).status, 'success')
  const changed = await textOf(`${site.url}/topic-3`)
  assert.match(changed, /Berth 3 is for tugs/)
  assert.doesNotMatch(changed, /Topic 7|Pier 4/)
})

test('the page that others link to with the words of the query comes first', async () => {
  const site = await openSite()
  const link = '<a href="/stats"><code>pg_stat_quays</code></a>'
  const page = (title: string, text: string) => ({
    body: `<title>${title}</title><main><h1>${title}</h1><p>${text}</p></main>`,
  })
  site.pages.set('/', page('Start', `<a href="/settings">Settings</a> <a href="/history">History</a>`))
  site.pages.set('/settings', page('Settings', `${link} pg_stat_quays pg_stat_quays pg_stat_quays`))
  site.pages.set('/history', page('History', `The view ${link} counts ships.`))
  site.pages.set(
    '/stats',
    page('Monitoring', 'Among other views there is pg_stat_quays. '.padEnd(600, 'Words follow. ')),
  )
  const pair = await pull('Berths', { source: 'web', connector_specific_config: { base_url: site.url } })
  assert.equal((await ended(pair)).total_docs_indexed, 4)
  const search = async () => {
    const { results } = await ok('POST', '/search', { body: { query: 'pg_stat_quays', explain: true } })
    return results.map((it: { semantic_identifier: string }) => it.semantic_identifier)
  }
  await until(async () => (await search()).length === 3, 'all pages with the name')
  assert.equal((await search())[0], 'Monitoring')

  // Nobody calls it so any more.
  site.pages.set('/settings', page('Settings', '<a href="/stats">Monitoring</a> pg_stat_quays pg_stat_quays'))
  site.pages.set('/history', page('History', 'It counts ships.'))
  assert.equal((await runAgain(pair)).status, 'success')
  await until(async () => (await search())[0] === 'Settings', 'the page with the most words')
})

test('a page to which other pages link rises by the weight of links, and menus do not count', async () => {
  const site = await openSite()
  const to = (name: string) => `<a href="/${name}">More of ${name}</a>`
  const page = (name: string, text: string) => ({
    body: `<title>${name}</title><main><h1>${name}</h1><p>${text}</p></main>`,
  })
  site.pages.set('/', page('Start', ['first', 'second', 'third', 'fourth', 'fifth'].map(to).join(' ')))
  site.pages.set('/first', page('First', `The ropewalk is here. ${to('fifth')}`))
  site.pages.set('/second', page('Second', `The ropewalk is here or it is there. ${to('fifth')}`))
  site.pages.set('/third', page('Third', `${to('second')} ${to('fifth')}`))
  site.pages.set('/fourth', page('Fourth', `${to('second')} ${to('fifth')}`))
  site.pages.set('/fifth', page('Fifth', `${'Other things are said. '.repeat(30)} ropewalk ${to('first')}`))
  const pair = await pull('Links', { source: 'web', connector_specific_config: { base_url: site.url } })
  assert.equal((await ended(pair)).total_docs_indexed, 6)
  const search = async () => {
    const { results } = await ok('POST', '/search', { body: { query: 'ropewalk', explain: true } })
    return results.map((it: { semantic_identifier: string; explanation: { parts: { name: string }[] } }) => [
      it.semantic_identifier,
      it.explanation.parts.some(({ name }) => name === 'linked'),
    ])
  }
  await until(async () => (await search()).length === 3, 'all pages with the word')
  assert.deepEqual((await search())[0], ['First', false])
  await ok('PATCH', '/admin/ranking', { body: { link_weight: 1 } })
  assert.deepEqual(await search(), [
    ['Second', true],
    ['First', true],
    ['Fifth', false],
  ])
  await ok('PATCH', '/admin/ranking', { body: { link_weight: null } })
})
