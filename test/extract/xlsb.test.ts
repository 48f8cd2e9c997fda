// Binary workbooks (XLSB).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { relationships, xlsx } from './office-files.ts'
import { extract } from './open-extractor.ts'
import { cell, record, rich, row, text, u32, xlsb } from './xlsb-writer.ts'

test('a binary workbook has displayed values, comments and headers', async () => {
  const { report, sections } = await extract(xlsb(), 'a.xlsb')
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
      'xl/embeddings/a.xlsb': xlsb(),
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
