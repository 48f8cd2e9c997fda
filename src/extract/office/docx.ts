// WordprocessingML (ECMA-376 part 1, 17): paragraphs with headings, lists, tables, notes and comments.

import { rowLine } from '../../text/tables/row-line.ts'
import { parseXmlMember, type ZipFile } from '../archive/zip-file.ts'
import { checkDeadline, type ReaderContext } from '../reader.ts'
import { createSectionWriter, type SectionWriter } from '../section-writer.ts'
import { createSlugger } from '../slugger.ts'
import { createTableWriter, type TableWriter } from '../table-writer.ts'
import { type Attributes, attributeNamed, type XmlHandlers } from '../xml/xml-parser.ts'
import { readDocxHeaders } from './beside/docx-headers.ts'
import { readEmbeddedFiles, readRelatedTexts } from './beside/related-texts.ts'
import { writeRepeatedLines } from './beside/repeated-lines.ts'
import { type HeadingStyles, readHeadingStyles } from './docx-styles.ts'
import { readCoreProperties, readRelationships } from './office-package.ts'
import { createDocumentPictures } from './pictures/document-pictures.ts'
import { withDrawingPictures } from './pictures/drawing-pictures.ts'

/** Notes and comments, written after the text under their own heading. */
const NOTE_PARTS = [
  ['word/footnotes.xml', 'Footnotes'],
  ['word/endnotes.xml', 'Endnotes'],
  ['word/comments.xml', 'Comments'],
] as const

export async function readDocx(context: ReaderContext, zip: ZipFile, main: string): Promise<void> {
  await readCoreProperties(zip, context)
  const styles = await readHeadingStyles(zip)
  const writer = createSectionWriter(context)
  const document = zip.find(main)
  const pictures = createDocumentPictures(context, zip)
  const handlers = createDocumentHandlers(context, writer, styles)
  const relationships = await readRelationships(zip, main)
  if (document !== undefined)
    await parseXmlMember(
      document,
      withDrawingPictures(handlers, relationships, (...it) => writer.picture(pictures.place(...it))),
    )
  writer.end()
  for (const [name, heading] of NOTE_PARTS) {
    const notes = zip.find(name)
    if (notes === undefined) continue
    const notesWriter = createSectionWriter({
      section: ({ text }) => (text.trim() === '' ? undefined : context.section({ text, heading })),
    })
    await parseXmlMember(notes, createDocumentHandlers(context, notesWriter, new Map()))
    notesWriter.end()
  }
  await writeBeside(context, zip, main)
  await pictures.send()
}

/** Charts and diagrams, headers and footers, and embedded files. The position of a chart in the text is not kept. */
async function writeBeside(context: ReaderContext, zip: ZipFile, main: string): Promise<void> {
  const { charts, diagrams, files } = await readRelatedTexts(context, zip, main)
  for (const { title, lines } of charts) context.section({ text: lines.join('\n'), heading: title ?? 'Chart' })
  if (diagrams.length > 0) context.section({ text: diagrams.join('\n'), heading: 'Diagrams' })
  writeRepeatedLines(context.section, await readDocxHeaders(context, zip, main))
  await readEmbeddedFiles(context, zip, files)
}

/** Alternative content for older programs, deleted text and field codes. */
const IGNORED_ELEMENTS = new Set(['Fallback', 'delText', 'instrText'])

function createDocumentHandlers(context: ReaderContext, writer: SectionWriter, styles: HeadingStyles): XmlHandlers {
  const slugs = createSlugger()
  const table = createTableWriter(writer, 'text')
  const rows: string[][] = []
  let isHeader = false
  let span = 1
  let paragraph = ''
  let isHeading = false
  let isListItem = false
  let inText = false
  let ignoredDepth = 0

  const endParagraph = () => {
    checkDeadline(context.budget)
    const row = rows.at(-1)
    const text = paragraph.trim()
    if (row !== undefined && row.length > 0) row[row.length - 1] += `${paragraph} `
    else if (isHeading && text !== '') writer.heading(text, slugs(text))
    else writer.line(isListItem && text !== '' ? `- ${text}` : paragraph)
    paragraph = ''
    isHeading = isListItem = false
  }
  const readParagraphProperty = (name: string, attributes: Attributes) => {
    const value = attributeNamed(attributes, 'val') ?? ''
    if (name === 'pStyle') isHeading = styles.get(value) ?? /^(?:Heading\d|Title)$/.test(value)
    if (name === 'outlineLvl') isHeading = Number(value) < 9
    if (name === 'numPr') isListItem = true
  }
  return {
    open(name, attributes) {
      if (IGNORED_ELEMENTS.has(name)) ignoredDepth++
      if (ignoredDepth > 0) return
      if (name === 't') inText = true
      else if (name === 'tab' || name === 'ptab') paragraph += '\t'
      else if (name === 'br' || name === 'cr') paragraph += '\n'
      else if (name === 'noBreakHyphen') paragraph += '-'
      else if (name === 'tr') {
        if (rows.length === 0) isHeader = false
        rows.push([])
      } else if (name === 'tc') {
        rows.at(-1)?.push('')
        span = 1
      } else if (name === 'gridSpan') span = Math.min(Number(attributeNamed(attributes, 'val')) || 1, MAX_SPAN)
      else if (name === 'tblHeader')
        isHeader ||= rows.length === 1 && !/^(?:0|false|off)$/.test(attributeNamed(attributes, 'val') ?? '')
      else readParagraphProperty(name, attributes)
    },
    text(text) {
      if (inText && ignoredDepth === 0) paragraph += text
    },
    close(name) {
      if (IGNORED_ELEMENTS.has(name)) ignoredDepth--
      if (ignoredDepth > 0) return
      if (name === 't') inText = false
      else if (name === 'p') endParagraph()
      else if (name === 'tc') {
        rows.at(-1)?.push(...Array.from({ length: span - 1 }, () => ''))
        span = 1
      } else if (name === 'tr') writeRow(rows, table, isHeader)
      else if (name === 'tbl' && rows.length === 0) {
        table.end()
        writer.line('')
      }
    },
  }
}

const MAX_SPAN = 63

/** A nested table becomes text of its cell. */
function writeRow(rows: string[][], table: TableWriter, isHeader: boolean): void {
  const cells = rows.pop() ?? []
  const outer = rows.at(-1)
  if (outer === undefined || outer.length === 0) table.row(cells, { isHeader })
  else outer[outer.length - 1] += `${rowLine(cells)}; `
}
