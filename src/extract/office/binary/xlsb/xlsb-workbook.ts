// Reads what the sheets of a binary workbook share (MS-XLSB 2.1.7): their list, strings, formats and the date system.
import { memberBytes, type ZipFile } from '../../../archive/zip-file.ts'
import { ReadEnded, type ReaderContext } from '../../../reader.ts'
import { readRelationships } from '../../office-package.ts'
import { type CellFormats, formatOfStyle, MAX_STYLES } from '../../xlsx-formats.ts'
import { readRichString, readWideString, readXlsbRecords, type XlsbRecord } from './xlsb-records.ts'

export interface XlsbWorkbook {
  sheets: { name: string; member: string }[]
  shared: readonly string[]
  formats: CellFormats
  /** Whether dates count from 1904 (the Macintosh date system). */
  uses1904Dates: boolean
}

const [PROPERTIES, SHEET, STRING, FORMAT, STYLE, STYLES_BEGIN, STYLES_END] = [153, 156, 19, 44, 47, 617, 618]

type Reading = Pick<ReaderContext, 'budget'>

export async function readXlsbWorkbook(reading: Reading, zip: ZipFile, main: string): Promise<XlsbWorkbook> {
  const relationships = await readRelationships(zip, main)
  const workbook: Pick<XlsbWorkbook, 'sheets' | 'uses1904Dates'> = { sheets: [], uses1904Dates: false }
  const seen = new Set<string>()
  for await (const { type, data } of recordsOf(reading, zip, main)) {
    if (type === PROPERTIES && data.length >= 4) workbook.uses1904Dates = (data.readUInt32LE(0) & 1) === 1
    if (type !== SHEET) continue
    const { text: id, end } = readWideString(data, 8)
    const relationship = relationships.get(id)
    if (relationship?.type !== 'worksheet' && relationship?.type !== 'chartsheet') continue
    // Two sheets of the same part would be read twice.
    if (seen.has(relationship.target)) continue
    seen.add(relationship.target)
    workbook.sheets.push({ name: readWideString(data, end).text, member: relationship.target })
  }
  const shared = await readSharedStrings(reading, zip)
  return { ...workbook, shared, formats: await readFormats(reading, zip) }
}

/** No records if the member is missing. */
export async function* recordsOf({ budget }: Reading, zip: ZipFile, name: string): AsyncGenerator<XlsbRecord> {
  const member = zip.find(name)
  if (member !== undefined) yield* readXlsbRecords(await memberBytes(member), budget)
}

async function readSharedStrings(reading: Reading, zip: ZipFile): Promise<string[]> {
  const strings: string[] = []
  for await (const { type, data } of recordsOf(reading, zip, 'xl/sharedStrings.bin')) {
    if (type !== STRING) continue
    if (strings.length >= reading.budget.limits.cells) throw new ReadEnded('limit', 'cells')
    strings.push(readRichString(data, 0))
  }
  return strings
}

async function readFormats(reading: Reading, zip: ZipFile): Promise<CellFormats> {
  const codes = new Map<number, string>()
  const styles: number[] = []
  let isInStyles = false
  for await (const { type, data } of recordsOf(reading, zip, 'xl/styles.bin')) {
    if (type === STYLES_BEGIN || type === STYLES_END) isInStyles = type === STYLES_BEGIN
    else if (data.length < 4) continue
    else if (type === FORMAT && codes.size < MAX_STYLES) codes.set(data.readUInt16LE(0), readWideString(data, 2).text)
    else if (type === STYLE && isInStyles && styles.length < MAX_STYLES) styles.push(data.readUInt16LE(2))
  }
  return styles.map((id) => formatOfStyle(id, codes.get(id)))
}
