// Reads the texts of a slide (MS-PPT 2.5, MS-ODRAW 2.2): titles, other texts, tables, comments, headers and footers.
import { rowLine } from '../../../../text/tables/row-line.ts'
import { ReadEnded } from '../../../reader.ts'
import type { RepeatedLines } from '../../beside/repeated-lines.ts'
import { findRecord, type PptRecord, recordsIn } from './ppt-records.ts'

export interface PptSlideTexts {
  title: string | null
  lines: string[]
  comments: string[]
}

const [TEXT_KIND, WIDE_TEXT, NARROW_TEXT, TEXT_OF_LIST] = [0xf9f, 0xfa0, 0xfa8, 0xf9e]
const [SHAPES, SHAPE, TEXT_BOX, ANCHOR, TABLE_PROPERTIES] = [0xf003, 0xf004, 0xf00d, 0xf00f, 0xf122]
/** Comments are in data that is no container by its mark. */
const TAG_DATA = 0x138b
const [COMMENT, STRING, HEADERS, PLACEHOLDER] = [0x2ee0, 0xfba, 0xfd9, 0xbc3]
/** Kinds of texts: of the slide, and of a title slide. */
const TITLES = new Set([0, 6])
/** Places of the date, the number of the slide, the footer, and the header of notes. */
const REPEATED_PLACES = new Set([7, 8, 9, 10, 11])
/** The property that says that a group is a table. */
const IS_TABLE = 0x39f
const MAX_DEPTH = 100

interface Text {
  kind: number
  text: string
}

export function readPptSlide(slide: Buffer, listed: readonly PptRecord[], repeated: RepeatedLines): PptSlideTexts {
  const found: PptSlideTexts = { title: null, lines: [], comments: [] }
  const texts = readTexts(listed)
  const seen = new Set<number>()
  const addText = ({ kind, text }: Text) => {
    if (TITLES.has(kind) && text.trim() !== '') found.title = found.title === null ? text : `${found.title} ${text}`
    else found.lines.push(...text.split('\n'))
  }
  const textsOf = (shape: Buffer): Text[] => {
    const box = [...recordsIn(shape)].find((it) => it.type === TEXT_BOX)
    if (box === undefined) return []
    const records = [...recordsIn(box.data)]
    const index = records.find((it) => it.type === TEXT_OF_LIST && it.data.length >= 4)?.data.readUInt32LE(0)
    if (index === undefined) return readTexts(records)
    seen.add(index)
    const text = texts[index]
    return text === undefined ? [] : [text]
  }
  const walk = (bytes: Buffer, depth: number) => {
    if (depth > MAX_DEPTH) throw new ReadEnded('limit', 'nesting')
    for (const record of recordsIn(bytes)) {
      if (record.type === SHAPE) {
        if (!isRepeated(record.data)) for (const text of textsOf(record.data)) addText(text)
      } else if (record.type === SHAPES && isTable(record.data)) found.lines.push(...readTable(record.data, textsOf))
      else if (record.type === COMMENT) found.comments.push(readComment(record.data))
      else if (record.type === HEADERS) addHeaders(record.data, repeated)
      else if (record.isContainer || record.type === TAG_DATA) walk(record.data, depth + 1)
    }
  }
  walk(slide, 0)
  for (const [index, text] of texts.entries()) if (!seen.has(index)) addText(text)
  return found
}

/** A kind stands before its text. */
function readTexts(records: readonly PptRecord[]): Text[] {
  const texts: Text[] = []
  let hasText = true
  for (const { type, data } of records) {
    if (type === TEXT_KIND) {
      texts.push({ kind: data.length >= 4 ? data.readUInt32LE(0) : -1, text: '' })
      hasText = false
    } else if (type === WIDE_TEXT || type === NARROW_TEXT) {
      const text = { kind: hasText ? -1 : (texts.pop()?.kind ?? -1), text: plainText(decode(type, data)) }
      texts.push(text)
      hasText = true
    }
  }
  return texts
}

/** Narrow texts have the lower halves of UTF-16. */
const decode = (type: number, data: Buffer): string => data.toString(type === NARROW_TEXT ? 'latin1' : 'utf16le')

/** The end of a paragraph and of a line. A star stands for a number or a date, but also for itself. */
const plainText = (text: string): string => text.replace(/\r/g, '\n').replace(/\x0b/g, ' ')

function isRepeated(shape: Buffer): boolean {
  const place = findRecord(shape, PLACEHOLDER)?.data[4]
  return place !== undefined && REPEATED_PLACES.has(place)
}

/** The first shape of a group has the properties of the whole group. */
function isTable(group: Buffer): boolean {
  const first = [...recordsIn(group)].find((it) => it.type === SHAPE)
  if (first === undefined) return false
  for (const { type, instance, data } of recordsIn(first.data)) {
    if (type !== TABLE_PROPERTIES) continue
    for (let at = 0; at < 6 * instance && at + 6 <= data.length; at += 6)
      if ((data.readUInt16LE(at) & 0x3fff) === IS_TABLE) return (data.readUInt32LE(at + 2) & 1) !== 0
  }
  return false
}

/** The rows of a table from the places of its cells. */
function readTable(group: Buffer, textsOf: (shape: Buffer) => Text[]): string[] {
  const cells: { top: number; left: number; text: string }[] = []
  for (const { type, data } of recordsIn(group)) {
    if (type !== SHAPE) continue
    const anchor = [...recordsIn(data)].find((it) => it.type === ANCHOR)?.data
    if (anchor === undefined || anchor.length < 16) continue
    const text = textsOf(data).map((it) => it.text)
    if (text.length > 0) cells.push({ left: anchor.readInt32LE(0), top: anchor.readInt32LE(4), text: text.join(' ') })
  }
  cells.sort((one, other) => one.top - other.top || one.left - other.left)
  const rows = new Map<number, string[]>()
  for (const { top, text } of cells) {
    const row = rows.get(top) ?? []
    if (row.length === 0) rows.set(top, row)
    row.push(text)
  }
  return [...rows.values()].map(rowLine)
}

/** The strings of a comment are its author, its text and initials. */
function readComment(comment: Buffer): string {
  const strings = [...recordsIn(comment)].filter((it) => it.type === STRING)
  return strings.find((it) => it.instance === 1)?.data.toString('utf16le') ?? ''
}

/** The strings are a date of the author, the header and the footer. */
export function addHeaders(headers: Buffer, repeated: RepeatedLines): void {
  for (const { type, instance, data } of recordsIn(headers))
    if (type === STRING && instance > 0) repeated.add(data.toString('utf16le'), false)
}
