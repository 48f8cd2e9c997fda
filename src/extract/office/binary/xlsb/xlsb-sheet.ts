// Reads the cells of a sheet of a binary workbook (MS-XLSB 2.1.7.62): displayed values.
import { chargeBudget, type ReaderContext } from '../../../reader.ts'
import type { TableWriter } from '../../../table-writer.ts'
import type { RepeatedLines } from '../../beside/repeated-lines.ts'
import { splitHeader } from '../../beside/sheet-texts.ts'
import { MAX_CELL_LENGTH, padRow } from '../../xlsx.ts'
import { formatNumber } from '../../xlsx-formats.ts'
import { readShortNumber, readTruthOrError } from '../excel/xls-values.ts'
import { readRichString, readWideString, type XlsbRecord } from './xlsb-records.ts'
import type { XlsbWorkbook } from './xlsb-workbook.ts'

type Values = Pick<XlsbWorkbook, 'shared' | 'formats' | 'uses1904Dates'>

export interface XlsbSheetReader {
  read(record: XlsbRecord): void
  /** Writes the last row. */
  end(): void
}

const [ROW, HEADERS] = [0, 479]
/** Blank, short number, error, truth, number, text, shared text, and the results of formulas: text, number, truth, error. */
const [BLANK, SHORT, ERROR, , NUMBER, TEXT, SHARED, RESULT_TEXT, RESULT_NUMBER, , RESULT_ERROR] = [
  1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
]
const RICH_TEXT = 62
/** The same kinds in the same order, from the blank one to the shared text. They have no column: it is the next one. */
const [FIRST_NARROW, LAST_NARROW] = [12, 18]
/** The shortest value of each kind takes one byte. */
const MIN_BYTES: Readonly<Record<number, number>> = {
  [SHORT]: 4,
  [SHARED]: 4,
  [NUMBER]: 8,
  [RESULT_NUMBER]: 8,
}

export function createXlsbSheetReader(
  { budget }: Pick<ReaderContext, 'budget'>,
  { workbook, table, repeated }: { workbook: Values; table: TableWriter; repeated: RepeatedLines },
): XlsbSheetReader {
  let next = 0
  let row: string[] = []
  let column = -1
  const endRow = () => {
    if (row.some((it) => it.trim() !== '')) table.row(row)
    row = []
    column = -1
  }
  const addCell = (kind: number, data: Buffer, at: number) => {
    chargeBudget(budget, 'cells')
    padRow(row, column)
    row.push(displayedValue(workbook, { kind, data, at }).slice(0, MAX_CELL_LENGTH))
  }
  return {
    read({ type, data }) {
      if (type === ROW && data.length >= 4) {
        endRow()
        const number = data.readUInt32LE(0)
        if (number !== next) table.gap()
        next = number + 1
      } else if ((type >= BLANK && type <= RESULT_ERROR) || type === RICH_TEXT) {
        if (data.length < 8) return
        column = data.readUInt32LE(0)
        addCell(type, data, 8)
      } else if (type >= FIRST_NARROW && type <= LAST_NARROW && data.length >= 4) {
        column++
        addCell(type - FIRST_NARROW + BLANK, data, 4)
      } else if (type === HEADERS) addHeaders(repeated, data)
    },
    end: endRow,
  }
}

/** The number of the style stands before the value. */
function displayedValue(
  { shared, formats, uses1904Dates }: Values,
  { kind, data, at }: { kind: number; data: Buffer; at: number },
): string {
  if (data.length < at + (MIN_BYTES[kind] ?? 1)) return ''
  const number = (value: number) =>
    formatNumber(String(value), formats[data.readUIntLE(at - 4, 3)] ?? 'number', uses1904Dates)
  if (kind === SHARED) return shared[data.readUInt32LE(at)] ?? ''
  if (kind === SHORT) return number(readShortNumber(data, at))
  if (kind === NUMBER || kind === RESULT_NUMBER) return number(data.readDoubleLE(at))
  if (kind === TEXT || kind === RESULT_TEXT) return readWideString(data, at).text
  if (kind === RICH_TEXT) return readRichString(data, at)
  return kind === BLANK ? '' : readTruthOrError(data[at] ?? 0, kind === ERROR || kind === RESULT_ERROR)
}

/** Headers and footers of odd, even and first pages (MS-XLSB 2.4.58), after two bytes of flags. */
const HEADER_TEXTS = 6

function addHeaders(repeated: RepeatedLines, data: Buffer): void {
  let at = 2
  for (let count = 0; count < HEADER_TEXTS; count++) {
    const { text, end } = readWideString(data, at)
    for (const part of splitHeader(text.slice(0, MAX_HEADER))) repeated.add(...part)
    at = end
  }
}

/** Excel's limit is 255. */
const MAX_HEADER = 2_000
