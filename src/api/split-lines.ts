// From bytes as they come to lines, with a bound on what a line may hold of the memory.

export interface Line {
  /** The first is 1; blank lines are counted too. */
  number: number
  /** Null when the line is longer than the limit. */
  bytes: Buffer | null
}

export interface LineSplitter {
  /** The lines that end in this piece, without the blank ones. */
  push(piece: Buffer): Line[]
  /** What stood after the last line break, once there is no more. */
  end(): Line[]
  /** How many lines there were so far, blank ones too. */
  readonly count: number
}

const NEWLINE = 0x0a
const BLANKS = new Set([0x20, 0x09, 0x0d])
const BOM = [0xef, 0xbb, 0xbf]

export function splitLines({ maxBytes }: { maxBytes: number }): LineSplitter {
  let parts: Buffer[] = []
  let length = 0
  let count = 0
  const keep = (part: Buffer) => {
    length += part.length
    // One more than the limit may be the carriage return of a line that just fits.
    if (length <= maxBytes + 1) parts.push(part)
    else parts = []
  }
  const finish = (): Line[] => {
    const isWhole = length <= maxBytes + 1
    const bytes = trimmed(parts.length === 1 ? parts[0]! : Buffer.concat(parts), count === 0)
    parts = []
    length = 0
    count += 1
    if (!isWhole || bytes.length > maxBytes) return [{ number: count, bytes: null }]
    return isBlank(bytes) ? [] : [{ number: count, bytes }]
  }
  return {
    push(piece) {
      const lines: Line[] = []
      let start = 0
      for (let at = piece.indexOf(NEWLINE); at >= 0; at = piece.indexOf(NEWLINE, start)) {
        keep(piece.subarray(start, at))
        lines.push(...finish())
        start = at + 1
      }
      if (start < piece.length) keep(piece.subarray(start))
      return lines
    },
    end: () => (length === 0 ? [] : finish()),
    get count() {
      return count
    },
  }
}

function trimmed(bytes: Buffer, isFirst: boolean): Buffer {
  const start = isFirst && BOM.every((it, at) => bytes[at] === it) ? BOM.length : 0
  return bytes.subarray(start, bytes.at(-1) === 0x0d ? -1 : undefined)
}

const isBlank = (bytes: Buffer) => bytes.every((it) => BLANKS.has(it))
