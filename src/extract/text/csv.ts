import { readCsvRows } from '../../wire/csv-rows.ts'
import { chargeBudget, type FormatReader, type ReaderContext } from '../reader.ts'
import { createSectionWriter } from '../section-writer.ts'
import { createTableWriter } from '../table-writer.ts'
import { decodeText } from './decode-text.ts'

export const readCsv: FormatReader = (context) => readRows(context, '')
export const readTsv: FormatReader = (context) => readRows(context, '\t')

function readRows(context: ReaderContext, delimiter: '' | '\t'): void {
  const writer = createSectionWriter(context)
  const table = createTableWriter(writer, 'spreadsheet')
  readCsvRows({ text: decodeText(context.bytes, [context.charset]), delimiter }, (cells) => {
    chargeBudget(context.budget, 'cells', cells.length)
    table.row(cells)
  })
  table.end()
  writer.end()
}
