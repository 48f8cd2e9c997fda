// Navigation is removed from pages; lists of links to other pages are kept.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { extract } from './open-extractor.ts'

const textOf = async (body: string, head = '<title>Nuts</title>') => {
  const { sections } = await extract(`<!doctype html><html><head>${head}</head><body>${body}</body></html>`, 'a.html')
  return sections.flatMap(({ heading, text }) => (heading === null ? [text] : [heading, text])).join('\n')
}

/** DocBook markup. */
const header =
  '<div class="navheader"><table><tr><th colspan="3">Nuts</th></tr><tr><td><a href="p.html">Prev</a></td>' +
  '<th>Part II. Fruit</th><td><a href="n.html">Next</a></td></tr></table><hr></div>'
const footer = header.replaceAll('navheader', 'navfooter')
const entries = ['Acorn — of the oak', 'Hazelnut — of the hazel', 'Walnut — of the walnut tree']
const contents = entries
  .map((it, at) => `<dt><a href="nut-${at}.html">${it.split(' — ')[0]}</a> — ${it.split(' — ')[1]}</dt>`)
  .join('')

test('a chapter of section links keeps them and loses the navigation around it', async () => {
  const toc = `<div class="toc"><p><b>Table of Contents</b></p><dl class="toc">${contents}</dl></div>`
  assert.equal(
    await textOf(`${header}<h1>Nuts</h1><p>About nuts.</p>${toc}${footer}`),
    ['Nuts', 'About nuts.', 'Table of Contents', ...entries].join('\n'),
  )
})

test('a table of contents of the page itself is removed', async () => {
  const links = ['<a href="#oak">Oak</a>', '<a href="nuts.html#hazel">Hazel</a>'].map((it) => `<li>${it}</li>`).join('')
  const chapters = '<h2 id="oak">Oak</h2><p>one</p><h2 id="hazel">Hazel</h2><p>two</p>'
  assert.equal(
    await textOf(`<div class="toc"><h2>Contents</h2><ul>${links}</ul></div>${chapters}`),
    'Oak\none\nHazel\ntwo',
  )
})

const BLOCKS = [
  '<p><a href=1>Prev</a> | <a href=2>Up</a> | <a href=3>Home</a> | <a href=4>Next</a></p>',
  '<table><tr><td>[<a href=1>« Zurück</a>]</td><td>[<a href=2>Inhalt</a>]</td><td>[<a href=4>Weiter »</a>]</td></tr></table>',
  '<div><ul><li><a href=1>Précédent</a></li><li><a href=4>Suivant</a></li></ul></div>',
  '<center><a href=1>Anterior</a> <a href=2>Índice</a> <a href=4>Siguiente</a></center>',
  '<p><a href=1>Пред.</a> <a href=2>Начало</a> <a href=4>След.</a></p>',
  '<p><a href=1>前のページ</a> <a href=4>次のページ</a></p>',
  '<p><a href=1><img alt="previous" src=x></a><a href=4><img alt="next" src=x></a></p>',
  // Labels next to the links, as texinfo and latex2html write them.
  '<p>Next: <a href=4>Peas</a>, Previous: <a href=1>Figs</a> [<a href=2>Contents</a>][<a href=3>Index</a>]</p>',
  '<p><a rel="prev" href=1>Figs</a><a rel="next" href=4>Peas</a></p>',
  '<div><span><a href=1>1</a> <a href=2>2</a> <a href=3>3</a> … <a href=4>Next »</a></span></div>',
  // The neighbour's title is below its link.
  '<table><tr><td><a href=1 title="Figs">Prev</a></td><td><a href=4 title="Peas">Next</a></td></tr><tr><td>Figs</td><td>Peas</td></tr></table>',
  '<div class="pagination"><a href=1>Older nuts</a></div>',
  '<div class="main-nav"><a href=1>Products</a> <a href=2>Prices</a></div>',
  '<div role="navigation"><a href=1>Products</a></div>',
]
for (const block of BLOCKS)
  test(`left out: ${block}`, async () => {
    assert.equal(await textOf(`${block}<p>About nuts.</p>${block}`), 'About nuts.')
  })

const CONTENT = [
  ['<ul><li><a href=1>Acorn</a></li><li><a href=2>Next of kin</a></li></ul>', '- Acorn\n- Next of kin'],
  ['<table><tr><td><a href=1>Next</a></td><td>goes to the next page</td></tr></table>', 'Next | goes to the next page'],
  ['<ul><li><a href=1>Home</a></li><li><a href=2>Index</a></li></ul>', '- Home\n- Index'],
  ['<p>See <a href=1>Previous</a> and <a href=2>Next</a>.</p>', 'See Previous and Next.'],
  ['<p><a rel="next" href=4>Peas</a></p>', 'Peas'],
  // Chapters about navigation, and a page whose body class names navigation.
  ['<section id="pagination"><h2>Pagination</h2><p>How it works.</p></section>', 'Pagination\nHow it works.'],
  ['<section id="breadcrumbs"><h2 id="navbar">Navbar</h2><p>In the bar.</p></section>', 'Navbar\nIn the bar.'],
  ['<h2 id="navigation">Navigation</h2><p>By the stars.</p>', 'Navigation\nBy the stars.'],
] as const
for (const [block, text] of CONTENT)
  test(`read: ${block}`, async () => {
    assert.equal(await textOf(`${block}<p>About nuts.</p>`), `${text}\nAbout nuts.`)
  })

test('a page whose body or wrapper has a toc class is read', async () => {
  const { sections } = await extract('<!doctype html><body class="navbar toc"><p>About nuts.</p>', 'a.html')
  assert.equal(sections[0]?.text, 'About nuts.')
  const prose = Array.from({ length: 20 }, (_, at) => `<p>Nut ${at}.</p>`).join('')
  assert.match(await textOf(`<div class="toc">${prose}</div>`), /Nut 19/)
})

test('links in removed blocks are still followed', async () => {
  const { page } = await extract(`<!doctype html><body>${header}<p>x</p>`, 'a.html')
  assert.deepEqual(
    page?.links.map((it) => it.address),
    ['p.html', 'n.html'],
  )
})

test('a hundred thousand navigation blocks are read in linear time', async () => {
  const nested = '<div><a href=1>Next</a>'.repeat(4_000)
  const beside = BLOCKS[0]?.repeat(50_000)
  const { report, sections } = await extract(`<!doctype html><body><p>About nuts.</p>${beside}${nested}`, 'a.html')
  assert.deepEqual([report.verdict, sections[0]?.text], ['ok', 'About nuts.'])
})
