// Reads Word documents before 2007 (MS-DOC): paragraphs with headings, lists, tables, notes and comments.
import { checkDeadline, type ReaderContext } from '../../../reader.ts'
import { createSectionWriter } from '../../../section-writer.ts'
import { createRepeatedLines, writeRepeatedLines } from '../../beside/repeated-lines.ts'
import type { CompoundStreams } from '../compound-streams.ts'
import { readSummary } from '../property-set.ts'
import { createDocBody } from './doc-body.ts'
import { readDocFormats } from './doc-formats.ts'
import { type DocHeader, type DocPart, readDocHeader } from './doc-header.ts'
import { type DocParagraph, type ParagraphSettings, readParagraphs } from './doc-paragraphs.ts'
import { listPieces, readRuns } from './doc-pieces.ts'
import { readHeadingNumbers } from './doc-styles.ts'

/** Written after the text under their own heading. */
const NOTE_PARTS: readonly (readonly [part: DocPart, heading: string])[] = [
  ['boxes', 'Text boxes'],
  ['footnotes', 'Footnotes'],
  ['endnotes', 'Endnotes'],
  ['comments', 'Comments'],
]
const HEADER_PARTS: readonly DocPart[] = ['headers', 'headerBoxes']

/** Throws `ReadEnded` if the document is encrypted. */
export function readDoc(context: ReaderContext, streams: CompoundStreams): void {
  const header = readDocHeader(streams)
  readSummary(context, streams)
  const paragraphsOf = openParts(header, context)
  const hasRowMarks = !header.isOld
  const body = createDocBody(createSectionWriter(context), { headings: readHeadingNumbers(header.styles), hasRowMarks })
  for (const paragraph of paragraphsOf('text', 'keep')) body.paragraph(paragraph)
  body.end()
  for (const [part, heading] of NOTE_PARTS) {
    const writer = createSectionWriter({
      section: ({ text }) => (text.trim() === '' ? undefined : context.section({ text, heading })),
    })
    const notes = createDocBody(writer, { headings: new Set(), hasRowMarks })
    for (const paragraph of paragraphsOf(part, 'keep')) notes.paragraph(paragraph)
    notes.end()
  }
  const repeated = createRepeatedLines()
  for (const part of HEADER_PARTS)
    for (const { text, hasChangingField } of paragraphsOf(part, 'leave out')) repeated.add(text, hasChangingField)
  writeRepeatedLines(context.section, repeated)
}

function openParts(
  header: DocHeader,
  { budget }: Pick<ReaderContext, 'budget'>,
): (part: DocPart, changingFields: ParagraphSettings['changingFields']) => Generator<DocParagraph> {
  const formats = readDocFormats(header, budget)
  const pieces = listPieces(header)
  const ranges = new Map<DocPart, [number, number]>()
  let at = 0
  for (const [part, length] of header.parts) {
    ranges.set(part, [at, at + length])
    at += length
  }
  return function* (part, changingFields) {
    const runs = readRuns({ header, pieces, formats }, ranges.get(part) ?? [0, 0], budget)
    for (const paragraph of readParagraphs(runs, { formats, changingFields })) {
      checkDeadline(budget)
      yield paragraph
    }
  }
}
