// Reads where the lines of a page are. A line ends where PDFium ends it, and at a hyphen at the end of a line.
import type { PdfiumLibrary } from '../pdfium-library.ts'
import { createCharacterReader } from './character-reader.ts'

/** Lengths are in points, from the lower left corner of the page. */
export interface PageLine {
  /** Without a line break. A hyphen at its end is a character of `HYPHENS`. */
  text: string
  left: number
  right: number
  baseline: number
  /** Of the font, as it is shown. */
  size: number
  isBold: boolean
  hasFixedWidth: boolean
  /** Not from left to right. Its place is not used. */
  isTurned: boolean
  /** What is between wide gaps, from left to right. */
  parts: LinePart[]
}

export interface LinePart {
  text: string
  left: number
  right: number
}

/** PDFium writes U+FFFE (with some fonts U+0002) for a hyphen at the end of a line. */
export const HYPHENS = '\ufffe\x02'

/** Real pages have fewer. A page with more keeps its order. */
const MAX_LINES = 3_000

/**
 * In the order of the file. Null if the places are not usable: most lines are turned, positions are no numbers, there are
 * too many lines, or no memory.
 */
export function readPageLines(library: PdfiumLibrary, textPage: number, text: string): PageLine[] | null {
  const ranges = findLines(text)
  if (ranges === null || ranges.length === 0) return null
  const reader = createCharacterReader(library, textPage, text)
  if (reader === null) return null
  try {
    const lines: PageLine[] = []
    for (const range of ranges) {
      const line = readLine(reader, text, range)
      if (line === null) return null
      lines.push(line)
    }
    if (lines.filter((it) => it.isTurned).length * 2 > lines.length) return null
    findParts(reader, text, lines, ranges)
    return lines
  } finally {
    reader.close()
  }
}

type CharacterReader = NonNullable<ReturnType<typeof createCharacterReader>>

/** Offsets of its first character that is no blank, and behind its last one. */
interface Range {
  start: number
  end: number
}

/** Null if there are too many. */
function findLines(text: string): Range[] | null {
  const found: Range[] = []
  let start = 0
  const add = (end: number) => {
    let [from, to] = [start, end]
    while (from < to && isBlank(text, from)) from++
    while (to > from && isBlank(text, to - 1)) to--
    if (from < to) found.push({ start: from, end: to })
  }
  for (let at = 0; at < text.length; at++) {
    const isHyphen = HYPHENS.includes(text.charAt(at))
    const code = text.charCodeAt(at)
    if (!isHyphen && code !== LINE_FEED && code !== RETURN) continue
    add(isHyphen ? at + 1 : at)
    start = at + 1
    if (found.length > MAX_LINES) return null
  }
  add(text.length)
  return found
}

const LINE_FEED = 10
const RETURN = 13
const SPACE = 32

const isBlank = (text: string, at: number): boolean => text.charCodeAt(at) <= SPACE && text[at] !== '\x02'

/** Null if a position is no number. */
function readLine(reader: CharacterReader, text: string, { start, end }: Range): PageLine | null {
  const first = reader.edges(start)
  const last = reader.edges(end - 1)
  const { size, baseline, isTurned, isBold, hasFixedWidth } = reader.style(middleOf(text, start, end))
  const [left, right] = [Math.min(first.left, last.left), Math.max(first.right, last.right)]
  if (!Number.isFinite(left + right + baseline + size)) return null
  // A line from right to left begins at its right end.
  const isReversed = end - start > 1 && last.right < first.left
  const content = text.slice(start, end)
  const parts = [{ text: content, left, right }]
  return {
    text: content,
    left,
    right,
    baseline,
    size,
    isBold,
    hasFixedWidth,
    isTurned: isTurned || isReversed || size <= 0,
    parts,
  }
}

/** A blank that PDFium adds has no font. */
function middleOf(text: string, start: number, end: number): number {
  let at = start + ((end - start) >> 1)
  while (at > start && isBlank(text, at)) at--
  return at
}

/** In sizes of the font. Blanks in justified text are narrower, gaps between columns are wider. */
const WIDE_GAP = 0.95
/** A line without a gap has no more width for each of its characters than most lines, or than wide letters have. */
const NORMAL_WIDTH = 1.08
const MAX_NORMAL_WIDTH = 0.55

/** Blanks are looked at in lines that are wider than their characters need: to look at all would take as long as reading. */
function findParts(reader: CharacterReader, text: string, lines: readonly PageLine[], ranges: readonly Range[]): void {
  const widths = lines.map((it) => (it.right - it.left) / (it.text.length * it.size))
  const normal = Math.min(median(widths) * NORMAL_WIDTH, MAX_NORMAL_WIDTH)
  for (const [at, line] of lines.entries()) {
    const range = ranges[at]
    if (range === undefined || line.isTurned || (widths[at] ?? 0) <= normal) continue
    const parts = splitAtGaps(reader, text, range, line)
    if (parts.length > 1) line.parts = parts
  }
}

function splitAtGaps(reader: CharacterReader, text: string, { start, end }: Range, line: PageLine): LinePart[] {
  const parts: LinePart[] = []
  let from = start
  let left = line.left
  for (let at = start + 1; at < end - 1; at++) {
    if (text.charCodeAt(at) !== SPACE || isBlank(text, at - 1)) continue
    let next = at + 1
    while (isBlank(text, next)) next++
    const before = reader.edges(at - 1).right
    const after = reader.edges(next).left
    if (!(after - before > line.size * WIDE_GAP)) continue
    parts.push({ text: text.slice(from, at), left, right: before })
    from = next
    left = after
    at = next
  }
  parts.push({ text: text.slice(from, end), left, right: line.right })
  return parts
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[sorted.length >> 1] ?? 0
}
