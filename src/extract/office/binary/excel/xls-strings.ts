// Reads the strings of a workbook (MS-XLS 2.5.293 and 2.5.294). In Excel 5 and 95 they are bytes of a code page.
import { ReadEnded } from '../../../reader.ts'
import { decodeWith } from '../../../text/decode-text.ts'
import type { XlsRecord } from './xls-records.ts'

export interface XlsEncoding {
  /** Excel 97 and newer. */
  isUnicode: boolean
  encoding: string
}

const [WIDE, PHONETIC, RICH] = [0x01, 0x04, 0x08]

/** The string at a place of a record, which begins with its length of one or two bytes. */
export function readXlsString(
  { data, continued }: Pick<XlsRecord, 'data' | 'continued'>,
  at: number,
  { isUnicode, encoding, lengthBytes }: XlsEncoding & { lengthBytes: 1 | 2 },
): string {
  if (at + lengthBytes > data.length) return ''
  const length = lengthBytes === 1 ? (data[at] ?? 0) : data.readUInt16LE(at)
  if (!isUnicode) return decodeWith(encoding, data.subarray(at + lengthBytes, at + lengthBytes + length))
  const reader = openPieces([data, ...continued], at + lengthBytes)
  return reader.text(length, reader.number(1))
}

/** The shared strings. Formats of parts and phonetic readings are skipped. The last string may be cut off. */
export function readSharedXlsStrings({ data, continued }: XlsRecord, limit: number): string[] {
  const strings: string[] = []
  if (data.length < 8) return strings
  const count = data.readUInt32LE(4)
  const reader = openPieces([data, ...continued], 8)
  while (strings.length < count && !reader.isAtEnd()) {
    if (strings.length >= limit) throw new ReadEnded('limit', 'cells')
    const length = reader.number(2)
    const flags = reader.number(1)
    const runs = (flags & RICH) === 0 ? 0 : reader.number(2)
    const phonetic = (flags & PHONETIC) === 0 ? 0 : reader.number(4)
    strings.push(reader.text(length, flags))
    reader.skip(4 * runs + phonetic)
  }
  return strings
}

interface PieceReader {
  isAtEnd(): boolean
  number(bytes: 1 | 2 | 4): number
  /** Each further piece of a text begins with flags of its own. */
  text(length: number, flags: number): string
  skip(bytes: number): void
}

function openPieces(pieces: readonly Buffer[], from: number): PieceReader {
  let piece = 0
  let at = from
  const current = (): Buffer | undefined => {
    while (piece < pieces.length && at >= (pieces[piece]?.length ?? 0)) {
      at -= pieces[piece]?.length ?? 0
      piece++
    }
    return pieces[piece]
  }
  const byte = () => current()?.[at++] ?? 0
  return {
    isAtEnd: () => current() === undefined,
    number(bytes) {
      let value = 0
      for (let shift = 0; shift < bytes; shift++) value += byte() * 256 ** shift
      return value
    },
    text(length, flags) {
      let text = ''
      let isWide = (flags & WIDE) !== 0
      for (let left = length; left > 0; ) {
        const before = piece
        const bytes = current()
        if (bytes === undefined) break
        if (piece !== before) {
          // A text that goes on in the next piece begins there with its width.
          isWide = (byte() & WIDE) !== 0
          if (current() !== bytes) continue
        }
        const taken = Math.max(1, Math.min(left, Math.floor((bytes.length - at) / (isWide ? 2 : 1))))
        const end = Math.min(at + taken * (isWide ? 2 : 1), bytes.length)
        text += bytes.toString(isWide ? 'utf16le' : 'latin1', at, end)
        at = end
        left -= taken
      }
      return text
    },
    skip(bytes) {
      at += bytes
      current()
    },
  }
}
