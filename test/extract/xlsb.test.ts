// Binary workbooks (XLSB), built record by record.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { relationships, xlsx } from './office-files.ts'
import { extract } from './open-extractor.ts'
import { zip } from './zip-writer.ts'

const sevenBits = (value: number): number[] => (value < 128 ? [value] : [(value % 128) + 128, ...sevenBits(value >> 7)])
const record = (type: number, ...data: readonly Buffer[]): Buffer => {
  const content = Buffer.concat(data)
  return Buffer.concat([Buffer.from([...sevenBits(type), ...sevenBits(content.length)]), content])
}
const u32 = (...values: number[]) => Buffer.from(new Uint32Array(values).buffer)
const text = (value: string) => Buffer.concat([u32(value.length), Buffer.from(value, 'utf16le')])
const rich = (value: string) => Buffer.concat([Buffer.from([0]), text(value)])
const double = (value: number) => Buffer.from(new Float64Array([value]).buffer)
const row = (number: number) => record(0, u32(number))
const cell = (type: number, column: number, value: Buffer, style = 0) => record(type, u32(column, style), value)
const sheetOf = (name: string, id: string) => record(156, u32(0, 1), text(id), text(name))

const COMMENT = Buffer.concat([u32(0, 1, 1, 2, 2), Buffer.alloc(16)])
const SHEET = Buffer.concat([
  row(0),
  cell(7, 0, u32(0)),
  cell(6, 1, text('Cost')),
  cell(62, 2, rich('When')),
  row(1),
  cell(7, 0, u32(1)),
  cell(2, 1, u32((12 << 2) | 2)),
  cell(5, 2, double(46082), 1),
  cell(4, 3, Buffer.from([1])),
  cell(3, 4, Buffer.from([7])),
  record(16, u32(0), double(0.5)),
  row(9),
  cell(8, 0, text('made by a formula')),
  cell(9, 1, double(2.5)),
  cell(10, 2, Buffer.from([0])),
  record(479, Buffer.alloc(2), text('&CHarbour office'), text('Page &P'), ...Array(4).fill(u32(0xffffffff))),
])

const xlsb = (sheet: Buffer, more: Readonly<Record<string, string | Buffer>> = {}): Buffer =>
  zip({
    '[Content_Types].xml': '<Types/>',
    '_rels/.rels': relationships(['rId1', 'officeDocument', 'xl/workbook.bin']),
    'xl/workbook.bin': Buffer.concat([
      record(153, u32(0)),
      sheetOf('Costs', 'rId1'),
      sheetOf('Again', 'rId1'),
      sheetOf('Gone', 'rId2'),
    ]),
    'xl/_rels/workbook.bin.rels': relationships(
      ['rId1', 'worksheet', 'worksheets/sheet1.bin'],
      ['rId2', 'worksheet', 'worksheets/sheet2.bin'],
    ),
    'xl/sharedStrings.bin': Buffer.concat([record(159, u32(2, 2)), record(19, rich('Item')), record(19, rich('Lamp'))]),
    'xl/styles.bin': Buffer.concat([
      record(44, Buffer.from([164, 0]), text('yyyy-mm-dd')),
      record(47, Buffer.from([0, 0, 14, 0])),
      record(617, u32(2)),
      record(47, Buffer.from([0, 0, 0, 0])),
      record(47, Buffer.from([0, 0, 164, 0])),
      record(618),
    ]),
    'xl/worksheets/sheet1.bin': sheet,
    'xl/worksheets/_rels/sheet1.bin.rels': relationships(['rId1', 'comments', '../comments1.bin']),
    'xl/comments1.bin': Buffer.concat([record(635, COMMENT), record(637, rich('Too much'))]),
    ...more,
  })

test('a binary workbook has displayed values, comments and headers', async () => {
  const { report, sections } = await extract(xlsb(SHEET), 'a.xlsb')
  assert.deepEqual(
    [report.kind, report.verdict, report.pages, report.warnings],
    ['xlsb', 'ok', 2, [{ code: 'damaged', detail: 'The sheet "Gone" is missing in the file.' }]],
  )
  assert.deepEqual(
    sections.map((it) => [it.heading, it.anchor, it.text]),
    [
      [
        'Costs',
        'sheet=Costs',
        'Item | Cost | When\nLamp | 12 | 2026-03-01 | TRUE | #DIV/0! | 0.5\n\nmade by a formula | 2.5 | FALSE',
      ],
      ['Costs', 'sheet=Costs', 'Comments:\nC2: Too much'],
      ['Headers and footers', null, 'Harbour office'],
    ],
  )
})

test('a binary workbook inside a workbook is a part of it', async () => {
  const { parts } = await extract(
    xlsx(undefined, undefined, {
      'xl/worksheets/_rels/sheet1.xml.rels': relationships(['rId1', 'package', '../embeddings/a.xlsb']),
      'xl/embeddings/a.xlsb': xlsb(SHEET),
    }),
    'a.xlsx',
  )
  assert.deepEqual(
    parts.map((it) => [it.report.kind, it.sections[0]?.heading]),
    [['xlsb', 'Costs']],
  )
})

test('lengths, columns and numbers of strings that are not in the file are no error', async () => {
  const hostile = Buffer.concat([
    row(0),
    cell(7, 0xffffffff, u32(0xffffffff)),
    cell(6, 1, Buffer.concat([u32(0xfffffff0), Buffer.from('cut', 'utf16le')])),
    cell(5, 2, Buffer.alloc(3)),
    cell(62, 3, Buffer.alloc(0)),
    record(16),
    record(479, Buffer.alloc(1)),
    row(0xffffffff),
    cell(6, 0, text('last')),
    // The record announces 256 MiB.
    Buffer.from([6, 0xff, 0xff, 0xff, 0x7f, 1, 2, 3]),
  ])
  const { report, sections } = await extract(xlsb(hostile), 'a.xlsb')
  assert.deepEqual([report.verdict, sections[0]?.text], ['ok', '| cut\n\nlast'])
})

test('cells and strings of a binary workbook are limited', async () => {
  const many = Buffer.concat([row(0), ...Array.from({ length: 100 }, (_, at) => cell(6, at, text('x')))])
  const verdictOf = async (bytes: Buffer) => {
    const { report } = await extract(bytes, 'a.xlsb', { limits: { cells: 50 } })
    return [report.verdict, report.warnings[0]]
  }
  const expected = ['limit', { code: 'limit_hit', detail: 'cells' }]
  assert.deepEqual(await verdictOf(xlsb(many)), expected)
  const strings = Buffer.concat(Array.from({ length: 100 }, () => record(19, rich('x'))))
  assert.deepEqual(await verdictOf(xlsb(row(0), { 'xl/sharedStrings.bin': strings })), expected)
  assert.deepEqual(await verdictOf(xlsb(Buffer.alloc(20 << 20))), ['limit', { code: 'limit_hit', detail: 'ratio' }])
})
