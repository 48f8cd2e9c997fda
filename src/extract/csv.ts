import Papa from 'papaparse'
import { createChapters, rowText } from './chapters.ts'
import { decodeText } from './decode-text.ts'
import { type Reader, type Reading, spend } from './reading.ts'

export const readCsv: Reader = (reading) => readRows(reading, '')
export const readTsv: Reader = (reading) => readRows(reading, '\t')

/** An empty delimiter is guessed: much that is called CSV has semicolons. */
function readRows(reading: Reading, delimiter: string): void {
  const chapters = createChapters(reading)
  let failure: unknown
  Papa.parse<string[]>(decodeText(reading.bytes, [reading.charset]), {
    delimiter,
    skipEmptyLines: true,
    step({ data }, parser) {
      try {
        spend(reading.budget, 'cells', data.length)
        const row = rowText(data)
        if (row !== '') chapters.line(row)
      } catch (error) {
        failure = error
        parser.abort()
      }
    },
  })
  if (failure !== undefined) throw failure
  chapters.end()
}
