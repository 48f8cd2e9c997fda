import Papa from 'papaparse'
import { chargeBudget, type FormatReader, type ReaderContext } from '../reader.ts'
import { createSectionWriter, joinCells } from '../section-writer.ts'
import { decodeText } from './decode-text.ts'

export const readCsv: FormatReader = (context) => readRows(context, '')
export const readTsv: FormatReader = (context) => readRows(context, '\t')

/** An empty delimiter is detected, because many CSV files use semicolons. */
function readRows(context: ReaderContext, delimiter: string): void {
  const writer = createSectionWriter(context)
  let failure: unknown
  Papa.parse<string[]>(decodeText(context.bytes, [context.charset]), {
    delimiter,
    skipEmptyLines: true,
    step({ data }, parser) {
      try {
        chargeBudget(context.budget, 'cells', data.length)
        const row = joinCells(data)
        if (row !== '') writer.line(row)
      } catch (error) {
        failure = error
        parser.abort()
      }
    },
  })
  if (failure !== undefined) throw failure
  writer.end()
}
