// A site with 2,000 pages among crawler traps.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWithConnectors } from './setup.ts'
import { openSite, pageOf } from './site.ts'

const PAGES = 2_000

test('2,000 pages among crawler traps are read once each, and a second run requests only changes', async () => {
  const { pull, ended, documents, runAgain } = await startWithConnectors()
  const site = await openSite((path) => {
    const { pathname, searchParams } = new URL(path, 'http://x')
    if (pathname === '/calendar') {
      const day = Number(searchParams.get('day') ?? 0)
      return pageOf(`Day ${day}`, `day ${day}`, [`/calendar?day=${day + 1}`, `/calendar?day=${day + 2}`])
    }
    if (pathname.startsWith('/loop')) return pageOf(path, path, [`${pathname}/loop`, `${pathname}/loop/a`])
    if (pathname === '/redirect') return { status: 302, headers: { location: '/redirect' } }
    return undefined
  })
  const pathOf = (at: number) => (at === 0 ? '/' : `/page/${at}`)
  for (let at = 0; at < PAGES; at++) {
    const links = [2 * at + 1, 2 * at + 2].filter((it) => it < PAGES).map(pathOf)
    const traps = at % 100 === 0 ? ['/calendar', '/loop', '/redirect', `/page/${at}?sid=1`, '/gone'] : []
    const head = `<link rel="canonical" href="${pathOf(at)}">`
    const page = pageOf(`Page ${at}`, `the text of page ${at}`, [...links, ...traps], head)
    site.pages.set(pathOf(at), page)
    site.pages.set(`${pathOf(at)}?sid=1`, page)
  }
  const connector = { source: 'web', connector_specific_config: { base_url: site.url }, refresh_freq: null }
  const pair = await pull('Large', connector)
  const { status, error_msg } = await ended(pair)
  assert.match(status, /^(?:success|completed_with_errors)$/, error_msg)
  const read = (await documents(pair)).map((it) => it.slice(site.url.length))
  const wanted = Array.from({ length: PAGES }, (_, at) => pathOf(at))
  assert.deepEqual(read.filter((it) => /^\/(?:page\/\d+)?$/.test(it)).sort(), wanted.sort())
  assert.deepEqual(
    read.filter((it) => !/^\/(?:page\/\d+|calendar.*|loop.*)?$/.test(it)),
    [],
  )
  const asked = site.asked.filter((it) => it.path !== '/robots.txt').map((it) => it.path)
  assert.ok(asked.length < PAGES + 500, `${asked.length} requests`)
  const before = site.sent()
  site.pages.set('/page/7', pageOf('Page 7', 'another text', [pathOf(15), pathOf(16)]))
  assert.equal((await runAgain(pair)).new_docs_indexed, 0)
  assert.ok(site.sent() - before < before * 0.05, `${site.sent() - before} of ${before} bytes`)
})
