// What a person at a terminal sees. Texts of documents never reach it as they are: they could move the cursor, hide
// what stands beside them, or press keys.
import { createProgress, type Progress } from './progress.ts'

export interface Terminal {
  /** The result, on the standard output. */
  say(line: string): void
  /** What goes on, on the error stream, so that a pipe gets the result only. */
  note(line: string): void
  /** A result for programs: one line, whatever is in it. */
  json(value: unknown): void
  strong(text: string): string
  progress(label: string, unit: string): Progress
}

export interface Stream {
  write(text: string): unknown
  isTTY?: boolean
}

export interface TerminalSettings {
  out: Stream
  error: Stream
  /** Colours and the like; off where nobody looks, or where NO_COLOR is set. */
  isColourful: boolean
  clock: () => number
}

export function createTerminal({ out, error, isColourful, clock }: TerminalSettings): Terminal {
  return {
    say: (line) => void out.write(`${line}\n`),
    note: (line) => void error.write(`${line}\n`),
    json: (value) => void out.write(`${asciiControls(JSON.stringify(value))}\n`),
    strong: (text) => (isColourful && out.isTTY === true ? `\u001b[1m${text}\u001b[22m` : text),
    progress: (label, unit) => createProgress({ stream: error, label, unit, clock }),
  }
}

/** Control characters, marks that turn the direction of writing, and line ends that only some programs know. */
const UNSAFE = /[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g

/** One line of somebody else's text: white space as blanks, what is not to be seen as its number. */
export const plain = (text: string): string => text.replace(/[\t\n\r]+/g, ' ').replace(UNSAFE, escaped)

const asciiControls = (json: string): string => json.replace(UNSAFE, escaped)

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Columns as wide as their widest cell; figures to the right. */
export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const cells = [head, ...rows].map((row) =>
    row.map((it) => (typeof it === 'number' ? it.toLocaleString('en') : plain(it))),
  )
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  const isFigure = (column: number) => rows.length > 0 && rows.every((row) => typeof row[column] === 'number')
  return cells
    .map((row) =>
      row
        .map((cell, column) => (isFigure(column) ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

export const bytes = (count: number): string => {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const power = count < 1 ? 0 : Math.min(Math.floor(Math.log10(count) / 3), units.length - 1)
  return `${(count / 1_000 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`
}
