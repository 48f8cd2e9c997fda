// Reads rows of CSV text.
import Papa from 'papaparse'

interface CsvText {
  text: string
  /** Empty: detected, because many CSV files use semicolons. */
  delimiter: '' | '\t'
}

/** Calls `onRow` with the cells of each row that is not empty. An error of `onRow` ends the reading and is thrown. */
export function readCsvRows({ text, delimiter }: CsvText, onRow: (cells: string[]) => void): void {
  let failure: unknown
  Papa.parse<string[]>(text, {
    delimiter,
    skipEmptyLines: true,
    step({ data }, parser) {
      try {
        onRow(data)
      } catch (error) {
        failure = error
        parser.abort()
      }
    },
  })
  if (failure !== undefined) throw failure
}
