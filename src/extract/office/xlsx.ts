// Reads SpreadsheetML (ECMA-376 part 1, 18): displayed values. Formulas are neither evaluated nor indexed.

import { parseXmlMember, type ZipFile, type ZipMember } from '../archive/zip-file.ts'
import { chargeBudget, checkDeadline, ReadEnded, type ReaderContext } from '../reader.ts'
import { createSectionWriter } from '../section-writer.ts'
import { createTableWriter } from '../table-writer.ts'
import { attributeNamed, type XmlHandlers } from '../xml/xml-parser.ts'
import { readEmbeddedFiles } from './beside/related-texts.ts'
import { createRepeatedLines, type RepeatedLines, writeRepeatedLines } from './beside/repeated-lines.ts'
import { readSheetTexts, withHeaders } from './beside/sheet-texts.ts'
import { readCoreProperties, readRelationships, relationshipId } from './office-package.ts'
import { createDocumentPictures } from './pictures/document-pictures.ts'
import { type CellFormats, formatNumber, readCellFormats } from './xlsx-formats.ts'

interface Workbook {
  sheets: { name: string; member: string }[]
  /** Whether dates count from 1904 (the Macintosh date system). */
  uses1904Dates: boolean
}

interface SheetContext {
  reading: ReaderContext
  shared: readonly string[]
  formats: CellFormats
  uses1904Dates: boolean
  repeated: RepeatedLines
}

export async function readXlsx(reading: ReaderContext, zip: ZipFile, main: string): Promise<void> {
  await readCoreProperties(zip, reading)
  const { sheets, uses1904Dates } = await readWorkbook(zip, main)
  reading.facts({ pages: sheets.length })
  const context = {
    reading,
    shared: await readSharedStrings(reading, zip),
    formats: await readCellFormats(zip),
    uses1904Dates,
    repeated: createRepeatedLines(),
  }
  const files: string[] = []
  const pictures = createDocumentPictures(reading, zip)
  for (const { name, member } of sheets) {
    const sheet = zip.find(member)
    if (sheet === undefined) reading.warn('damaged', `The sheet ${JSON.stringify(name)} is missing in the file.`)
    else await readSheet(context, name, sheet)
    const beside = await readSheetTexts(reading, zip, member, pictures)
    if (beside.lines.length > 0)
      reading.section({ text: beside.lines.join('\n'), heading: name, anchor: sheetAnchor(name) })
    for (const it of beside.pictures) reading.section({ ...it, heading: name, anchor: sheetAnchor(name) })
    files.push(...beside.files)
  }
  writeRepeatedLines(reading.section, context.repeated)
  await readEmbeddedFiles(reading, zip, files)
  await pictures.send()
}

export const sheetAnchor = (name: string): string => `sheet=${encodeURIComponent(name.toWellFormed())}`

async function readWorkbook(zip: ZipFile, main: string): Promise<Workbook> {
  const relationships = await readRelationships(zip, main)
  const workbook: Workbook = { sheets: [], uses1904Dates: false }
  const member = zip.find(main)
  if (member === undefined) return workbook
  await parseXmlMember(member, {
    open(element, attributes) {
      if (element === 'workbookPr')
        workbook.uses1904Dates = /^(?:1|true)$/.test(attributeNamed(attributes, 'date1904') ?? '')
      if (element !== 'sheet') return
      const relationship = relationships.get(relationshipId(attributes))
      if (relationship?.type !== 'worksheet' && relationship?.type !== 'chartsheet') return
      workbook.sheets.push({ name: attributeNamed(attributes, 'name') ?? '', member: relationship.target })
    },
  })
  return workbook
}

/** The shared strings. Phonetic readings (`rPh`) are skipped. */
async function readSharedStrings({ budget }: ReaderContext, zip: ZipFile): Promise<string[]> {
  const strings: string[] = []
  const member = zip.find('xl/sharedStrings.xml')
  if (member === undefined) return strings
  let text = ''
  let inText = false
  let ignoredDepth = 0
  await parseXmlMember(member, {
    open(name) {
      if (name === 'rPh') ignoredDepth++
      else if (name === 'si') text = ''
      else if (name === 't') inText = true
    },
    text(piece) {
      if (inText && ignoredDepth === 0) text += piece
    },
    close(name) {
      if (name === 'rPh') ignoredDepth--
      else if (name === 't') inText = false
      else if (name === 'si') strings.push(text)
      if (strings.length > budget.limits.cells) throw new ReadEnded('limit', 'cells')
    },
  })
  return strings
}

/** Excel's limit for the text of a cell. */
export const MAX_CELL_LENGTH = 32_767

async function readSheet(context: SheetContext, name: string, sheet: ZipMember): Promise<void> {
  const { budget } = context.reading
  const writer = createSectionWriter(context.reading)
  writer.heading(name, sheetAnchor(name))
  const table = createTableWriter(writer, 'spreadsheet')
  let rowNumber = 0
  let row: string[] = []
  let cell = { type: 'n', style: 0, text: '' }
  let isInValue = false
  const handlers: XmlHandlers = {
    open(element, attributes) {
      if (element === 'row') {
        const number = Number(attributeNamed(attributes, 'r') ?? rowNumber + 1)
        // Empty rows are not in the file.
        if (number > rowNumber + 1) table.gap()
        rowNumber = number
        row = []
      } else if (element === 'c') {
        chargeBudget(budget, 'cells')
        padRow(row, columnOf(attributeNamed(attributes, 'r') ?? ''))
        cell = {
          type: attributeNamed(attributes, 't') ?? 'n',
          style: Number(attributeNamed(attributes, 's') ?? 0),
          text: '',
        }
      } else if (element === 'v' || element === 't') isInValue = true
    },
    text(piece) {
      if (isInValue && cell.text.length < MAX_CELL_LENGTH) cell.text += piece
    },
    close(element) {
      if (element === 'v' || element === 't') isInValue = false
      else if (element === 'c') row.push(displayedValue(context, cell).slice(0, MAX_CELL_LENGTH))
      else if (element === 'row') {
        checkDeadline(budget)
        if (row.some((it) => it.trim() !== '')) table.row(row)
        else table.gap()
      }
    },
  }
  await parseXmlMember(sheet, withHeaders(handlers, context.repeated))
  table.end()
  writer.end()
}

/** From 0; -1 without a reference such as `AB12`. */
function columnOf(reference: string): number {
  const letters = /^[A-Z]{1,3}/.exec(reference)?.[0] ?? ''
  return [...letters].reduce((sum, it) => sum * 26 + it.charCodeAt(0) - 64, 0) - 1
}

/** Empty cells are not in the file. A cell that is far away from the others follows them directly. */
export function padRow(row: string[], column: number): void {
  if (column <= MAX_COLUMN) while (row.length < column) row.push('')
}
const MAX_COLUMN = 200

function displayedValue(
  { shared, formats, uses1904Dates }: SheetContext,
  cell: { type: string; style: number; text: string },
): string {
  if (cell.type === 's') return shared[Number(cell.text)] ?? ''
  if (cell.type === 'b') return cell.text === '1' ? 'TRUE' : 'FALSE'
  return cell.type === 'n' ? formatNumber(cell.text, formats[cell.style] ?? 'number', uses1904Dates) : cell.text
}
