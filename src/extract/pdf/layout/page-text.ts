// Writes the text of a page: the lines of a paragraph become one, and words at the end of a line are joined.
import type { PdfPage } from '../pdfium.ts'
import { joinHyphenated } from './hyphens.ts'
import { HYPHENS, type PageLine } from './page-lines.ts'

export function pageText({ text, lines }: Pick<PdfPage, 'text' | 'lines'>): string {
  if (lines === null) return joinHyphenated(text)
  const edges = findRightEdges(lines)
  const pieces: string[] = []
  let last: PageLine | undefined
  for (const line of lines) {
    if (last !== undefined) pieces.push(jointOf(last, line, edges))
    pieces.push(line.text)
    last = line
  }
  return joinHyphenated(pieces.join(''))
}

/** In points: lines that begin in the same stripe are of one column. */
const STRIPE = 24

/** How far the lines that begin near a place go to the right. */
function findRightEdges(lines: readonly PageLine[]): (line: PageLine) => number {
  const edges = new Map<number, number>()
  const stripeOf = ({ left }: PageLine) => Math.round(left / STRIPE)
  for (const line of lines) {
    const stripe = stripeOf(line)
    if (!line.isTurned) edges.set(stripe, Math.max(edges.get(stripe) ?? line.right, line.right))
  }
  return (line) => {
    const stripe = stripeOf(line)
    const [before, own, after] = [
      edges.get(stripe - 1) ?? 0,
      edges.get(stripe) ?? line.right,
      edges.get(stripe + 1) ?? 0,
    ]
    return Math.max(before, own, after)
  }
}

/** In sizes of the font. */
const SAME_LINE = 0.7
const MAX_OVERLAP = 1
const PARAGRAPH_GAP = 1.8

function jointOf(last: PageLine, next: PageLine, edgeOf: (line: PageLine) => number): string {
  if (HYPHENS.includes(last.text.at(-1) ?? '')) return ''
  if (last.isTurned || next.isTurned) return '\n'
  const { size } = last
  const fall = last.baseline - next.baseline
  const gap = next.left - last.right
  // Raised and lowered parts of a formula.
  if (Math.abs(fall) < size * SAME_LINE && gap > -size * MAX_OVERLAP && gap < size) return ' '
  if (continuesParagraph(last, next, edgeOf)) return ' '
  return fall > Math.max(size, next.size) * PARAGRAPH_GAP ? '\n\n' : '\n'
}

const MIN_LENGTH = 25
const SIZE_CHANGE = 0.1
const MIN_FALL = 0.8
const MAX_FALL = 1.7
const INDENT = 0.8
const MAX_INDENT = 5
/** A wide letter and the blank before the word. */
const LETTER_WIDTH = 0.5
const LIST_ITEM = /^(?:[•◦▪‣·∗*–—-]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)]|\[\d{1,3}\])(?:\s|$)/u

/** The next line is below, like the last one, and its first word had no room in it. */
function continuesParagraph(last: PageLine, next: PageLine, edgeOf: (line: PageLine) => number): boolean {
  const { size } = last
  if (last.parts.length > 1 || next.parts.length > 1 || last.text.length < MIN_LENGTH) return false
  if (last.hasFixedWidth || next.hasFixedWidth || last.isBold !== next.isBold) return false
  if (Math.abs(next.size - size) > size * SIZE_CHANGE) return false
  const fall = last.baseline - next.baseline
  // A sentence goes on in the next column.
  if (fall < 0) return /^\p{Ll}/u.test(next.text) && !/[.!?:;]$/.test(last.text)
  if (fall < size * MIN_FALL || fall > size * MAX_FALL) return false
  const indent = next.left - last.left
  const isItem = LIST_ITEM.test(last.text)
  if (LIST_ITEM.test(next.text) || Math.abs(indent) > size * MAX_INDENT) return false
  if (indent > size * INDENT && !isItem) return false
  const word = next.text.indexOf(' ')
  const room = ((word === -1 ? next.text.length : word) + 1) * size * LETTER_WIDTH
  return last.right + room > edgeOf(last) - size
}
