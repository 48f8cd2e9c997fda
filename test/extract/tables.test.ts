// The header of a table in files of each format: marked in the file, or known by the form of its first rows.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findTables } from '../../src/text/tables/find-tables.ts'
import { documentXml, docx, ods, pptx, xlsx } from './office-files.ts'
import { extract } from './open-extractor.ts'

const textOf = async (bytes: string | Buffer, name: string) =>
  (await extract(bytes, name)).sections
    .map((it) => it.text)
    .join('\n')
    .trim()

type Rows = readonly (readonly string[])[]

const PRICES: Rows = [
  ['Item', 'Price', 'Store'],
  ['Lamp', '40', 'Hamburg'],
  ['Bell', '', 'Kiel'],
  ['', '7', ''],
]
const MARKED = '| Item | Price | Store |\nLamp | 40 | Hamburg\nBell |  | Kiel\n| 7'

/** Empty cells are not in the file; null is a row that is not in the file either. */
function sheet(rows: readonly (readonly string[] | null)[]): Buffer {
  const cells = (row: readonly string[], at: number) =>
    row.map((it, column) =>
      it === '' ? '' : `<c r="${'ABCDEFG'[column]}${at + 1}" t="inlineStr"><is><t>${it}</t></is></c>`,
    )
  const lines = rows.map((row, at) => row && `<row r="${at + 1}">${cells(row, at).join('')}</row>`)
  return xlsx(`<worksheet><sheetData>${lines.join('')}</sheetData></worksheet>`)
}

const words = (rows: Rows, header = '') =>
  rows.map((row, at) => {
    const cells = row.map((it) => `<w:tc><w:p><w:r><w:t>${it}</w:t></w:r></w:p></w:tc>`)
    return `<w:tr>${at === 0 ? header : ''}${cells.join('')}</w:tr>`
  })
const word = (rows: Rows, header = '') => docx(documentXml(`<w:tbl>${words(rows, header).join('')}</w:tbl>`))

const slideTable = (rows: Rows, properties: string) => {
  const cells = (row: readonly string[]) =>
    row.map((it) => `<a:tc><a:txBody><a:p><a:r><a:t>${it}</a:t></a:r></a:p></a:txBody></a:tc>`).join('')
  return `<a:tbl><a:tblPr ${properties}/>${rows.map((it) => `<a:tr>${cells(it)}</a:tr>`).join('')}</a:tbl>`
}

const openRow = (cells: readonly string[]) =>
  `<table:table-row>${cells
    .map((it) => `<table:table-cell>${it && `<text:p>${it}</text:p>`}</table:table-cell>`)
    .join('')}<table:table-cell table:number-columns-repeated="1000"/></table:table-row>`
const openTable = (rows: Rows) => `<table:table table:name="T">${rows.map(openRow).join('')}</table:table>`

const htmlTable = (rows: Rows, cell: (at: number) => 'th' | 'td') =>
  `<main><h1>T</h1><table>${rows
    .map((row, at) => `<tr>${row.map((it) => `<${cell(at)}>${it}</${cell(at)}>`).join('')}</tr>`)
    .join('')}</table></main>`

const files: [name: string, bytes: string | Buffer, text: string][] = [
  ['a.csv', PRICES.map((it) => it.join(',')).join('\n'), MARKED],
  ['a.md', `| Item | Price | Store |\n|--|--|--|\n| Lamp | 40 | Hamburg |\n| Bell | | Kiel |\n| | 7 | |`, MARKED],
  ['a.html', htmlTable(PRICES, (at) => (at === 0 ? 'th' : 'td')), MARKED],
  ['thead.html', htmlTable(PRICES, () => 'td').replace(/<tr>.*?<\/tr>/, '<thead>$&</thead>'), MARKED],
  ['a.xlsx', sheet(PRICES), MARKED],
  ['a.ods', ods(openTable(PRICES)), MARKED],
]
for (const [name, bytes, text] of files)
  test(`${name}: the header is marked and empty cells keep their columns`, async () =>
    assert.equal(await textOf(bytes, name), text))

test('a.docx: a header that repeats on each page is marked', async () =>
  assert.ok((await textOf(word(PRICES, '<w:trPr><w:tblHeader/></w:trPr>'), 'a.docx')).startsWith(MARKED)))

