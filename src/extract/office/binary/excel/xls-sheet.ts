// Reads a sheet of a workbook (MS-XLS 2.1.7.20.5): displayed values of cells, and the texts beside them.
import { chargeBudget, type ReaderContext } from '../../../reader.ts'
import type { RepeatedLines } from '../../beside/repeated-lines.ts'
import { splitHeader } from '../../beside/sheet-texts.ts'
import { MAX_CELL_LENGTH, padRow } from '../../xlsx.ts'
import { formatNumber } from '../../xlsx-formats.ts'
import { readXlsRecords, type XlsRecord } from './xls-records.ts'
import { readXlsString } from './xls-strings.ts'
import { readFormulaResult, readShortNumber, readTruthOrError } from './xls-values.ts'
import type { XlsWorkbook } from './xls-workbook.ts'

export interface XlsSheet {
  /** The keys are numbers of rows from 0, in any order. The cells of a row are in the order of the file. */
  rows: Map<number, XlsCell[]>
  /** Lines like `B2: text`. */
  comments: string[]
  /** Texts of boxes and charts. */
  texts: string[]
}

export interface XlsCell {
  column: number
  text: string
}

const [BOF, EOF] = [0x809, 0x0a]
const [HEADER, FOOTER, NOTE, OBJECT, OBJECT_TEXT, CHART_TEXT] = [0x14, 0x15, 0x1c, 0x5d, 0x1b6, 0x100d]
const [SHARED, LABEL, RICH_LABEL, NUMBER, SHORT, SHORTS, FORMULA, RESULT, TRUTH] = [
  0xfd, 0x204, 0xd6, 0x203, 0x27e, 0xbd, 0x06, 0x207, 0x205,
]
/** Excel 3 and 4 number the records of formulas in another way, and some writers still do. */
const FORMULAS = new Set([FORMULA, 0x206, 0x406])

export function readXlsSheet(
  { budget }: Pick<ReaderContext, 'budget'>,
  {
    workbook,
    stream,
    place,
    repeated,
  }: { workbook: XlsWorkbook; stream: Buffer; place: number; repeated: RepeatedLines },
): XlsSheet {
  const sheet: XlsSheet = { rows: new Map(), comments: [], texts: [] }
  const beside = createBeside(workbook, sheet)
  const addCell = (row: number, column: number, text: string) => {
    chargeBudget(budget, 'cells')
    const cells = sheet.rows.get(row) ?? []
    if (cells.length === 0) sheet.rows.set(row, cells)
    cells.push({ column, text: text.slice(0, MAX_CELL_LENGTH) })
  }
  const cells = createCellReader(workbook, addCell)
  let depth = 0
  for (const record of readXlsRecords(stream, place, budget)) {
    if (record.type === BOF) depth++
    else if (record.type === EOF) {
      if (--depth <= 0) break
    } else if (record.type === HEADER || record.type === FOOTER) {
      const text = readXlsString(record, 0, { ...workbook, lengthBytes: workbook.isUnicode ? 2 : 1 })
      for (const part of splitHeader(text)) repeated.add(...part)
    } else {
      beside.read(record)
      // The cells of a chart repeat those of the sheet.
      if (depth === 1) cells.read(record)
    }
  }
  beside.end()
  return sheet
}

