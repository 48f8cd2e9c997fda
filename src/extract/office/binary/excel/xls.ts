// Reads Excel workbooks before 2007 (MS-XLS): displayed values. Formulas are neither evaluated nor indexed.
import { checkDeadline, ReadEnded, type ReaderContext } from '../../../reader.ts'
import { createSectionWriter } from '../../../section-writer.ts'
import { createTableWriter } from '../../../table-writer.ts'
import { createRepeatedLines, writeRepeatedLines } from '../../beside/repeated-lines.ts'
import { sheetAnchor } from '../../xlsx.ts'
import type { CompoundStreams } from '../compound-streams.ts'
import { readSummary } from '../property-set.ts'
import { readXlsSheet, rowOfCells, type XlsSheet } from './xls-sheet.ts'
import { readXlsWorkbook } from './xls-workbook.ts'

/** Excel 97 and newer, then Excel 5 and 95. */
export const XLS_STREAMS = ['Workbook', 'Book'] as const

/** Throws `ReadEnded` if the workbook is encrypted. */
export function readXls(context: ReaderContext, streams: CompoundStreams): void {
  const stream = XLS_STREAMS.map((it) => streams.read(it)).find((it) => it !== undefined)
  if (stream === undefined) throw new ReadEnded('damaged', 'The workbook has no stream of records.')
  const workbook = readXlsWorkbook(context, stream)
  readSummary(context, streams)
  context.facts({ pages: workbook.sheets.length })
  const repeated = createRepeatedLines()
  for (const { name, place } of workbook.sheets) {
    const sheet = readXlsSheet(context, { workbook, stream, place, repeated })
    writeRows(context, name, sheet)
    const comments = sheet.comments.length === 0 ? [] : ['', 'Comments:', ...sheet.comments]
    const text = [...sheet.texts, ...comments].join('\n')
    if (text !== '') context.section({ text, heading: name, anchor: sheetAnchor(name) })
  }
  writeRepeatedLines(context.section, repeated)
}

function writeRows(context: ReaderContext, name: string, { rows }: XlsSheet): void {
  const writer = createSectionWriter(context)
  writer.heading(name, sheetAnchor(name))
  const table = createTableWriter(writer, 'spreadsheet')
  let next = 0
  for (const number of [...rows.keys()].sort((left, right) => left - right)) {
    checkDeadline(context.budget)
    const row = rowOfCells(rows.get(number) ?? [])
    if (number > next) table.gap()
    next = number + 1
    if (row.some((it) => it.trim() !== '')) table.row(row)
    else table.gap()
  }
  table.end()
  writer.end()
}
