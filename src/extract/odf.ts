// OpenDocument (ISO/IEC 26300): text, sheets and slides are written with the same elements.
import { type Chapters, createChapters, rowText } from './chapters.ts'
import { readProperties } from './properties.ts'
import { checkTime, Ended, type Facts, type Reading, spend } from './reading.ts'
import { createSlugs } from './slug.ts'
import { type Attributes, attribute, type XmlEvents } from './xml-events.ts'
import { textOfMember, xmlOf, type ZipFile } from './zip-file.ts'

export async function readOdf(reading: Reading, zip: ZipFile): Promise<void> {
  const manifest = zip.find('META-INF/manifest.xml')
  if (manifest !== undefined && /<(?:[\w-]+:)?encryption-data\b/.test(await textOfMember(manifest)))
    throw new Ended('password', 'The document is encrypted with a password.')
  await readProperties(reading, zip.find('meta.xml'), META)
  const content = zip.find('content.xml')
  if (content === undefined) throw new Ended('damaged', 'content.xml is missing in the file.')
  const chapters = createChapters(reading)
  await xmlOf(content, contentEvents(reading, chapters))
  chapters.end()
}

const META: Readonly<Record<string, keyof Facts>> = {
  title: 'title',
  'initial-creator': 'author',
  'creation-date': 'created',
  date: 'modified',
  language: 'language',
}

/** Deleted text that is kept, and what is repeated by a table of contents. */
const SILENT = new Set([
  'tracked-changes',
  'table-of-content',
  'settings',
  'forms',
  'scripts',
  'styles',
  'automatic-styles',
])

function contentEvents(reading: Reading, chapters: Chapters): XmlEvents {
  const slugs = createSlugs()
  const rows: string[][] = []
  const paragraphs: string[] = []
  let items = 0
  let pages = 0
  let silence = 0
  let frame = ''

  const open = (name: string, attributes: Attributes) => {
    if (name === 'p' || name === 'h') paragraphs.push('')
    else if (name === 's') append(' '.repeat(Math.min(Number(attribute(attributes, 'c') ?? 1) || 1, 100)))
    else if (name === 'tab') append('\t')
    else if (name === 'line-break') append('\n')
    else if (name === 'list-item') items++
    else if (name === 'table-row') rows.push([])
    // One that is repeated a million times is there once.
    else if (name === 'table-cell') {
      spend(reading.budget, 'cells')
      rows.at(-1)?.push('')
    } else if (name === 'table' && rows.length === 0) beginSheet(attribute(attributes, 'name'))
    else if (name === 'page') beginSlide()
    else if (name === 'frame') frame = attribute(attributes, 'class') ?? ''
    else if (name === 'notes') chapters.line('Notes:')
  }
  /** Tables in texts have names too, which nobody sees. */
  let kind = ''
  const beginSheet = (name = '') => {
    if (kind !== 'spreadsheet') return
    reading.facts({ pages: ++pages })
    chapters.heading(name, `sheet=${encodeURIComponent(name.toWellFormed())}`)
  }
  const beginSlide = () => {
    reading.facts({ pages: ++pages })
    if (pages > reading.budget.limits.pages) throw new Ended('limit', 'pages')
    chapters.heading('', `slide=${pages}`)
  }
  const append = (text: string) => {
    if (paragraphs.length > 0) paragraphs[paragraphs.length - 1] += text
  }
  const close = (name: string) => {
    if (name === 'p' || name === 'h') endParagraph(name)
    else if (name === 'list-item') items--
    else if (name === 'table-row') endRow()
    else if (name === 'frame') frame = ''
  }
  const endParagraph = (name: string) => {
    checkTime(reading.budget)
    const text = paragraphs.pop() ?? ''
    const row = rows.at(-1)
    if (row !== undefined && row.length > 0) row[row.length - 1] += `${text} `
    else if (name === 'h' && text.trim() !== '') chapters.heading(text, slugs(text))
    else if (frame === 'title' && text.trim() !== '') chapters.heading(text, `slide=${pages}`)
    else chapters.line(items > 0 && text.trim() !== '' ? `- ${text}` : text)
  }
  const endRow = () => {
    const text = rowText((rows.pop() ?? []).filter((it) => it !== ''))
    const outer = rows.at(-1)
    if (outer !== undefined && outer.length > 0) outer[outer.length - 1] += `${text}; `
    else if (text !== '') chapters.line(text)
  }
  return {
    open(name, attributes) {
      if (SILENT.has(name)) silence++
      if (name === 'spreadsheet') kind = name
      if (silence === 0) open(name, attributes)
    },
    text(text) {
      if (silence === 0) append(text)
    },
    close(name) {
      if (SILENT.has(name)) silence--
      else if (silence === 0) close(name)
    },
  }
}
