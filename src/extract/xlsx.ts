// SpreadsheetML (ECMA-376 part 1, 18): the values that are there, as they are shown. Formulas are neither run nor read.
import { createChapters, rowText } from './chapters.ts'
import { readCoreProperties, relationshipId, relationshipsOf } from './office-package.ts'
import { checkTime, Ended, type Reading, spend } from './reading.ts'
import { type CellFormats, readCellFormats, shownNumber } from './xlsx-formats.ts'
import { attribute } from './xml-events.ts'
import { xmlOf, type ZipFile, type ZipMember } from './zip-file.ts'

interface Workbook {
  sheets: { name: string; member: string }[]
  /** Days are counted from 1904, as the first Macintosh did. */
  from1904: boolean
}

interface Context {
  reading: Reading
  shared: readonly string[]
  formats: CellFormats
  from1904: boolean
}

export async function readXlsx(reading: Reading, zip: ZipFile, main: string): Promise<void> {
  await readCoreProperties(zip, reading)
  const { sheets, from1904 } = await readWorkbook(zip, main)
  reading.facts({ pages: sheets.length })
  const context = {
    reading,
    shared: await readSharedStrings(reading, zip),
    formats: await readCellFormats(zip),
    from1904,
  }
  for (const { name, member } of sheets) {
    const sheet = zip.find(member)
    if (sheet === undefined) reading.warn('damaged', `The sheet ${JSON.stringify(name)} is missing in the file.`)
    else await readSheet(context, name, sheet)
  }
}

async function readWorkbook(zip: ZipFile, main: string): Promise<Workbook> {
  const relationships = await relationshipsOf(zip, main)
  const workbook: Workbook = { sheets: [], from1904: false }
  const member = zip.find(main)
  if (member === undefined) return workbook
  await xmlOf(member, {
    open(element, attributes) {
      if (element === 'workbookPr') workbook.from1904 = /^(?:1|true)$/.test(attribute(attributes, 'date1904') ?? '')
      if (element !== 'sheet') return
      const relationship = relationships.get(relationshipId(attributes))
      if (relationship?.type !== 'worksheet') return
      workbook.sheets.push({ name: attribute(attributes, 'name') ?? '', member: relationship.target })
    },
  })
  return workbook
}

/** Texts that cells point at. Readings of characters (`rPh`) are no part of them. */
async function readSharedStrings({ budget }: Reading, zip: ZipFile): Promise<string[]> {
  const strings: string[] = []
  const member = zip.find('xl/sharedStrings.xml')
  if (member === undefined) return strings
  let text = ''
  let inText = false
  let silence = 0
  await xmlOf(member, {
    open(name) {
      if (name === 'rPh') silence++
      else if (name === 'si') text = ''
      else if (name === 't') inText = true
    },
    text(piece) {
      if (inText && silence === 0) text += piece
    },
    close(name) {
      if (name === 'rPh') silence--
      else if (name === 't') inText = false
      else if (name === 'si') strings.push(text)
      if (strings.length > budget.limits.cells) throw new Ended('limit', 'cells')
    },
  })
  return strings
}

/** More than fits into a cell: one that repeats a long text a million times ends at the limit of characters. */
const MAX_CELL = 32_767

async function readSheet(context: Context, name: string, sheet: ZipMember): Promise<void> {
  const { budget } = context.reading
  const chapters = createChapters(context.reading)
  chapters.heading(name, `sheet=${encodeURIComponent(name.toWellFormed())}`)
  let row: string[] = []
  let cell = { type: 'n', style: 0, text: '' }
  let inValue = false
  await xmlOf(sheet, {
    open(element, attributes) {
      if (element === 'row') row = []
      else if (element === 'c') {
        spend(budget, 'cells')
        cell = { type: attribute(attributes, 't') ?? 'n', style: Number(attribute(attributes, 's') ?? 0), text: '' }
      } else if (element === 'v' || element === 't') inValue = true
    },
    text(piece) {
      if (inValue && cell.text.length < MAX_CELL) cell.text += piece
    },
    close(element) {
      if (element === 'v' || element === 't') inValue = false
      else if (element === 'c') row.push(shownValue(context, cell).slice(0, MAX_CELL))
      else if (element === 'row') {
        checkTime(budget)
        const text = rowText(row.filter((it) => it !== ''))
        if (text !== '') chapters.line(text)
      }
    },
  })
  chapters.end()
}

function shownValue(
  { shared, formats, from1904 }: Context,
  cell: { type: string; style: number; text: string },
): string {
  if (cell.type === 's') return shared[Number(cell.text)] ?? ''
  if (cell.type === 'b') return cell.text === '1' ? 'TRUE' : 'FALSE'
  return cell.type === 'n' ? shownNumber(cell.text, formats[cell.style] ?? 'number', from1904) : cell.text
}
