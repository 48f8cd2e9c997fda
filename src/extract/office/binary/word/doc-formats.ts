// Reads the formats of a Word document (MS-DOC 2.6 and 2.9): which text was deleted, and what kind of paragraph ends where.
import { checkDeadline, type ExtractBudget } from '../../../reader.ts'
import type { DocHeader } from './doc-header.ts'

/** A range of bytes of the text stream. */
interface FormattedRange {
  start: number
  end: number
}

export interface ParagraphFormat {
  style: number
  isInTable: boolean
  isRowEnd: boolean
  isInnerCell: boolean
  isInnerRowEnd: boolean
  isListItem: boolean
  isTableHeader: boolean
  /** 0 to 8 for headings, 9 for text; null: as the style says. */
  outline: number | null
}

export interface DocFormats {
  /** The format of the paragraph whose end is at this byte. */
  paragraphAt(at: number): ParagraphFormat
  /** The ranges between two bytes that tracked changes have deleted, in order. */
  deletedBetween(start: number, end: number): FormattedRange[]
}

export const PLAIN_PARAGRAPH: ParagraphFormat = Object.freeze({
  style: 0,
  isInTable: false,
  isRowEnd: false,
  isInnerCell: false,
  isInnerRowEnd: false,
  isListItem: false,
  isTableHeader: false,
  outline: null,
})

const PAGE_BYTES = 512

export function readDocFormats(header: DocHeader, budget: ExtractBudget): DocFormats {
  const paragraphs: (FormattedRange & { format: ParagraphFormat })[] = []
  const deleted: FormattedRange[] = []
  for (const page of pagesOf(header, header.paragraphPages, budget))
    for (const { start, end, at } of runsOf(page, 13))
      paragraphs.push({ start, end, format: readParagraphFormat(page, at) })
  for (const page of pagesOf(header, header.characterPages, budget))
    for (const { start, end, at } of runsOf(page, 1))
      if (at > 0 && isDeleted(page.subarray(at + 1, at + 1 + (page[at] ?? 0)))) deleted.push({ start, end })
  paragraphs.sort((left, right) => left.start - right.start)
  deleted.sort((left, right) => left.start - right.start)
  return {
    paragraphAt(at) {
      const found = paragraphs[firstAfter(paragraphs, at)]
      return found !== undefined && found.start <= at ? found.format : PLAIN_PARAGRAPH
    },
    deletedBetween(start, end) {
      const found: FormattedRange[] = []
      for (let at = firstAfter(deleted, start); at < deleted.length; at++) {
        const range = deleted[at]
        if (range === undefined || range.start >= end) break
        found.push(range)
      }
      return found
    },
  }
}

/** The place of the first range that ends after a byte. */
function firstAfter(ranges: readonly FormattedRange[], at: number): number {
  let [low, high] = [0, ranges.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ranges[middle]?.end ?? 0) > at) high = middle
    else low = middle + 1
  }
  return low
}

/** The pages with formats. Their list has one more position than pages. */
function* pagesOf({ main }: DocHeader, list: Buffer, budget: ExtractBudget): Generator<Buffer> {
  const count = Math.min(Math.floor((list.length - 4) / 8), Math.ceil(main.length / PAGE_BYTES))
  for (let at = 0; at < count; at++) {
    checkDeadline(budget)
    const place = (list.readUInt32LE(4 * (count + 1) + 4 * at) & 0x3fffff) * PAGE_BYTES
    const page = main.subarray(place, place + PAGE_BYTES)
    if (page.length === PAGE_BYTES) yield page
  }
}

/** The runs of a page: positions, then an entry for each, which begins with half the place of the format. */
function* runsOf(page: Buffer, entryBytes: number): Generator<FormattedRange & { at: number }> {
  const count = Math.min(page[PAGE_BYTES - 1] ?? 0, Math.floor((PAGE_BYTES - 5) / (4 + entryBytes)))
  for (let run = 0; run < count; run++) {
    const at = 2 * (page[4 * (count + 1) + entryBytes * run] ?? 0)
    yield { start: page.readUInt32LE(4 * run), end: page.readUInt32LE(4 * run + 4), at }
  }
}

function readParagraphFormat(page: Buffer, at: number): ParagraphFormat {
  if (at === 0) return PLAIN_PARAGRAPH
  const half = page[at] ?? 0
  const start = half === 0 ? at + 2 : at + 1
  const length = half === 0 ? 2 * (page[at + 1] ?? 0) : 2 * half - 1
  const properties = page.subarray(start, Math.min(start + length, PAGE_BYTES - 1))
  if (properties.length < 2) return PLAIN_PARAGRAPH
  const format = { ...PLAIN_PARAGRAPH, style: properties.readUInt16LE(0) }
  for (const { code, value } of changesOf(properties.subarray(2))) {
    if (code === 0x2416) format.isInTable = value[0] === 1
    else if (code === 0x2417) format.isRowEnd = value[0] === 1
    else if (code === 0x244b) format.isInnerCell = value[0] === 1
    else if (code === 0x244c) format.isInnerRowEnd = value[0] === 1
    else if (code === 0x3404) format.isTableHeader = value[0] === 1
    else if (code === 0x460b) format.isListItem = value.readUInt16LE(0) !== 0
    else if (code === 0x2640) format.outline = value[0] ?? 9
  }
  return format
}

const DELETED = 0x0800

export function isDeleted(properties: Buffer): boolean {
  let isFound = false
  for (const { code, value } of changesOf(properties)) if (code === DELETED) isFound = value[0] === 1
  return isFound
}

/** Bytes of a value, by the upper three bits of its code; 0 for values that begin with their length. */
const VALUE_BYTES = [1, 1, 2, 4, 2, 2, 0, 3]
/** The definition of a table has a length of two bytes. */
const LONG_DEFINITION = 0xd608

/** The single changes of a list of properties. Ends at the first that is cut off. */
function* changesOf(properties: Buffer): Generator<{ code: number; value: Buffer }> {
  let at = 0
  while (at + 3 <= properties.length) {
    const code = properties.readUInt16LE(at)
    let length = VALUE_BYTES[code >> 13] ?? 1
    if (length === 0)
      length =
        code === LONG_DEFINITION && at + 4 <= properties.length
          ? properties.readUInt16LE(at + 2) + 1
          : 1 + (properties[at + 2] ?? 0)
    const value = properties.subarray(at + 2, at + 2 + length)
    if (value.length < length) return
    yield { code, value }
    at += 2 + length
  }
}
