// Reads the paragraphs of a member: text boxes (DrawingML), diagrams and comments.
import { parseXmlMember, type ZipMember } from '../../archive/zip-file.ts'
import { checkDeadline, type ReaderContext } from '../../reader.ts'

/** `t` is text in DrawingML and in the comments of sheets, `text` in the older comments of slides and in threads. */
const TEXT_ELEMENTS = new Set(['t', 'text'])
const LINE_ELEMENTS = new Set(['p', 'text', 'br'])

/** One line for each paragraph that has text. Alternative content for older programs is left out. */
export async function readDrawingLines(
  { budget }: Pick<ReaderContext, 'budget'>,
  member: ZipMember | undefined,
): Promise<string[]> {
  const lines: string[] = []
  if (member === undefined) return lines
  let line = ''
  let textDepth = 0
  let ignoredDepth = 0
  const endLine = () => {
    checkDeadline(budget)
    const text = line.replace(/\s+/g, ' ').trim()
    if (text !== '') lines.push(text)
    line = ''
  }
  await parseXmlMember(member, {
    open(name) {
      if (name === 'Fallback') ignoredDepth++
      if (TEXT_ELEMENTS.has(name)) textDepth++
    },
    text(text) {
      if (textDepth > 0 && ignoredDepth === 0) line += text
    },
    close(name) {
      if (name === 'Fallback') ignoredDepth--
      if (TEXT_ELEMENTS.has(name)) textDepth--
      if (LINE_ELEMENTS.has(name)) endLine()
    },
  })
  endLine()
  return lines
}
