// Reads the text of a Word document, which is stored in pieces (MS-DOC 2.8.35). A fast save only adds pieces.
import { checkDeadline, type ExtractBudget } from '../../../reader.ts'
import { decodeWith } from '../../../text/decode-text.ts'
import { encodingOfLanguage } from '../../code-pages.ts'
import { type DocFormats, isDeleted } from './doc-formats.ts'
import type { DocHeader } from './doc-header.ts'

interface DocPiece {
  /** In characters. */
  start: number
  end: number
  /** In the text stream, in bytes. */
  place: number
  isWide: boolean
  isDeleted: boolean
}

export interface TextRun {
  text: string
  /** The byte of the first character, and the bytes of each. */
  place: number
  charBytes: 1 | 2
  /** Deleted text counts only for the ends of cells. */
  isDeleted: boolean
}

const [PROPERTIES, PIECES] = [1, 2]
const COMPRESSED = 0x40000000

export function listPieces(header: DocHeader): DocPiece[] {
  const { pieces } = header
  const properties: Buffer[] = []
  let at = 0
  while (at + 5 <= pieces.length && pieces[at] === PROPERTIES) {
    const length = pieces.readUInt16LE(at + 1)
    properties.push(pieces.subarray(at + 3, at + 3 + length))
    at += 3 + length
  }
  if (at + 5 > pieces.length || pieces[at] !== PIECES) return [wholeText(header)]
  const list = pieces.subarray(at + 5, at + 5 + pieces.readUInt32LE(at + 1))
  const count = Math.floor((list.length - 4) / 12)
  return Array.from({ length: Math.max(0, count) }, (_, piece) => {
    const entry = 4 * (count + 1) + 8 * piece
    const place = list.readUInt32LE(entry + 2)
    const isNarrow = header.isOld || (place & COMPRESSED) !== 0
    return {
      start: list.readUInt32LE(4 * piece),
      end: list.readUInt32LE(4 * piece + 4),
      place: header.isOld ? place : isNarrow ? (place & ~COMPRESSED) >>> 1 : place & 0x3fffffff,
      isWide: !isNarrow,
      isDeleted: isDeletedPiece(list.readUInt16LE(entry + 6), properties),
    }
  })
}

/** A document that was saved whole by Word 6 has no pieces. */
const wholeText = ({ textBytes: [start, end] }: DocHeader): DocPiece => ({
  start: 0,
  end: Math.max(0, end - start),
  place: start,
  isWide: false,
  isDeleted: false,
})

/** The number of the short form of the same property. */
const SHORT_DELETED = 0x41

function isDeletedPiece(change: number, properties: readonly Buffer[]): boolean {
  if ((change & 1) === 0) return ((change >> 1) & 0x7f) === SHORT_DELETED && change >> 8 === 1
  const list = properties[change >> 1]
  return list !== undefined && isDeleted(list)
}

/** The text between two characters. Pieces that overlap the end of the file are cut off there. */
export function* readRuns(
  { header, pieces, formats }: { header: DocHeader; pieces: readonly DocPiece[]; formats: DocFormats },
  [from, to]: readonly [number, number],
  budget: ExtractBudget,
): Generator<TextRun> {
  const encoding = encodingOf(header)
  for (const piece of pieces) {
    checkDeadline(budget)
    const start = Math.max(piece.start, from)
    const end = Math.min(piece.end, to)
    if (end <= start) continue
    const charBytes = piece.isWide ? 2 : 1
    const place = piece.place + (start - piece.start) * charBytes
    const bytes = header.main.subarray(place, place + (end - start) * charBytes)
    const toText = (run: Buffer) => (piece.isWide ? run.toString('utf16le') : decodeWith(encoding, run))
    for (const { first, last, isGone } of splitAtDeleted(formats, place, place + bytes.length))
      yield {
        text: toText(bytes.subarray(first - place, last - place)),
        place: first,
        charBytes,
        isDeleted: isGone || piece.isDeleted,
      }
  }
}

function encodingOf({ isOld, isMacintosh, language }: DocHeader): string {
  if (!isOld) return 'windows-1252'
  return isMacintosh ? 'macintosh' : encodingOfLanguage(language)
}

function* splitAtDeleted(
  formats: DocFormats,
  start: number,
  end: number,
): Generator<{ first: number; last: number; isGone: boolean }> {
  let at = start
  for (const range of formats.deletedBetween(start, end)) {
    if (range.end <= at) continue
    if (range.start > at) yield { first: at, last: range.start, isGone: false }
    const last = Math.min(range.end, end)
    yield { first: Math.max(at, range.start), last, isGone: true }
    at = last
  }
  if (at < end) yield { first: at, last: end, isGone: false }
}
