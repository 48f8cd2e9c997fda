// Reads OpenDocument (ISO/IEC 26300) text, spreadsheets and presentations.

import { parseXmlMember, type ZipFile } from '../archive/zip-file.ts'
import { checkDeadline, type DocumentFacts, ReadEnded, type ReaderContext } from '../reader.ts'
import { createSectionWriter, type SectionWriter } from '../section-writer.ts'
import { createSlugger } from '../slugger.ts'
import { type Attributes, attributeNamed, type XmlHandlers } from '../xml/xml-parser.ts'
import { type OdfReferences, readMasterPages, withReferences } from './beside/odf-texts.ts'
import { writeRepeatedLines } from './beside/repeated-lines.ts'
import { createOdfTables } from './odf-tables.ts'
import { createDocumentPictures } from './pictures/document-pictures.ts'
import { withOdfPictures } from './pictures/odf-pictures.ts'
import { readProperties } from './properties.ts'

export async function readOdf(context: ReaderContext, zip: ZipFile): Promise<void> {
  const content = zip.find('content.xml')
  const encrypted = await listEncryptedMembers(zip)
  if (encrypted.has('content.xml') || (encrypted.size > 0 && content === undefined))
    throw new ReadEnded('password', 'The document is password-protected.')
  await readProperties(context, zip.find('meta.xml'), META_ELEMENTS)
  if (content === undefined) throw new ReadEnded('damaged', 'content.xml is missing in the file.')
  const writer = createSectionWriter(context)
  const references: OdfReferences = { objects: [], declared: [] }
  const pictures = createDocumentPictures(context, zip)
  const handlers = withReferences(createContentHandlers(context, writer), references)
  await parseXmlMember(
    content,
    withOdfPictures(handlers, (...it) => writer.picture(pictures.place(...it))),
  )
  writer.end()
  for (const object of references.objects) await readObject(context, zip, object)
  const repeated = await readMasterPages(context, zip)
  for (const text of references.declared) repeated.add(text, false)
  writeRepeatedLines(context.section, repeated)
  await pictures.send()
}

/** A library of macros may have a password while the document has none. */
async function listEncryptedMembers(zip: ZipFile): Promise<Set<string>> {
  const encrypted = new Set<string>()
  const manifest = zip.find('META-INF/manifest.xml')
  let member = ''
  if (manifest !== undefined)
    await parseXmlMember(manifest, {
      open(name, attributes) {
        if (name === 'file-entry') member = attributeNamed(attributes, 'full-path') ?? ''
        else if (name === 'encryption-data') encrypted.add(member)
      },
    })
  return encrypted
}

/** Reads a chart or another embedded document, which has its own content. */
async function readObject(
  context: ReaderContext,
  zip: ZipFile,
  { folder, anchor }: OdfReferences['objects'][number],
): Promise<void> {
  const content = zip.find(`${folder}/content.xml`)
  if (content === undefined) return
  const writer = createSectionWriter({
    section: ({ text, heading = null }) =>
      text.trim() === '' ? undefined : context.section({ text, heading, anchor }),
  })
  await parseXmlMember(content, createContentHandlers({ ...context, facts() {} }, writer))
  writer.end()
}

export const META_ELEMENTS: Readonly<Record<string, keyof DocumentFacts>> = {
  title: 'title',
  'initial-creator': 'author',
  'creation-date': 'created',
  date: 'modified',
  language: 'language',
}

/** Tracked deletions, tables of contents and other elements without text of the document. */
const IGNORED_ELEMENTS = new Set([
  'tracked-changes',
  'table-of-content',
  'settings',
  'forms',
  'scripts',
  'styles',
  'automatic-styles',
  'master-styles',
  'binary-data',
])

export function createContentHandlers(context: ReaderContext, writer: SectionWriter): XmlHandlers {
  const toSlug = createSlugger()
  const tables = createOdfTables(context, writer)
  const paragraphs: string[] = []
  let listDepth = 0
  let pages = 0
  let ignoredDepth = 0
  let frame = ''

  const open = (name: string, attributes: Attributes) => {
    if (name === 'p' || name === 'h') paragraphs.push('')
    else if (name === 's') append(' '.repeat(Math.min(Number(attributeNamed(attributes, 'c') ?? 1) || 1, 100)))
    else if (name === 'tab') append('\t')
    else if (name === 'line-break') append('\n')
    else if (name === 'list-item') listDepth++
    else if (tables.open(name, attributes)) {
      if (name === 'table') beginSheet(attributeNamed(attributes, 'name'))
    } else if (name === 'page') beginSlide()
    else if (name === 'frame') frame = attributeNamed(attributes, 'class') ?? ''
    else if (name === 'notes') writer.line('Notes:')
  }
  /** Table names are visible in spreadsheets only. */
  const beginSheet = (name = '') => {
    if (!tables.isSpreadsheet()) return
    context.facts({ pages: ++pages })
    writer.heading(name, `sheet=${encodeURIComponent(name.toWellFormed())}`)
  }
  const beginSlide = () => {
    context.facts({ pages: ++pages })
    if (pages > context.budget.limits.pages) throw new ReadEnded('limit', 'pages')
    writer.heading('', `slide=${pages}`)
  }
  const append = (text: string) => {
    if (paragraphs.length > 0) paragraphs[paragraphs.length - 1] += text
  }
  const close = (name: string) => {
    if (name === 'p' || name === 'h') endParagraph(name)
    else if (name === 'list-item') listDepth--
    else tables.close(name)
    if (name === 'frame') frame = ''
  }
  const endParagraph = (name: string) => {
    checkDeadline(context.budget)
    const text = paragraphs.pop() ?? ''
    if (tables.addToCell(`${text} `)) return
    if (name === 'h' && text.trim() !== '') writer.heading(text, toSlug(text))
    else if (frame === 'title' && text.trim() !== '') writer.heading(text, `slide=${pages}`)
    else writer.line(listDepth > 0 && text.trim() !== '' ? `- ${text}` : text)
  }
  return {
    open(name, attributes) {
      if (IGNORED_ELEMENTS.has(name)) ignoredDepth++
      if (ignoredDepth === 0) open(name, attributes)
    },
    text(text) {
      if (ignoredDepth === 0) append(text)
    },
    close(name) {
      if (IGNORED_ELEMENTS.has(name)) ignoredDepth--
      else if (ignoredDepth === 0) close(name)
    },
  }
}
