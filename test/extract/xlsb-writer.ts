// Writes binary workbooks (XLSB) record by record.
import { relationships } from './office-files.ts'
import { zip } from './zip-writer.ts'

const sevenBits = (value: number): number[] => (value < 128 ? [value] : [(value % 128) + 128, ...sevenBits(value >> 7)])
export const record = (type: number, ...data: readonly Buffer[]): Buffer => {
  const content = Buffer.concat(data)
  return Buffer.concat([Buffer.from([...sevenBits(type), ...sevenBits(content.length)]), content])
}
export const u32 = (...values: number[]) => Buffer.from(new Uint32Array(values).buffer)
export const text = (value: string) => Buffer.concat([u32(value.length), Buffer.from(value, 'utf16le')])
export const rich = (value: string) => Buffer.concat([Buffer.from([0]), text(value)])
const double = (value: number) => Buffer.from(new Float64Array([value]).buffer)
export const row = (number: number) => record(0, u32(number))
export const cell = (type: number, column: number, value: Buffer, style = 0) => record(type, u32(column, style), value)
const sheetOf = (name: string, id: string) => record(156, u32(0, 1), text(id), text(name))

const COMMENT = Buffer.concat([u32(0, 1, 1, 2, 2), Buffer.alloc(16)])
/** A header, a row with a value of each kind, and the results of formulas. */
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

export const xlsb = (sheet: Buffer = SHEET, more: Readonly<Record<string, string | Buffer>> = {}): Buffer =>
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
