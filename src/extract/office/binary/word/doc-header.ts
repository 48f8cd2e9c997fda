// Reads the file information block (MS-DOC 2.5) of Word 97 to 2003, and that of Word 6 and 95.
import { ReadEnded } from '../../../reader.ts'
import type { CompoundStreams } from '../compound-streams.ts'

/** The parts of the text, in the order in which they follow each other. */
export type DocPart = 'text' | 'footnotes' | 'headers' | 'macros' | 'comments' | 'endnotes' | 'boxes' | 'headerBoxes'

export interface DocHeader {
  main: Buffer
  /** Word 6 and 95 store text in the code page of their language. */
  isOld: boolean
  language: number
  isMacintosh: boolean
  /** Where the text begins and ends in `main` if there are no pieces. */
  textBytes: [start: number, end: number]
  /** Lengths in characters. */
  parts: readonly (readonly [part: DocPart, length: number])[]
  pieces: Buffer
  /** The formats are empty for Word 6 and 95, which write them in another way. */
  styles: Buffer
  characterPages: Buffer
  paragraphPages: Buffer
}

const [WORD_97, WORD_6] = [0xa5ec, 0xa5dc]
/** The character set of the program that saved the file. */
const MACINTOSH = 256
const [ENCRYPTED, SECOND_TABLE] = [0x0100, 0x0200]
const PARTS: readonly DocPart[] = [
  'text',
  'footnotes',
  'headers',
  'macros',
  'comments',
  'endnotes',
  'boxes',
  'headerBoxes',
]
/** Where the pairs of place and length are. */
const PLACES_97 = { lengths: 76, styles: 162, characters: 250, paragraphs: 258, pieces: 418 }
const PLACES_6 = { ...PLACES_97, lengths: 52, pieces: 352 }
const EMPTY = Buffer.alloc(0)

/** Throws `ReadEnded` if the document is encrypted or of another program. */
export function readDocHeader(streams: CompoundStreams): DocHeader {
  const main = streams.read('WordDocument')
  if (main === undefined || main.length < 32) throw new ReadEnded('damaged', 'The document has no text stream.')
  const mark = main.readUInt16LE(0)
  const isOld = mark === WORD_6
  const flags = main.readUInt16LE(10)
  if ((flags & ENCRYPTED) !== 0) throw new ReadEnded('password', 'The document is password-protected.')
  if (mark !== WORD_97 && !isOld)
    throw new ReadEnded('unsupported', 'Documents of this version of Word are not supported. Save the file as DOCX.')
  const places = isOld ? PLACES_6 : PLACES_97
  const table = isOld ? main : streams.read((flags & SECOND_TABLE) === 0 ? '0Table' : '1Table')
  if (table === undefined || main.length < places.pieces + 8)
    throw new ReadEnded('damaged', 'Parts of the document are missing.')
  const pairAt = (at: number): Buffer => {
    const start = main.readUInt32LE(at)
    return table.subarray(start, start + main.readUInt32LE(at + 4))
  }
  return {
    main,
    isOld,
    language: main.readUInt16LE(6),
    isMacintosh: main[18] === 1 || main.readUInt16LE(20) === MACINTOSH,
    textBytes: [main.readUInt32LE(24), main.readUInt32LE(28)],
    parts: PARTS.map((part, at) => [part, Math.max(0, main.readInt32LE(places.lengths + 4 * at))]),
    pieces: pairAt(places.pieces),
    styles: isOld ? EMPTY : pairAt(places.styles),
    characterPages: isOld ? EMPTY : pairAt(places.characters),
    paragraphPages: isOld ? EMPTY : pairAt(places.paragraphs),
  }
}
