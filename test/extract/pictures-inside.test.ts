// Pictures inside Office documents and books, and scanned parts: which bytes come with the text, and where they stand.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Extraction } from '../../src/extract/extract.ts'
import { documentXml, docx, odf, p, pptx, relationships, slide, xlsx } from './office-files.ts'
import { extract } from './open-extractor.ts'
import { pdf } from './pdf-writer.ts'
import { pngHeader, pngOf } from './png-writer.ts'
import { zip } from './zip-writer.ts'

const jpeg = readFileSync(join(import.meta.dirname, 'pictures/harbour-notice.jpg'))
/** Only the header is read when the text is. `seed` makes the content distinct. */
const picture = (width: number, height: number, seed = ''): Buffer =>
  pngOf([
    ['IHDR', pngHeader(width, height)],
    ['tEXt', Buffer.from(`seed\0${seed}`)],
    ['IDAT', Buffer.from('pixels')],
  ])

const shown = (id: string, alternative = '', more = '') =>
  `<w:drawing><wp:docPr descr="${alternative}">${more}</wp:docPr><a:blip r:embed="${id}"/></w:drawing>`
const paragraph = (content: string) => `<w:p><w:r>${content}</w:r></w:p>`

const imagesOf = (...targets: string[]) =>
  relationships(...targets.map((it, at) => [`r${at + 1}`, 'image', it] as [string, string, string]))

const docxWith = (body: string, images: Readonly<Record<string, Buffer>>) =>
  docx(documentXml(body), {
    'word/_rels/document.xml.rels': imagesOf(...Object.keys(images)),
    ...Object.fromEntries(Object.entries(images).map(([name, bytes]) => [`word/${name}`, bytes])),
  })

const placesOf = ({ sections }: Pick<Extraction, 'sections'>) =>
  sections.flatMap(({ picture: it, heading, anchor, text }) =>
    it === undefined ? [] : [[it.name, it.bytes.length, heading, anchor, text]],
  )
const keeping = (bytes: Buffer, name: string) => extract(bytes, name, { keepsPictures: true })

const heading = (text: string) => p(text, '<w:pStyle w:val="berschrift1"/>')

test('a picture of a text document stands behind the text of its section, with its alternative text', async () => {
  const body = [
    heading('Cranes'),
    paragraph(shown('r1', 'The notice at pier 9')),
    p('after'),
    heading('Tugs'),
    p('end'),
  ]
  const found = await keeping(docxWith(body.join(''), { 'media/a.jpg': jpeg }), 'a.docx')
  assert.deepEqual(placesOf(found), [['a.jpg', jpeg.length, 'Cranes', 'cranes', 'The notice at pier 9']])
  assert.deepEqual(
    found.sections.slice(0, 3).map((it) => it.text),
    ['after', 'The notice at pier 9', 'end'],
  )
  assert.deepEqual(Buffer.from(found.sections[1]?.picture?.bytes ?? []), jpeg)
})

test('without a wish for pictures only their alternative text comes', async () => {
  const found = await extract(
    docxWith(paragraph(shown('r1', 'A crane') + shown('r2')), { 'a.jpg': jpeg, 'b.png': picture(200, 90) }),
    'a.docx',
  )
  assert.deepEqual([placesOf(found), found.sections[0]?.text], [[], 'A crane'])
  assert.ok(found.sections.every((it) => it.text !== ''))
})

test('the same content comes once, and small, decorative, repeated, missing and unknown pictures do not come', async () => {
  const images = {
    'one.jpg': jpeg,
    'same.jpg': jpeg,
    'small.png': picture(99, 500, 's'),
    'line.png': picture(500, 49, 'l'),
    'decoration.png': picture(200, 90, 'd'),
    'logo.png': picture(200, 90, 'g'),
    'odd.emf': Buffer.from('not known'),
    'cut.png': picture(200, 90).subarray(0, 20),
  }
  const decoration = '<a:extLst><adec:decorative val="1"/></a:extLst>'
  const logo = shown('r6')
  const body =
    [1, 2, 3, 4, 7, 8, 9].map((it) => shown(`r${it}`)).join('') + shown('r5', '', decoration) + logo.repeat(4)
  const { sections, report } = await keeping(docxWith(paragraph(body), images), 'a.docx')
  assert.deepEqual(
    placesOf({ sections }).map(([name]) => name),
    ['one.jpg'],
  )
  assert.deepEqual([report.verdict, report.warnings], ['ok', []])
})

test('file names and sentences that a program writes are no alternative texts', async () => {
  const texts = ['C:\\pics\\photo.PNG', 'A crane Description automatically generated with medium confidence', '42']
  const images = Object.fromEntries(texts.map((it, at) => [`${at}.png`, picture(200, 90, it)]))
  const found = await keeping(
    docxWith(paragraph(texts.map((it, at) => shown(`r${at + 1}`, it)).join('')), images),
    'a.docx',
  )
  assert.deepEqual(
    placesOf(found).map((it) => it[4]),
    ['', 'A crane', ''],
  )
})

test('a picture of a slide belongs to its slide', async () => {
  const shape = (id: string, alternative = '') =>
    `<p:pic><p:nvPicPr><p:cNvPr id="1" descr="${alternative}"/></p:nvPicPr><p:blipFill><a:blip r:embed="${id}"/></p:blipFill></p:pic>`
  const found = await keeping(
    pptx({
      'ppt/slides/slide1.xml': slide(shape('r1', 'A plan') + shape('r2')),
      'ppt/slides/_rels/slide1.xml.rels': imagesOf('../media/plan.png', '../media/other.png'),
      'ppt/media/plan.png': picture(300, 200, 'plan'),
      'ppt/media/other.png': picture(300, 200, 'other'),
    }),
    'a.pptx',
  )
  const places = placesOf(found).map(([name, , , anchor, text]) => [name, text, /^slide=\d$/.test(String(anchor))])
  assert.deepEqual(places, [
    ['plan.png', 'A plan', true],
    ['other.png', '', true],
  ])
})

