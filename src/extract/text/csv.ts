import { readCsvRows } from '../../wire/csv-rows.ts'
import { chargeBudget, type FormatReader, type ReaderContext } from '../reader.ts'
import { createSectionWriter, joinCells } from '../section-writer.ts'
import { decodeText } from './decode-text.ts'

export const readCsv: FormatReader = (context) => readRows(context, '')
export const readTsv: FormatReader = (context) => readRows(context, '\t')

function readRows(context: ReaderContext, delimiter: '' | '\t'): void {
  const writer = createSectionWriter(context)
  readCsvRows({ text: decodeText(context.bytes, [context.charset]), delimiter }, (cells) => {
    chargeBudget(context.budget, 'cells', cells.length)
    const row = joinCells(cells)
    if (row !== '') writer.line(row)
  })
  writer.end()
}
