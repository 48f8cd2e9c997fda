// What a run shows: a progress bar on the error stream, tables on the other, so that a pipe gets tables only.

export interface Progress {
  step(by?: number): void
  end(): void
}

const BAR = 24
const REDRAW_MS = 100

export function progress(label: string, total: number): Progress {
  const stream = process.stderr
  const begin = performance.now()
  let done = 0
  let drawn = 0
  const draw = () => {
    drawn = performance.now()
    const rate = done / ((drawn - begin) / 1_000)
    const filled = Math.round((BAR * done) / Math.max(total, 1))
    const bar = `${'█'.repeat(filled)}${'░'.repeat(BAR - filled)}`
    const left = done === 0 ? '' : `, ${Math.ceil((total - done) / rate)} s left`
    stream.write(`\r${label} ${bar} ${done}/${total}  ${Math.round(rate)}/s${left}\u001b[K`)
  }
  return {
    step(by = 1) {
      done += by
      if (stream.isTTY && performance.now() - drawn > REDRAW_MS) draw()
    },
    end() {
      if (stream.isTTY) stream.write('\r\u001b[K')
    },
  }
}

/** A line about what goes on, for people. */
export const note = (line: string): void => void process.stderr.write(`${line}\n`)
export const say = (line: string): void => void process.stdout.write(`${line}\n`)

/** Columns as wide as their widest cell; the first is text, the others are figures. */
export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const cells = [head, ...rows].map((row) => row.map(String))
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  const lines = cells.map((row) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))).join('  '),
  )
  return [lines[0], widths.map((width) => '─'.repeat(width)).join('  '), ...lines.slice(1)].join('\n')
}
