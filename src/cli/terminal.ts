// Output to a terminal. Text of documents is escaped, because control characters could move the cursor, hide text or
// simulate input.
import { zip } from '../domain/values/zip.ts'
import { createProgressBar, type ProgressBar } from './progress.ts'

export interface Terminal {
  /** Prints a result to standard output. */
  print(line: string): void
  /** Prints a message to standard error, so that a pipe gets only the result. */
  note(line: string): void
  /** Prints a result for programs, as one line. */
  json(value: unknown): void
  bold(text: string): string
  progress(label: string, unit: string): ProgressBar
}

export interface OutputStream {
  write(text: string): unknown
  isTTY?: boolean
}

export interface TerminalSettings {
  out: OutputStream
  error: OutputStream
  /** Off if the output is not a terminal or NO_COLOR is set. */
  hasColors: boolean
  clock: () => number
}

export function createTerminal({ out, error, hasColors, clock }: TerminalSettings): Terminal {
  return {
    print: (line) => void out.write(`${line}\n`),
    note: (line) => void error.write(`${line}\n`),
    json: (value) => void out.write(`${escapeControls(JSON.stringify(value))}\n`),
    bold: (text) => (hasColors && out.isTTY === true ? `\u001b[1m${text}\u001b[22m` : text),
    progress: (label, unit) => createProgressBar({ stream: error, label, unit, clock }),
  }
}

/** Control characters, direction marks and unusual line separators. */
const UNSAFE = /[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g

/** Puts untrusted text on one line: white space becomes blanks, unsafe characters are escaped. */
export const toPlainText = (text: string): string => text.replace(/[\t\n\r]+/g, ' ').replace(UNSAFE, escapeCharacter)

const escapeControls = (json: string): string => json.replace(UNSAFE, escapeCharacter)

const escapeCharacter = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Sizes columns to their widest cell and aligns numbers to the right. */
export function formatTable(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const cells = [head, ...rows].map((row) =>
    row.map((it) => (typeof it === 'number' ? it.toLocaleString('en') : toPlainText(it))),
  )
  const columns = head.map((_, column) => ({
    width: Math.max(...cells.map((row) => row[column]?.length ?? 0)),
    isFigure: rows.length > 0 && rows.every((row) => typeof row[column] === 'number'),
  }))
  return cells
    .map((row) =>
      zip(columns, row)
        .map(([{ width, isFigure }, cell]) => (isFigure ? cell.padStart(width) : cell.padEnd(width)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

export const formatBytes = (count: number): string => {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const power = count < 1 ? 0 : Math.min(Math.floor(Math.log10(count) / 3), units.length - 1)
  return `${(count / 1_000 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`
}
