// A web page says something of itself: its time, its place in the site, its title, and the addresses of its headings.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { extract } from './open-extractor.ts'

const read = (html: string) => extract(`<!doctype html>${html}`, 'page.html')
const datesOf = async (html: string) => {
  const { created, modified } = (await read(html)).metadata
  return { created, modified }
}

test('the time of a page is in its meta elements, its structured data, or its time elements', async () => {
  const day = '2024-02-03T00:00:00.000Z'
  const graph = { '@graph': [{ '@type': 'WebSite' }, { '@type': 'Article', dateModified: '2024-02-03' }] }
  const given = [
    '<meta property="article:modified_time" content="2024-02-03"><time datetime="2023-01-01">',
    `<script type="application/ld+json">${JSON.stringify(graph)}</script>`,
    '<p>Changed <time datetime="2024-02-03">last winter</time>',
    '<time itemprop="dateModified" datetime="2024-02-03"></time><time datetime="2022-01-01"></time>',
    '<p class="updated"><time class="updated">2024-02-03</time>',
  ]
  for (const html of given) assert.deepEqual((await datesOf(html)).modified, day, html)
  assert.deepEqual(await datesOf('<time pubdate datetime="2024-02-03">'), { created: day, modified: null })
  assert.deepEqual(await datesOf('<span itemprop="datePublished" content="2024-02-03">'), {
    created: day,
    modified: null,
  })
})

test('several times without a role, a year, and broken data say nothing', async () => {
  const nothing = { created: null, modified: null }
  for (const html of [
    '<time datetime="2024-02-03"></time><time datetime="2024-02-04"></time>',
    '<time>2024</time>',
    '<time datetime="PT1H">an hour</time>',
    '<time datetime="2024-99-99"></time>',
    '<script type="application/ld+json">{"dateModified": "2024-02-03"</script>',
    '<script type="application/ld+json">[null, 1, {"dateModified": {}, "@graph": 3}]</script>',
    '<script>{"dateModified": "2024-02-03"}</script>',
  ])
    assert.deepEqual(await datesOf(html), nothing, html)
})

test('the breadcrumb is the one that the page shows', async () => {
  const breadcrumbOf = async (html: string) => (await read(html)).page?.breadcrumb
  const parts = ['Home', 'People & culture', 'Leave']
  for (const html of [
    '<nav aria-label="breadcrumb"><ol><li><a href=/>Home</a><li><a href=/p>People &amp; culture</a><li>Leave</ol></nav>',
    '<div class="breadcrumbs"><a href=/>Home</a> » <a href=/p>People &amp; culture</a> » Leave</div>',
    '<ul itemtype="https://schema.org/BreadcrumbList"><li><a><span>Home</span></a><li><a><span>People &amp; culture</span></a><li><span>Leave</span></ul>',
  ])
    assert.deepEqual(await breadcrumbOf(html), parts, html)
  assert.deepEqual(await breadcrumbOf('<body class="breadcrumb"><p>text'), [])
  assert.deepEqual(await breadcrumbOf(`<nav class="breadcrumb">${'<a>x</a>'.repeat(11)}</nav>`), [])
  assert.deepEqual(await breadcrumbOf(`<nav class="breadcrumb">${'x'.repeat(2_000)}</nav>`), [])
})

const linesOf = async (html: string) =>
  (await read(html)).sections.map(({ heading, text }) => [heading, text].filter(Boolean).join(': '))
const content = `<div id="content"><h2>Synopsis</h2><p>${'git add [--verbose] '.repeat(20)}</p></div>`

test('the block with the title before the content is kept', async () => {
  const title = '<div id="header"><h1>git-add(1)</h1><p>git-add - Add file contents to the index</p></div>'
  const [first, second] = await linesOf(`<body>${title}${content}`)
  assert.equal(first, 'git-add(1): git-add - Add file contents to the index')
  assert.match(second ?? '', /^Synopsis: git add/)
})

test('the head of a site is no title of the page', async () => {
  const banner =
    '<div id="header"><h1><a href="/">Example</a></h1><a href="/a">Products</a> <a href="/b">Support</a></div>'
  assert.match((await linesOf(`<body>${banner}${content}`))[0] ?? '', /^Synopsis/)
  const own = '<div id="header"><h1>Handbook</h1></div>'
  const withHeading = content.replaceAll('h2', 'h1')
  assert.match((await linesOf(`<body>${own}${withHeading}`))[0] ?? '', /^Synopsis/)
  const long = `<div id="header"><h1>News</h1><p>${'much text '.repeat(300)}</p></div>`
  assert.match((await linesOf(`<body>${long}${content}`))[0] ?? '', /^Synopsis/)
})

test('a heading has the anchor of the element that begins with it', async () => {
  const anchorsOf = async (html: string) => (await read(`<main>${html}</main>`)).sections.map((it) => it.anchor)
  assert.deepEqual(
    await anchorsOf('<div id="a"><h2>One</h2><p>text</div><div id="b"><div><h2>Two</h2></div><p>text</div>'),
    ['a', 'b'],
  )
  assert.deepEqual(await anchorsOf('<a name="c"></a><h2>Three</h2><p>text'), ['c'])
  assert.deepEqual(await anchorsOf('<div id="d"><p>before</p><h2>Four</h2><p>text</div>'), [null, null])
  assert.deepEqual(await anchorsOf('<div id="e">before <h2>Five</h2><p>text</div>'), [null, null])
  const deep = `<div id="f">${'<div>'.repeat(5)}<h2>Six</h2><p>text`
  assert.deepEqual(await anchorsOf(deep), [null])
})

test('a sign that links to its heading is no part of it, and every other link is', async () => {
  const { sections } = await extract(
    '<!doctype html><main><h1 id="a">Menus<a class="headerlink" href="#a" title="Permalink">¶</a></h1><p>Text.</p>' +
      '<h2><a href="#b" id="b"><svg></svg> # </a>File <a href="#c">menu</a></h2><p>Text, <a href="#a">¶</a>.</p></main>',
    'a.html',
  )
  assert.deepEqual(
    sections.map((it) => [it.heading, it.anchor, it.text]),
    [
      ['Menus', 'a', 'Text.'],
      ['File menu', 'b', 'Text, ¶.'],
    ],
  )
})