test('a.docx: two columns without a header have none', async () => {
  const owner = [
    ['Owner', 'Ann'],
    ['Age', '40'],
    ['Born', '1986'],
    ['Size', '170'],
  ]
  const text = await textOf(word(owner), 'a.docx')
  assert.ok(text.startsWith('Owner | Ann\nAge | 40\n'))
  assert.deepEqual(findTables(text), [])
})

test('a.pptx: the first row has names if the slide shows it so', async () => {
  assert.match(
    await textOf(pptx({}, slideTable(PRICES, 'firstRow="1"')), 'a.pptx'),
    /\| Item \| Price \| Store \|\nLamp/,
  )
  assert.match(await textOf(pptx({}, slideTable(PRICES.slice(0, 2), '')), 'a.pptx'), /\nItem \| Price \| Store\nLamp/)
})

const sheets: [title: string, rows: (readonly string[] | null)[], text: string][] = [
  [
    'titles above the header stay above it',
    [['Prices of 2026'], null, ...PRICES.slice(0, 2)],
    'Prices of 2026\n\n| Item | Price | Store |\nLamp | 40 | Hamburg',
  ],
  [
    'empty columns before a table are left out',
    [
      ['', 'Item', 'Price'],
      ['', 'Lamp', '40'],
    ],
    '| Item | Price |\nLamp | 40',
  ],
  [
    'a first row with values is no header',
    [
      ['Lamp', '40'],
      ['Bell', '7'],
    ],
    'Lamp | 40\nBell | 7',
  ],
  [
    'equal names are no header',
    [
      ['Price', 'Price'],
      ['Lamp', '7'],
    ],
    'Price | Price\nLamp | 7',
  ],
  [
    'years are names beside a word',
    [
      ['Item', '2025', '2026'],
      ['Lamp', '7', '8'],
    ],
    '| Item | 2025 | 2026 |\nLamp | 7 | 8',
  ],
  [
    'a wider row below has columns without names',
    [
      ['Item', 'Price'],
      ['Lamp', '7', 'x'],
    ],
    'Item | Price\nLamp | 7 | x',
  ],
  [
    'a header holds below empty rows',
    [['Item', 'Price'], ['Lamp', '7'], null, ['Bell', '8']],
    '| Item | Price |\nLamp | 7\nBell | 8',
  ],
  [
    'a header ends above another table',
    [['Item', 'Price'], ['Lamp', '7'], null, ['Town', 'Person'], ['Kiel', 'Ann']],
    '| Item | Price |\nLamp | 7\n\nTown | Person\nKiel | Ann',
  ],
  [
    'a row with one cell stays a row',
    [['Item', 'Price'], ['Lamps'], ['Lamp', '7']],
    '| Item | Price |\nLamps |\nLamp | 7',
  ],
]
for (const [title, rows, text] of sheets)
  test(`a sheet: ${title}`, async () => assert.equal(await textOf(sheet(rows), 'a.xlsx'), text))

test('cells that reach over columns and rows of a page keep the others in place', async () => {
  const page =
    '<table><tr><th>Item<th>Low<th>High<tr><td rowspan=2>Lamp<td>1<td>2<tr><td>3<td>4<tr><td colspan=2>Bell<td>5</table>'
  assert.equal(
    await textOf(`<main><h1>T</h1>${page}</main>`, 'a.html'),
    '| Item | Low | High |\nLamp | 1 | 2\n| 3 | 4\nBell |  | 5',
  )
})

test('names at the side of the rows of a page are no header', async () => {
  const text = await textOf('<main><h1>T</h1><table><tr><th>Owner<td>Ann<tr><th>Age<td>40</table></main>', 'a.html')
  assert.equal(text, 'Owner | Ann\nAge | 40')
})

test('each section of a long sheet begins with the header', async () => {
  const rows = Array.from({ length: 9_000 }, (_, at) => `Lamp ${at},${at},Hamburg`)
  const { sections } = await extract(`Item,Price,Store\n${rows.join('\n')}`, 'a.csv')
  assert.ok(sections.length > 2)
  for (const { text } of sections) assert.ok(text.startsWith('| Item | Price | Store |\nLamp '))
})