function createCellReader(
  workbook: XlsWorkbook,
  add: (row: number, column: number, text: string) => void,
): { read(record: XlsRecord): void } {
  const { shared, formats, uses1904Dates } = workbook
  let formula: { row: number; column: number } | null = null
  const number = (value: number, style: number) =>
    formatNumber(String(value), formats[style] ?? 'number', uses1904Dates)
  const readSeveral = ({ data }: XlsRecord) => {
    const [row, first] = [data.readUInt16LE(0), data.readUInt16LE(2)]
    for (let at = 4; at + 6 <= data.length - 2; at += 6)
      add(row, first + (at - 4) / 6, number(readShortNumber(data, at + 2), data.readUInt16LE(at)))
  }
  const readFormula = (data: Buffer, { row, column, style }: { row: number; column: number; style: number }) => {
    const result = readFormulaResult(data, 6)
    if (result.is === 'text') formula = { row, column }
    else add(row, column, result.is === 'number' ? number(result.value, style) : result.value)
  }
  return {
    read(record) {
      const { type, data } = record
      if (type === RESULT && formula !== null) {
        add(formula.row, formula.column, readXlsString(record, 0, { ...workbook, lengthBytes: 2 }))
        formula = null
      }
      if (data.length < 8) return
      if (type === SHORTS) return readSeveral(record)
      const [row, column, style] = [data.readUInt16LE(0), data.readUInt16LE(2), data.readUInt16LE(4)]
      if (type === TRUTH) return add(row, column, readTruthOrError(data[6] ?? 0, data[7] === 1))
      if (type === LABEL || type === RICH_LABEL)
        return add(row, column, readXlsString(record, 6, { ...workbook, lengthBytes: 2 }))
      if (data.length < 10) return
      if (type === SHARED) add(row, column, shared[data.readUInt32LE(6)] ?? '')
      else if (type === SHORT) add(row, column, number(readShortNumber(data, 6), style))
      else if (data.length < 14) return
      else if (type === NUMBER) add(row, column, number(data.readDoubleLE(6), style))
      else if (FORMULAS.has(type)) readFormula(data, { row, column, style })
    },
  }
}

/** A real sheet has fewer. */
const MAX_TEXTS = 10_000

/** A comment is a text of an object, and a note with the cell and the number of the object. */
function createBeside(workbook: XlsWorkbook, sheet: XlsSheet): { read(record: XlsRecord): void; end(): void } {
  const texts = new Map<number, string>()
  const notes = new Map<number, string>()
  const titles = new Set<string>()
  let object = -1
  return {
    read(record) {
      const { type, data } = record
      if (texts.size + titles.size + notes.size > MAX_TEXTS || data.length < 6) return
      // The first record of an object has its number behind the kind.
      if (type === OBJECT && data.length >= 8) object = data.readUInt16LE(6)
      else if (type === OBJECT_TEXT) texts.set(object, readObjectText(record))
      else if (type === CHART_TEXT) titles.add(readXlsString(record, 2, { ...workbook, lengthBytes: 1 }))
      else if (type === NOTE && data.length >= 8) {
        const cell = `${columnName(data.readUInt16LE(2))}${data.readUInt16LE(0) + 1}`
        // In Excel 5 and 95, the record has the text itself.
        if (workbook.isUnicode) notes.set(data.readUInt16LE(6), cell)
        else sheet.comments.push(`${cell}: ${readXlsString(record, 4, { ...workbook, lengthBytes: 2 })}`)
      }
    },
    end() {
      for (const [id, text] of texts) {
        const cell = notes.get(id)
        if (text.trim() === '') continue
        if (cell === undefined) sheet.texts.push(text)
        else sheet.comments.push(`${cell}: ${text}`)
      }
      sheet.texts.push(...[...titles].filter((it) => it.trim() !== ''))
    },
  }
}

/** The characters are in the continuation, after a byte that says how wide they are. */
function readObjectText({ data, continued }: XlsRecord): string {
  if (data.length < 12) return ''
  let left = data.readUInt16LE(10)
  let text = ''
  for (const piece of continued) {
    if (left <= 0) break
    const isWide = (piece[0] ?? 0) === 1
    const bytes = piece.subarray(1, 1 + left * (isWide ? 2 : 1))
    text += bytes.toString(isWide ? 'utf16le' : 'latin1')
    left -= Math.floor(bytes.length / (isWide ? 2 : 1))
  }
  return text
}

/** From 0: A, B, … Z, AA. */
export function columnName(column: number): string {
  const letter = String.fromCharCode(65 + (column % 26))
  return column < 26 ? letter : columnName(Math.floor(column / 26) - 1) + letter
}

/** The cells of a row in their columns. The last of two cells in the same column counts. */
export function rowOfCells(cells: readonly XlsCell[]): string[] {
  const row: string[] = []
  for (const { column, text } of cells.toSorted((left, right) => left.column - right.column)) {
    padRow(row, column)
    row.push(text)
  }
  return row
}
