// Reads what the sheets of a workbook share (MS-XLS 2.1.7.20.3): their list, strings, formats and the date system.
import { ReadEnded, type ReaderContext } from '../../../reader.ts'
import { encodingOfCodePage } from '../../code-pages.ts'
import { type CellFormats, formatOfStyle, MAX_STYLES } from '../../xlsx-formats.ts'
import { readXlsRecords } from './xls-records.ts'
import { readSharedXlsStrings, readXlsString, type XlsEncoding } from './xls-strings.ts'

export interface XlsWorkbook extends XlsEncoding {
  sheets: { name: string; place: number }[]
  shared: readonly string[]
  formats: CellFormats
  /** Whether dates count from 1904 (the Macintosh date system). */
  uses1904Dates: boolean
}

const [BOF, EOF, PASSWORD, CODE_PAGE, DATES] = [0x809, 0x0a, 0x2f, 0x42, 0x22]
const [SHEET, STRINGS, FORMAT, STYLE] = [0x85, 0xfc, 0x41e, 0xe0]
const EXCEL_97 = 0x600
/** The kinds of sheets that are no sheets of macros or modules. */
const READ_SHEETS = new Set([0, 2])

/** Throws `ReadEnded` if the workbook is encrypted. */
export function readXlsWorkbook({ budget }: Pick<ReaderContext, 'budget'>, stream: Buffer): XlsWorkbook {
  const workbook: XlsWorkbook = {
    isUnicode: true,
    encoding: 'windows-1252',
    sheets: [],
    shared: [],
    formats: [],
    uses1904Dates: false,
  }
  const codes = new Map<number, string>()
  const styles: number[] = []
  const seen = new Set<number>()
  for (const record of readXlsRecords(stream, 0, budget)) {
    const { type, data } = record
    if (type === EOF) break
    if (type === PASSWORD) throw new ReadEnded('password', 'The workbook is password-protected.')
    if (type === STRINGS) workbook.shared = readSharedXlsStrings(record, budget.limits.cells)
    if (data.length < 2) continue
    if (type === BOF) workbook.isUnicode = data.readUInt16LE(0) >= EXCEL_97
    else if (type === CODE_PAGE) workbook.encoding = encodingOfXls(data.readUInt16LE(0))
    else if (type === DATES) workbook.uses1904Dates = data.readUInt16LE(0) === 1
    else if (type === STYLE && data.length >= 4 && styles.length < MAX_STYLES) styles.push(data.readUInt16LE(2))
    else if (type === FORMAT && codes.size < MAX_STYLES)
      codes.set(
        data.readUInt16LE(0),
        readXlsString(record, 2, { ...workbook, lengthBytes: workbook.isUnicode ? 2 : 1 }),
      )
    else if (type === SHEET && data.length >= 6) {
      const place = data.readUInt32LE(0)
      // Two sheets in the same place would be read twice.
      if (!READ_SHEETS.has(data[5] ?? 0) || seen.has(place)) continue
      seen.add(place)
      workbook.sheets.push({ name: readXlsString(record, 6, { ...workbook, lengthBytes: 1 }), place })
    }
  }
  workbook.formats = styles.map((id) => formatOfStyle(id, codes.get(id)))
  return workbook
}

/** Excel has numbers of its own for two code pages. */
function encodingOfXls(page: number): string {
  if (page === 0x8000) return 'macintosh'
  return encodingOfCodePage(page === 0x8001 ? 1252 : page)
}
