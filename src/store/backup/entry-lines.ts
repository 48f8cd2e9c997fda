// Reads the lines of a backup file; each is a JSON array of cells. A backup may be handcrafted, so lines longer than
// ours are rejected, and no line is parsed that yields more values than a row has cells.
import { StringDecoder } from 'node:string_decoder'
import { AppError } from '../../domain/errors.ts'
import type { ArchiveEntry } from './archive.ts'

/** A row holds a document of at most 16 million characters, each of which may need six characters in JSON. */
const MAX_LINE = 120 << 20
/** Characters before the last line of a file: twice what a backup writes. */
const MAX_ROWS_FILE = 8 << 20
/** Parsing a line of this length is cheap in any case. */
const SMALL_LINE = 1 << 20
/** A cell is a value or an object with one value: a comma and two braces. */
const MARKS_PER_CELL = 3
const MAX_CELLS = 1_000

/** Yields batches as they arrive; yielding single lines would take several times as long. */
export async function* readEntryLines({ name, content }: ArchiveEntry): AsyncIterable<string[]> {
  const decoder = new StringDecoder('utf8')
  let parts: string[] = []
  let length = 0
  let charactersBefore = 0
  for await (const piece of content) {
    const lines: string[] = []
    for (const [at, part] of decoder.write(Buffer.from(piece)).split('\n').entries()) {
      if (at > 0) {
        if (charactersBefore > MAX_ROWS_FILE) throw damagedEntry(name, 'is longer than backups make it')
        charactersBefore += length + 1
        lines.push(checkLine(parts.join(''), name))
        parts = []
        length = 0
      }
      parts.push(part)
      length += part.length
      if (length > MAX_LINE) throw damagedEntry(name, `has a line of more than ${MAX_LINE} characters`)
      // Each line must begin with `[`. Leading spaces are not skipped, because there might be endless ones.
      if (length === part.length && part !== '' && !part.startsWith('[')) throw damagedEntry(name, 'is damaged')
    }
    yield lines
  }
  if (length > 0) throw damagedEntry(name, 'ends in the middle of a line')
}

const damagedEntry = (name: string, how: string) => new AppError('BACKUP_INVALID', { reason: `${name} ${how}` })

function checkLine(line: string, name: string): string {
  if (line.length > SMALL_LINE && countMarks(line) > MAX_CELLS * MARKS_PER_CELL) throw damagedEntry(name, 'is damaged')
  return line
}

/** Counts commas, brackets and braces outside of strings. */
function countMarks(line: string): number {
  let marks = 0
  for (let at = 0; at < line.length; at++) {
    const char = line.charCodeAt(at)
    if (char === QUOTE) at = endOfString(line, at)
    else if (MARK_CODES.has(char)) marks++
  }
  return marks
}

const QUOTE = 34
const BACKSLASH = 92
const MARK_CODES = new Set(Array.from(',[]{}', (it) => it.charCodeAt(0)))

function endOfString(line: string, start: number): number {
  for (let at = line.indexOf('"', start + 1); at >= 0; at = line.indexOf('"', at + 1)) {
    let escapes = 0
    while (line.charCodeAt(at - 1 - escapes) === BACKSLASH) escapes++
    if (escapes % 2 === 0) return at
  }
  return line.length
}
