// PresentationML (ECMA-376 part 1, 19): slides in the order in which they are shown, each with its notes.
import { rowText } from './chapters.ts'
import { readCoreProperties, relationshipId, relationshipsOf } from './office-package.ts'
import { Ended, type Reading } from './reading.ts'
import { attribute } from './xml-events.ts'
import { xmlOf, type ZipFile, type ZipMember } from './zip-file.ts'

export async function readPptx(reading: Reading, zip: ZipFile, main: string): Promise<void> {
  await readCoreProperties(zip, reading)
  const slides = await slideNames(zip, main)
  reading.facts({ pages: slides.length })
  for (const [at, name] of slides.entries()) {
    if (at >= reading.budget.limits.pages) throw new Ended('limit', 'pages')
    const slide = zip.find(name)
    if (slide === undefined) {
      reading.warn('damaged', `Slide ${at + 1} is missing in the file.`)
      continue
    }
    const { title, lines } = await shapesOf(slide)
    const notes = await notesOf(zip, name)
    if (notes.length > 0) lines.push('', `Notes: ${notes.join('\n')}`)
    reading.section({ text: lines.join('\n'), heading: title, anchor: `slide=${at + 1}` })
  }
}

async function slideNames(zip: ZipFile, main: string): Promise<string[]> {
  const relationships = await relationshipsOf(zip, main)
  const names: string[] = []
  const presentation = zip.find(main)
  if (presentation === undefined) return names
  await xmlOf(presentation, {
    open(element, attributes) {
      if (element !== 'sldId') return
      const target = relationships.get(relationshipId(attributes))?.target
      if (target !== undefined) names.push(target)
    },
  })
  return names
}

async function notesOf(zip: ZipFile, slide: string): Promise<string[]> {
  for (const { type, target } of (await relationshipsOf(zip, slide)).values()) {
    const notes = type === 'notesSlide' ? zip.find(target) : undefined
    if (notes !== undefined) return (await shapesOf(notes)).lines
  }
  return []
}

/** Placeholders that say what stands on every slide. */
const FRAME = new Set(['sldNum', 'dt', 'ftr', 'hdr', 'sldImg'])

async function shapesOf(member: ZipMember): Promise<{ title: string | null; lines: string[] }> {
  const lines: string[] = []
  let title: string | null = null
  let placeholder = ''
  let paragraph = ''
  let row: string[] | null = null
  let inText = false
  let silence = 0
  const endParagraph = () => {
    const text = paragraph.trim()
    paragraph = ''
    if (text === '' || FRAME.has(placeholder)) return
    if (row !== null) row[row.length - 1] += `${text} `
    else if (/^(?:title|ctrTitle)$/.test(placeholder)) title = title === null ? text : `${title} ${text}`
    else lines.push(text)
  }
  await xmlOf(member, {
    open(name, attributes) {
      if (name === 'Fallback') silence++
      if (name === 'sp') placeholder = ''
      else if (name === 'ph') placeholder = attribute(attributes, 'type') ?? 'body'
      else if (name === 'tr') row = []
      else if (name === 'tc') row?.push('')
      else if (name === 't') inText = true
      else if (name === 'br') paragraph += ' '
    },
    text(text) {
      if (inText && silence === 0) paragraph += text
    },
    close(name) {
      if (name === 'Fallback') silence--
      if (name === 't') inText = false
      else if (name === 'p') endParagraph()
      else if (name === 'tr' && row !== null) {
        const text = rowText(row)
        if (text !== '') lines.push(text)
        row = null
      }
    },
  })
  return { title, lines }
}
