// Splits a byte stream into lines, with a limit on the memory of a line.

export interface NumberedLine {
  /** Starts at 1; blank lines count too. */
  number: number
  /** Null if the line exceeds the limit. */
  bytes: Buffer | null
}

export interface LineSplitter {
  /** The lines that end in this chunk, without blank lines. */
  push(chunk: Buffer): NumberedLine[]
  /** The text after the last line break, at the end of the input. */
  end(): NumberedLine[]
  /** Lines so far, blank ones included. */
  readonly count: number
}

const NEWLINE = 0x0a
const BLANKS = new Set([0x20, 0x09, 0x0d])
const BOM = [0xef, 0xbb, 0xbf]

export function splitLines({ maxBytes }: { maxBytes: number }): LineSplitter {
  let parts: Buffer[] = []
  let length = 0
  let count = 0
  const append = (part: Buffer) => {
    length += part.length
    // One byte more than the limit may be the carriage return of a line that just fits.
    if (length <= maxBytes + 1) parts.push(part)
    else parts = []
  }
  const finish = (): NumberedLine[] => {
    const isWhole = length <= maxBytes + 1
    const [first, second] = parts
    const line = first !== undefined && second === undefined ? first : Buffer.concat(parts)
    const bytes = trimLine(line, count === 0)
    parts = []
    length = 0
    count += 1
    if (!isWhole || bytes.length > maxBytes) return [{ number: count, bytes: null }]
    return isBlankLine(bytes) ? [] : [{ number: count, bytes }]
  }
  return {
    push(piece) {
      const lines: NumberedLine[] = []
      let start = 0
      for (let at = piece.indexOf(NEWLINE); at >= 0; at = piece.indexOf(NEWLINE, start)) {
        append(piece.subarray(start, at))
        lines.push(...finish())
        start = at + 1
      }
      if (start < piece.length) append(piece.subarray(start))
      return lines
    },
    end: () => (length === 0 ? [] : finish()),
    get count() {
      return count
    },
  }
}

function trimLine(bytes: Buffer, isFirst: boolean): Buffer {
  const start = isFirst && BOM.every((it, at) => bytes[at] === it) ? BOM.length : 0
  return bytes.subarray(start, bytes.at(-1) === 0x0d ? -1 : undefined)
}

const isBlankLine = (bytes: Buffer) => bytes.every((it) => BLANKS.has(it))