test('a picture of a sheet belongs to its sheet', async () => {
  const found = await keeping(
    xlsx('<worksheet><sheetData/></worksheet>', undefined, {
      'xl/worksheets/_rels/sheet1.xml.rels': relationships(['d', 'drawing', '../drawings/drawing1.xml']),
      'xl/drawings/drawing1.xml': '<wsDr><pic><cNvPr descr="A chart of tides"/><blip r:embed="r1"/></pic></wsDr>',
      'xl/drawings/_rels/drawing1.xml.rels': imagesOf('../media/tides.png'),
      'xl/media/tides.png': picture(300, 200),
    }),
    'a.xlsx',
  )
  assert.deepEqual(
    placesOf(found).map(([name, , head, anchor, text]) => [name, head, anchor, text]),
    [['tides.png', 'Costs 2026', 'sheet=Costs%202026', 'A chart of tides']],
  )
})

test('a picture of an OpenDocument file stands in its section, and the name of another frame is text', async () => {
  const frame = (content: string, title: string) =>
    `<text:p>See <draw:frame>${content}<svg:title>${title}</svg:title><svg:desc>today</svg:desc></draw:frame></text:p>`
  const body = `<office:text><text:h text:outline-level="1">Tides</text:h>${frame('<draw:image xlink:href="Pictures/t.png"/>', 'High')}${frame('<draw:object xlink:href="./Object 1"/><draw:image xlink:href="./ObjectReplacements/Object 1"/>', 'A formula')}</office:text>`
  const found = await keeping(odf('text', body, '', { 'Pictures/t.png': picture(300, 200) }), 'a.odt')
  assert.deepEqual(
    placesOf(found).map(([name, , ...rest]) => [name, ...rest]),
    [['t.png', 'Tides', 'tides', 'High today']],
  )
  assert.deepEqual(
    found.sections.map((it) => it.text),
    ['See\nSee A formula today', 'High today'],
  )
})

test('a picture of a book belongs to its chapter', async () => {
  const found = await keeping(
    zip([
      { name: 'mimetype', data: 'application/epub+zip', stored: true },
      { name: 'META-INF/container.xml', data: '<container><rootfile full-path="o/book.opf"/></container>' },
      {
        name: 'o/book.opf',
        data: '<package><manifest><item id="a" href="text/one.xhtml"/></manifest><spine><itemref idref="a"/></spine></package>',
      },
      {
        name: 'o/text/one.xhtml',
        data: '<html><body><h1 id="h">One</h1><p>Words <img src="../i/my%20map.png" alt="a map"/> <img src="http://a.example/b.png"/></p></body></html>',
      },
      { name: 'o/i/my map.png', data: picture(300, 200) },
    ]),
    'a.epub',
  )
  assert.deepEqual(
    placesOf(found).map(([name, , head, anchor]) => [name, head, anchor]),
    [['my map.png', 'One', 'o/text/one.xhtml#h']],
  )
})

test('beyond its limits a file gives its text and a warning, and no more pictures', async () => {
  const images = Object.fromEntries(Array.from({ length: 4 }, (_, at) => [`${at}.png`, picture(200, 90, `${at}`)]))
  const file = docxWith(p('words') + paragraph([1, 2, 3, 4].map((it) => shown(`r${it}`)).join('')), images)
  for (const [limits, count] of [
    [{ pictures: 2 }, 2],
    [{ pictureBytes: picture(200, 90, '0').length * 3 }, 3],
  ] as const) {
    const { sections, report } = await extract(file, 'a.docx', { keepsPictures: true, limits })
    assert.equal(placesOf({ sections }).length, count)
    const [limit] = Object.keys(limits)
    assert.deepEqual([report.verdict, report.warnings], ['ok', [{ code: 'limit_hit', detail: limit }]])
    assert.match(sections[0]?.text ?? '', /words/)
  }
})

test('a picture that unpacks to far more than it says does not end the reading of the text', async () => {
  const bomb = Buffer.concat([picture(200, 90, 'bomb'), Buffer.alloc(70 << 20)])
  const body = p('words') + paragraph(shown('r1'))
  const { sections, report } = await keeping(docxWith(body, { 'a.png': bomb }), 'a.docx')
  assert.deepEqual([placesOf({ sections }), sections[0]?.text, report.verdict], [[], 'words', 'ok'])
})

test('scanned parts and pictures of an archive come with their bytes, at any depth', async () => {
  const scan = pdf([{ image: true }])
  const inner = zip({ 'deep.jpg': jpeg })
  const archive = zip({
    'scan.pdf': scan,
    'words.pdf': pdf([{ text: 'words' }]),
    'sign.png': picture(40, 40),
    'in.zip': inner,
  })
  const { parts, scan: own } = await keeping(archive, 'a.zip')
  const kept = [...parts, ...(parts.at(-1)?.parts ?? [])].map((it) => [it.name, it.scan?.length, it.report.unreadPages])
  assert.deepEqual(kept, [
    ['scan.pdf', scan.length, [0]],
    ['words.pdf', undefined, []],
    ['sign.png', undefined, []],
    ['in.zip', undefined, []],
    ['deep.jpg', jpeg.length, [0]],
  ])
  assert.equal(own, undefined)
  const without = await extract(archive, 'a.zip')
  assert.deepEqual(
    without.parts.map((it) => it.scan),
    [undefined, undefined, undefined, undefined],
  )
})
