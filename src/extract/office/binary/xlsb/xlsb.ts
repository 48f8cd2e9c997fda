// Reads binary workbooks (MS-XLSB): the package of an XLSX file, with records in place of XML.
import type { ZipFile } from '../../../archive/zip-file.ts'
import type { ReaderContext } from '../../../reader.ts'
import { createSectionWriter } from '../../../section-writer.ts'
import { createTableWriter } from '../../../table-writer.ts'
import { readEmbeddedFiles } from '../../beside/related-texts.ts'
import { createRepeatedLines, writeRepeatedLines } from '../../beside/repeated-lines.ts'
import { readSheetTexts } from '../../beside/sheet-texts.ts'
import { readCoreProperties, readRelationships } from '../../office-package.ts'
import { createDocumentPictures } from '../../pictures/document-pictures.ts'
import { sheetAnchor } from '../../xlsx.ts'
import { columnName } from '../excel/xls-sheet.ts'
import { readRichString } from './xlsb-records.ts'
import { createXlsbSheetReader } from './xlsb-sheet.ts'
import { readXlsbWorkbook, recordsOf } from './xlsb-workbook.ts'

export async function readXlsb(reading: ReaderContext, zip: ZipFile, main: string): Promise<void> {
  await readCoreProperties(zip, reading)
  const workbook = await readXlsbWorkbook(reading, zip, main)
  reading.facts({ pages: workbook.sheets.length })
  const repeated = createRepeatedLines()
  const files: string[] = []
  const pictures = createDocumentPictures(reading, zip)
  for (const { name, member } of workbook.sheets) {
    if (zip.find(member) === undefined) {
      reading.warn('damaged', `The sheet ${JSON.stringify(name)} is missing in the file.`)
      continue
    }
    const place = { heading: name, anchor: sheetAnchor(name) }
    const writer = createSectionWriter(reading)
    writer.heading(place.heading, place.anchor)
    const table = createTableWriter(writer, 'spreadsheet')
    const sheet = createXlsbSheetReader(reading, { workbook, table, repeated })
    for await (const record of recordsOf(reading, zip, member)) sheet.read(record)
    sheet.end()
    table.end()
    writer.end()
    const beside = await readSheetTexts(reading, zip, member, pictures)
    const lines = [...beside.lines, ...(await readComments(reading, zip, member))]
    if (lines.length > 0) reading.section({ text: lines.join('\n'), ...place })
    for (const it of beside.pictures) reading.section({ ...it, ...place })
    files.push(...beside.files)
  }
  writeRepeatedLines(reading.section, repeated)
  await readEmbeddedFiles(reading, zip, files)
  await pictures.send()
}

const [COMMENT, COMMENT_TEXT] = [635, 637]
/** A real sheet has fewer. */
const MAX_COMMENTS = 10_000

/** Lines like `B2: text` (MS-XLSB 2.4.28). */
async function readComments(reading: ReaderContext, zip: ZipFile, sheet: string): Promise<string[]> {
  const lines: string[] = []
  for (const { type: kind, target } of (await readRelationships(zip, sheet)).values()) {
    if (kind !== 'comments') continue
    let cell = ''
    for await (const { type, data } of recordsOf(reading, zip, target)) {
      if (type === COMMENT && data.length >= 20)
        cell = `${columnName(data.readUInt32LE(12))}${data.readUInt32LE(4) + 1}`
      const text = type === COMMENT_TEXT ? readRichString(data, 0).replace(/\s+/g, ' ').trim() : ''
      if (text !== '' && lines.length < MAX_COMMENTS) lines.push(`${cell}: ${text}`)
    }
  }
  return lines.length === 0 ? [] : ['', 'Comments:', ...lines]
}
