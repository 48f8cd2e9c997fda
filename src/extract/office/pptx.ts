// Reads PresentationML (ECMA-376 part 1, 19): slides in display order, each with its notes.

import { parseXmlMember, type ZipFile, type ZipMember } from '../archive/zip-file.ts'
import { ReadEnded, type ReaderContext } from '../reader.ts'
import type { PicturePlace } from '../section-writer.ts'
import { createTableWriter } from '../table-writer.ts'
import { attributeNamed, type XmlHandlers } from '../xml/xml-parser.ts'
import { graphicLines, readEmbeddedFiles, readRelatedTexts } from './beside/related-texts.ts'
import { createRepeatedLines, type RepeatedLines, writeRepeatedLines } from './beside/repeated-lines.ts'
import { type Relationship, readCoreProperties, readRelationships, relationshipId } from './office-package.ts'
import { createDocumentPictures } from './pictures/document-pictures.ts'
import { type OnPicture, withDrawingPictures } from './pictures/drawing-pictures.ts'

export async function readPptx(context: ReaderContext, zip: ZipFile, main: string): Promise<void> {
  await readCoreProperties(zip, context)
  const slides = await listSlideNames(zip, main)
  context.facts({ pages: slides.length })
  const repeated = createRepeatedLines()
  const files: string[] = []
  const pictures = createDocumentPictures(context, zip)
  for (const [at, name] of slides.entries()) {
    if (at >= context.budget.limits.pages) throw new ReadEnded('limit', 'pages')
    const slide = zip.find(name)
    if (slide === undefined) {
      context.warn('damaged', `Slide ${at + 1} is missing in the file.`)
      continue
    }
    const shown: PicturePlace[] = []
    const { title, lines } = await readShapes(slide, repeated, {
      relationships: await readRelationships(zip, name),
      onPicture(...it) {
        const place = pictures.place(...it)
        if (place !== null) shown.push(place)
      },
    })
    const related = await readRelatedTexts(context, zip, name)
    lines.push(...graphicLines(related))
    files.push(...related.files)
    const notes = await readNotes(zip, name, repeated)
    if (notes.length > 0) lines.push('', `Notes: ${notes.join('\n')}`)
    if (related.comments.length > 0) lines.push('', 'Comments:', ...related.comments)
    context.section({ text: lines.join('\n'), heading: title, anchor: `slide=${at + 1}` })
    for (const it of shown) context.section({ ...it, heading: title, anchor: `slide=${at + 1}` })
  }
  writeRepeatedLines(context.section, repeated)
  await readEmbeddedFiles(context, zip, files)
  await pictures.send()
}

async function listSlideNames(zip: ZipFile, main: string): Promise<string[]> {
  const relationships = await readRelationships(zip, main)
  const names: string[] = []
  const presentation = zip.find(main)
  if (presentation === undefined) return names
  await parseXmlMember(presentation, {
    open(element, attributes) {
      if (element !== 'sldId') return
      const target = relationships.get(relationshipId(attributes))?.target
      if (target !== undefined) names.push(target)
    },
  })
  return names
}

async function readNotes(zip: ZipFile, slide: string, repeated: RepeatedLines): Promise<string[]> {
  for (const { type, target } of (await readRelationships(zip, slide)).values()) {
    const notes = type === 'notesSlide' ? zip.find(target) : undefined
    if (notes !== undefined) return (await readShapes(notes, repeated)).lines
  }
  return []
}

/** Placeholders that repeat on every slide. */
const REPEATED_PLACEHOLDERS = new Set(['sldNum', 'dt', 'ftr', 'hdr', 'sldImg'])

interface SlidePictures {
  relationships: ReadonlyMap<string, Relationship>
  onPicture: OnPicture
}

/** Headers and footers are added to `repeated`. */
async function readShapes(
  member: ZipMember,
  repeated: RepeatedLines,
  pictures: SlidePictures = { relationships: new Map(), onPicture() {} },
): Promise<{ title: string | null; lines: string[] }> {
  const lines: string[] = []
  let title: string | null = null
  let placeholder = ''
  let paragraph = ''
  const writer = { line: (text: string) => void lines.push(text), row: (text: string) => void lines.push(text) }
  let table = createTableWriter(writer)
  let row: string[] | null = null
  let inText = false
  let ignoredDepth = 0
  const endParagraph = () => {
    const text = paragraph.trim()
    paragraph = ''
    if (placeholder === 'ftr' || placeholder === 'hdr') repeated.add(text, false)
    if (text === '' || REPEATED_PLACEHOLDERS.has(placeholder)) return
    if (row !== null) row[row.length - 1] += `${text} `
    else if (/^(?:title|ctrTitle)$/.test(placeholder)) title = title === null ? text : `${title} ${text}`
    else lines.push(text)
  }
  const handlers: XmlHandlers = {
    open(name, attributes) {
      if (name === 'Fallback') ignoredDepth++
      if (name === 'sp') placeholder = ''
      else if (name === 'ph') placeholder = attributeNamed(attributes, 'type') ?? 'body'
      else if (name === 'tblPr') {
        const hasHeader = /^(?:1|true)$/.test(attributeNamed(attributes, 'firstRow') ?? '')
        table = createTableWriter(writer, hasHeader ? 'spreadsheet' : 'text')
      } else if (name === 'tr') row = []
      else if (name === 'tc') row?.push('')
      else if (name === 't') inText = true
      else if (name === 'br') paragraph += ' '
    },
    text(text) {
      if (inText && ignoredDepth === 0) paragraph += text
    },
    close(name) {
      if (name === 'Fallback') ignoredDepth--
      if (name === 't') inText = false
      else if (name === 'p') endParagraph()
      else if (name === 'tr' && row !== null) {
        table.row(row)
        row = null
      } else if (name === 'tbl') table.end()
    },
  }
  await parseXmlMember(member, withDrawingPictures(handlers, pictures.relationships, pictures.onPicture))
  return { title, lines }
}
