// Office files of the formats before 2007.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Extraction } from '../../src/extract/extract.ts'
import { doc, IN_TABLE, LIST_ITEM, oldXls, ppt, ROW_END, xls } from './binary-office.ts'
import { extract } from './open-extractor.ts'

const texts = ({ sections }: Extraction) => sections.map(({ heading, anchor, text: it }) => [heading, anchor, it])
const outcome = ({ report }: Extraction) => [report.kind, report.verdict, ...report.warnings.map((it) => it.code)]

test('a DOC file has headings, lists, tables, notes, comments and headers', async () => {
  const found = await extract(
    doc({
      text: 'Before\rFirst steps\rOne\x0bword\rpoint\rName\x07Cost\x07\x07Chair\x0712\x07\x07After\rMine\rend\r',
      footnotes: '\x02 A note below.\r',
      headers: 'Harbour office\rPage \x13PAGE \x14 3\x15\r',
      comments: 'Is it right – now?\r',
      formats: {
        1: { style: 1 },
        3: { properties: LIST_ITEM },
        4: { properties: IN_TABLE },
        5: { properties: IN_TABLE },
        6: { properties: ROW_END },
        7: { properties: IN_TABLE },
        8: { properties: IN_TABLE },
        9: { properties: ROW_END },
        11: { style: 2 },
      },
    }),
    'a.doc',
  )
  assert.deepEqual(texts(found), [
    [null, null, 'Before'],
    ['First steps', 'first-steps', 'One\nword\n- point\nName | Cost\nChair | 12\n\nAfter'],
    ['Mine', 'mine', 'end'],
    ['Footnotes', null, 'A note below.'],
    ['Comments', null, 'Is it right – now?'],
    ['Headers and footers', null, 'Harbour office'],
  ])
  assert.deepEqual(outcome(found), ['doc', 'ok'])
})

test('deleted text and codes of fields are left out of a DOC file, results and captions are kept', async () => {
  const { sections } = await extract(
    doc({
      text: 'keep gone \x13HYPERLINK "http://a"\x14link\x15 \x13MACROBUTTON Go press\x15 \x13REF x\x15end\r',
      deleted: [5, 10],
    }),
    'a.doc',
  )
  assert.deepEqual(
    sections.map((it) => it.text),
    ['keep link press end'],
  )
})

test('files before 2007 have a title, an author and a date', async () => {
  for (const [name, bytes] of [
    ['a.doc', doc({ text: 'x\r' })],
    ['a.xls', xls()],
    ['a.ppt', ppt()],
  ] as const) {
    const { title, metadata } = await extract(bytes, name)
    assert.deepEqual(
      [title, metadata.author, metadata.created],
      ['Harbour plan', 'Adéle', '2001-02-03T04:05:06.000Z'],
      name,
    )
  }
})

test('a DOC file of Word 6 is read in the code page of its language; a row ends after an empty cell', async () => {
  const { sections } = await extract(
    doc({ text: '\xc4\xee\xec\ra\x07b\x07\x07c\x07\x07\rend\r', isOld: true }),
    'a.doc',
  )
  assert.deepEqual(
    sections.map((it) => it.text),
    ['Дом\na | b\nc\n\nend'],
  )
})

test('an XLS file has its sheets, displayed values, comments and headers', async () => {
  const found = await extract(xls(), 'a.xls')
  assert.deepEqual(texts(found), [
    ['Costs', 'sheet=Costs', 'Name | Cost\nChair | 12.5\nLamp | 7 | 50%\n| 2000-01-01\n| total | #DIV/0! | TRUE'],
    ['Costs', 'sheet=Costs', 'Comments:\nB2: cheap'],
    ['Więcej', 'sheet=Wi%C4%99cej', 'Ünü!'],
    ['Headers and footers', null, 'Harbour office'],
  ])
  assert.deepEqual([...outcome(found), found.report.pages], ['xls', 'ok', 2])
})

test('an XLS file can count its dates from 1904, and be of Excel 95', async () => {
  const [macintosh] = (await extract(xls({ uses1904Dates: true }), 'a.xls')).sections
  assert.match(macintosh!.text, /2004-01-02/)
  assert.deepEqual(texts(await extract(oldXls(), 'a.xls')), [['One', 'sheet=One%20', 'Дом']])
})

test('a PPT file has its slides in order as last saved, with tables, notes, comments and footers', async () => {
  const found = await extract(ppt(), 'a.ppt')
  assert.deepEqual(texts(found), [
    [
      'Welcome',
      'slide=1',
      'Point one\nPoint two\nName | Cost\nChair | 12\n\nNotes: Say hello\n\nComments:\nCheck this',
    ],
    ['Last', 'slide=2', 'The end — really'],
    ['Headers and footers', null, 'Harbour office'],
  ])
  assert.deepEqual([...outcome(found), found.report.pages], ['ppt', 'ok', 2])
})

test('encrypted files before 2007 get the verdict `password`', async () => {
  for (const [name, bytes] of [
    ['a.doc', doc({ text: 'secret\r', isEncrypted: true })],
    ['b.doc', doc({ text: 'secret\r', isEncrypted: true, isOld: true })],
    ['a.xls', xls({ isEncrypted: true })],
    ['a.ppt', ppt({ isEncrypted: true })],
  ] as const) {
    const found = await extract(bytes, name)
    assert.deepEqual([name, ...outcome(found).slice(1), found.sections], [name, 'password', 'password', []])
  }
})

test('files before 2007 are read up to the limits of cells, pages, characters and decoded bytes', async () => {
  const cases = [
    [xls(), 'a.xls', { cells: 3 }, 'cells'],
    [ppt(), 'a.ppt', { pages: 1 }, 'pages'],
    [doc({ text: `${'word '.repeat(100)}\r` }), 'a.doc', { characters: 50 }, 'characters'],
    [doc({ text: 'x\r' }), 'a.doc', { decodedBytes: 600 }, 'decodedBytes'],
  ] as const
  for (const [bytes, name, limits, limit] of cases) {
    const { report } = await extract(bytes, name, { limits })
    assert.deepEqual([report.verdict, report.warnings[0]?.detail], ['limit', limit])
  }
})

test('a container whose sectors refer to each other in a circle ends in a verdict', async () => {
  const bytes = Buffer.from(xls())
  const table = (bytes.readInt32LE(76) + 1) * 512
  for (let sector = 0; sector < 128; sector++) bytes.writeInt32LE(sector % 4, table + 4 * sector)
  const { report } = await extract(bytes, 'a.xls')
  assert.notEqual(report.warnings[0]?.detail, 'time')
  assert.ok(['damaged', 'ok', 'unsupported'].includes(report.verdict))
})
