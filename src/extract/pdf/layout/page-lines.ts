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
  /** The size of the font, as it is shown. */
  size: number
  isBold: boolean
  hasFixedWidth: boolean
  /** Not from left to right. Its place is not used. */
  isTurned: boolean
  /** The texts between wide gaps, from left to right. */
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
  for (const { index, 0: end } of text.matchAll(LINE_END)) {
    add(HYPHENS.includes(end) ? index + 1 : index)
    start = index + 1
    if (found.length > MAX_LINES) return null
  }
  add(text.length)
  return found
}

const LINE_END = /[\r\n\ufffe\x02]/g
const SPACE = 32
const OTHER_HYPHEN = 2

const isBlank = (text: string, at: number): boolean =>
  text.charCodeAt(at) <= SPACE && text.charCodeAt(at) !== OTHER_HYPHEN

/** Null if a position is no number. */
function readLine(reader: CharacterReader, text: string, { start, end }: Range): PageLine | null {
  const first = reader.left(start)
  const last = reader.right(end - 1)
  const { size, baseline, isTurned, isBold, hasFixedWidth } = reader.style(middleOf(text, start, end))
  if (!Number.isFinite(first + last + baseline + size)) return null
  // A line from right to left begins at its right end.
  const isReversed = last < first
  const [left, right] = isReversed ? [last, first] : [first, last]
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

/** To look at all blanks would take as long as reading: only at those of wide lines, and of all if a sample has gaps. */
function findParts(reader: CharacterReader, text: string, lines: readonly PageLine[], ranges: readonly Range[]): void {
  const widths = lines.map((it) => (it.right - it.left) / (it.text.length * it.size))
  const normal = Math.min(median(widths) * NORMAL_WIDTH, MAX_NORMAL_WIDTH)
  const split = (at: number): boolean => {
    const [line, range] = [lines[at], ranges[at]]
    if (line === undefined || range === undefined || line.isTurned) return false
    const parts = splitAtGaps(reader, text, range, line)
    if (parts.length > 1) line.parts = parts
    return parts.length > 1
  }
  const looked = new Set(longestLines(lines))
  const sampled = [...looked].filter(split).length
  for (const [at, width] of widths.entries())
    if ((sampled >= SAMPLE_WITH_GAPS || width > normal) && !looked.has(at)) split(at)
}

const SAMPLE = 2
const SAMPLE_WITH_GAPS = 1

/** Some of the longer half. */
function longestLines(lines: readonly PageLine[]): number[] {
  const usual = median(lines.map((it) => it.text.length))
  const long = [...lines.keys()].filter((at) => (lines[at]?.text.length ?? 0) >= usual)
  return Array.from({ length: SAMPLE }, (_, at) => long[Math.floor(((at + 0.5) * long.length) / SAMPLE)] ?? 0)
}

function splitAtGaps(reader: CharacterReader, text: string, { start, end }: Range, line: PageLine): LinePart[] {
  const parts: LinePart[] = []
  let from = start
  let left = line.left
  for (let at = start + 1; at < end - 1; at++) {
    if (text.charCodeAt(at) !== SPACE || isBlank(text, at - 1)) continue
    let next = at + 1
    while (isBlank(text, next)) next++
    const before = reader.right(at - 1)
    const after = reader.left(next)
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
