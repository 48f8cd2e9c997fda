// Reads PowerPoint presentations before 2007 (MS-PPT): slides in display order, each with its notes.
import { checkDeadline, ReadEnded, type ReaderContext } from '../../../reader.ts'
import { createRepeatedLines, writeRepeatedLines } from '../../beside/repeated-lines.ts'
import type { CompoundStreams } from '../compound-streams.ts'
import { readSummary } from '../property-set.ts'
import { type PptDocument, readPptDocument } from './ppt-document.ts'
import { recordsIn } from './ppt-records.ts'
import { addHeaders, readPptSlide } from './ppt-shapes.ts'

const [NOTES_OF_SLIDE, HEADERS] = [0x3f1, 0xfd9]

/** Throws `ReadEnded` if the presentation is encrypted. */
export function readPpt(context: ReaderContext, streams: CompoundStreams): void {
  const document = readPptDocument(context, streams)
  readSummary(context, streams)
  const { slides } = document
  context.facts({ pages: slides.length })
  const repeated = createRepeatedLines()
  for (const { type, data } of recordsIn(document.document)) if (type === HEADERS) addHeaders(data, repeated)
  const notes = notesOfSlides(document)
  for (const [at, { id, slide, texts }] of slides.entries()) {
    checkDeadline(context.budget)
    if (at >= context.budget.limits.pages) throw new ReadEnded('limit', 'pages')
    if (slide === undefined) context.warn('damaged', `Slide ${at + 1} is missing in the file.`)
    const { title, lines, comments } = readPptSlide(slide?.data ?? NOTHING, texts, repeated)
    const note = notes.get(id)
    const spoken = note === undefined ? [] : readPptSlide(note, [], repeated).lines.filter((it) => it.trim() !== '')
    if (spoken.length > 0) lines.push('', `Notes: ${spoken.join('\n')}`)
    if (comments.length > 0) lines.push('', 'Comments:', ...comments)
    context.section({ text: lines.join('\n'), heading: title, anchor: `slide=${at + 1}` })
  }
  writeRepeatedLines(context.section, repeated)
}

const NOTHING = Buffer.alloc(0)

/** Notes begin with the number of their slide. */
function notesOfSlides({ notes }: PptDocument): Map<number, Buffer> {
  const found = new Map<number, Buffer>()
  for (const { slide } of notes) {
    if (slide === undefined) continue
    const first = [...recordsIn(slide.data)].find((it) => it.type === NOTES_OF_SLIDE)?.data
    if (first !== undefined && first.length >= 4) found.set(first.readUInt32LE(0), slide.data)
  }
  return found
}
