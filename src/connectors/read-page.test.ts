import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodePage, readPage } from './read-page.ts'

test('headings make sections with their anchors; what stands round the content is left out', () => {
  const { title, sections } = readPage(`<title> A
    page </title><nav>menu</nav><main><p>Before &amp; first.</p><h2 id="one">One <b>two</b></h2><p>Text</p><ul><li>a</li><li>b</li></ul>
    <h3>Empty</h3></main><footer>imprint</footer><script>alert(1)</script>`)
  assert.equal(title, 'A page')
  assert.deepEqual(sections, [
    { heading: null, text: 'Before & first.', anchor: null },
    { heading: 'One two', text: 'Text\na\nb', anchor: 'one' },
    { heading: 'Empty', text: '', anchor: null },
  ])
})

test('a page whose marked content is the smaller part is read whole, but for what stands round it', () => {
  const text = 'the real content '.repeat(20)
  const { sections } = readPage(`<header>logo</header><main>tiny</main><div>${text}</div>`)
  assert.deepEqual(
    sections.map((it) => it.text),
    [`tiny\n${text.trim()}`],
  )
})

test('links, base, canonical address and what robots are told', () => {
  const page =
    readPage(`<base href="/docs/"><link rel="canonical" href="/real"><meta name="robots" content="noindex, nofollow">
    <a href="a">a</a><a href="b" rel="nofollow">b</a><area href="c"><frame src="d">`)
  assert.deepEqual(
    [page.links, page.base, page.canonical, page.isIndexed, page.isFollowed],
    [['a', 'c', 'd'], '/docs/', '/real', false, false],
  )
})

for (const [bytes, type, text] of [
  [Buffer.from('<p>ä', 'utf8'), 'text/html', '<p>ä'],
  [Buffer.from('<p>ä', 'latin1'), 'text/html; charset=ISO-8859-1', '<p>ä'],
  [Buffer.from('<meta charset="windows-1252">\x80', 'latin1'), 'text/html', '<meta charset="windows-1252">€'],
  [Buffer.from('\uFEFFä', 'utf16le'), 'text/html; charset=utf-8', 'ä'],
  [Buffer.from('ä'), 'text/html; charset=no-such-thing', 'ä'],
] as const) {
  test(`${type} of ${bytes.length} bytes is decoded`, () => assert.equal(decodePage(bytes, type), text))
}

test('a page that is broken in any way is a page', () => {
  for (const html of ['', '<', '<p', '</main></main><p>x', '<h1><h2>x</h1>', '<title>', '\0<p>\0', '<a href>']) {
    assert.ok(Array.isArray(readPage(html).sections))
  }
})
