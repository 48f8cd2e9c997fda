// WordprocessingML (ECMA-376 part 1, 17): paragraphs with headings, lists, tables, notes and comments.
import { type Chapters, createChapters, rowText } from './chapters.ts'
import { type HeadingStyles, readHeadingStyles } from './docx-styles.ts'
import { readCoreProperties } from './office-package.ts'
import { checkTime, type Reading } from './reading.ts'
import { createSlugs } from './slug.ts'
import { type Attributes, attribute, type XmlEvents } from './xml-events.ts'
import { xmlOf, type ZipFile } from './zip-file.ts'

/** After the text: what it refers to, under a heading that says what it is. */
const NOTES = [
  ['word/footnotes.xml', 'Footnotes'],
  ['word/endnotes.xml', 'Endnotes'],
  ['word/comments.xml', 'Comments'],
] as const

export async function readDocx(reading: Reading, zip: ZipFile, main: string): Promise<void> {
  await readCoreProperties(zip, reading)
  const styles = await readHeadingStyles(zip)
  const chapters = createChapters(reading)
  const document = zip.find(main)
  if (document !== undefined) await xmlOf(document, documentEvents(reading, chapters, styles))
  chapters.end()
  for (const [name, heading] of NOTES) {
    const notes = zip.find(name)
    if (notes === undefined) continue
    const chapter = createChapters({
      section: ({ text }) => (text.trim() === '' ? undefined : reading.section({ text, heading })),
    })
    await xmlOf(notes, documentEvents(reading, chapter, new Map()))
    chapter.end()
  }
}

/** Kept twice in the file, for programs that cannot show the first; or no text of the document. */
const SILENT = new Set(['Fallback', 'delText', 'instrText'])

function documentEvents(reading: Reading, chapters: Chapters, styles: HeadingStyles): XmlEvents {
  const slugs = createSlugs()
  const rows: string[][] = []
  let paragraph = ''
  let heading = false
  let item = false
  let inText = false
  let silence = 0

  const endParagraph = () => {
    checkTime(reading.budget)
    const row = rows.at(-1)
    const text = paragraph.trim()
    if (row !== undefined && row.length > 0) row[row.length - 1] += `${paragraph} `
    else if (heading && text !== '') chapters.heading(text, slugs(text))
    else chapters.line(item && text !== '' ? `- ${text}` : paragraph)
    paragraph = ''
    heading = item = false
  }
  const properties = (name: string, attributes: Attributes) => {
    const value = attribute(attributes, 'val') ?? ''
    if (name === 'pStyle') heading = styles.get(value) ?? /^(?:Heading\d|Title)$/.test(value)
    if (name === 'outlineLvl') heading = Number(value) < 9
    if (name === 'numPr') item = true
  }
  return {
    open(name, attributes) {
      if (SILENT.has(name)) silence++
      if (silence > 0) return
      if (name === 't') inText = true
      else if (name === 'tab' || name === 'ptab') paragraph += '\t'
      else if (name === 'br' || name === 'cr') paragraph += '\n'
      else if (name === 'noBreakHyphen') paragraph += '-'
      else if (name === 'tr') rows.push([])
      else if (name === 'tc') rows.at(-1)?.push('')
      else properties(name, attributes)
    },
    text(text) {
      if (inText && silence === 0) paragraph += text
    },
    close(name) {
      if (SILENT.has(name)) silence--
      if (silence > 0) return
      if (name === 't') inText = false
      else if (name === 'p') endParagraph()
      else if (name === 'tr') endRow(rows, chapters)
      else if (name === 'tbl' && rows.length === 0) chapters.line('')
    },
  }
}

/** A table in a cell is text of the cell. */
function endRow(rows: string[][], chapters: Chapters): void {
  const text = rowText(rows.pop() ?? [])
  const outer = rows.at(-1)
  if (outer !== undefined && outer.length > 0) outer[outer.length - 1] += `${text}; `
  else if (text !== '') chapters.line(text)
}
