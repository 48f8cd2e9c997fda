// Crawl information of HTML pages.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { extract } from './open-extractor.ts'

test('links are returned as written and with their texts, with the base URL and robots directives', async () => {
  const { page } = await extract(
    '<!doctype html><base href="/b/"><link rel="canonical" href="/c"><meta name="ROBOTS" content="NoIndex, nofollow">' +
      '<nav><a href=" one?a&amp;b "> One <b>and</b>\n two </a></nav><main>text <a href="/two" rel="nofollow ugc">2</a><a>3</a></main><map><area href=four></map>',
    'a.html',
  )
  assert.deepEqual(page, {
    links: [
      { address: 'one?a&b', text: 'One and two' },
      { address: 'four', text: '' },
    ],
    base: '/b/',
    canonical: '/c',
    refresh: null,
    isIndexed: false,
    isFollowed: false,
    breadcrumb: [],
  })
})

test('a page without robots directives may be indexed, and other kinds have no crawl information', async () => {
  const { page } = await extract('<!doctype html><p>x', 'a.html')
  assert.deepEqual(page, {
    links: [],
    base: null,
    canonical: null,
    refresh: null,
    isIndexed: true,
    isFollowed: true,
    breadcrumb: [],
  })
  assert.equal((await extract('# x', 'a.md')).page, null)
})

const REFRESHES = [
  ['0; url=/next', { seconds: 0, url: '/next' }],
  ['5;URL="a b.html" ', { seconds: 5, url: 'a b.html' }],
  ["0,url='x'y", { seconds: 0, url: 'x' }],
  ['3 page.html', { seconds: 3, url: 'page.html' }],
  ['.5; url=x', { seconds: 0, url: 'x' }],
  ['30', null],
  ['30; url=', null],
  ['5x; url=y', null],
  ['url=/next', null],
  ['', null],
] as const
for (const [content, refresh] of REFRESHES)
  test(`refresh ${JSON.stringify(content)} leads to ${refresh?.url ?? 'nothing'}`, async () => {
    const { page } = await extract(
      `<!doctype html><meta http-equiv=Refresh content="${content.replaceAll('"', '&quot;')}">x`,
      'a.html',
    )
    assert.deepEqual(page?.refresh, refresh)
  })

test('a meta refresh inside noscript is ignored', async () => {
  const { page } = await extract(
    '<!doctype html><head><noscript><meta http-equiv=refresh content="0;url=/plain"></noscript></head><p>x',
    'a.html',
  )
  assert.equal(page?.refresh, null)
})

test('a long text is no name of what it links to, and links that contain each other are read in linear time', async () => {
  const long = `<a href=a>${'word '.repeat(30)}</a>`
  const nested = '<a href=b>x<i>'.repeat(4_000)
  const { page } = await extract(`<!doctype html><body>${long}${nested}`, 'a.html')
  assert.deepEqual(
    [page?.links[0], page?.links[1], page?.links.at(-1)],
    [
      { address: 'a', text: '' },
      { address: 'b', text: '' },
      { address: 'b', text: 'x' },
    ],
  )
})
