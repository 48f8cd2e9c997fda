// The output of a run: progress on standard error, tables on standard output, so that a pipe gets only tables.
import { createProgressBar } from '../src/cli/progress.ts'

export interface BenchProgress {
  step(by?: number): void
  end(): void
}

export function progress(label: string, total: number): BenchProgress {
  const shown = createProgressBar({
    stream: process.stderr,
    label,
    unit: `of ${total}`,
    clock: () => performance.now(),
  })
  let done = 0
  return {
    step(by = 1) {
      done += by
      shown.update(done, done / Math.max(total, 1))
    },
    end: shown.end,
  }
}

/** Prints a line of progress for people. */
export const note = (line: string): void => void process.stderr.write(`${line}\n`)
export const print = (line: string): void => void process.stdout.write(`${line}\n`)

/** Each column is as wide as its widest cell. The first column is text, the others are figures. */
export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const cells = [head, ...rows].map((row) => row.map(String))
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  const lines = cells.map((row) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))).join('  '),
  )
  return [lines[0], widths.map((width) => '─'.repeat(width)).join('  '), ...lines.slice(1)].join('\n')
}
