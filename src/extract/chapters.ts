// Lines in the order in which they are read, cut into sections by headings.
import type { Reading } from './reading.ts'

/** A section that grows beyond this is handed over in pieces: text in hand counts for nothing yet. */
const PIECE = 60_000

export interface Chapters {
  heading(text: string, anchor: string | null): void
  line(text: string): void
  end(): void
}

export function createChapters({ section }: Pick<Reading, 'section'>): Chapters {
  let heading: string | null = null
  let anchor: string | null = null
  let lines: string[] = []
  let length = 0
  let isFresh = false

  const flush = () => {
    if (length > 0 || isFresh) section({ text: lines.join('\n'), heading, anchor })
    lines = []
    length = 0
    isFresh = false
  }
  return {
    heading(text, at) {
      flush()
      heading = text.replace(/\s+/g, ' ').trim() || null
      anchor = at
      isFresh = heading !== null
    },
    line(text) {
      if (text === '' && lines.at(-1) === '') return
      lines.push(text)
      length += text.length
      if (length > PIECE) flush()
    },
    end: flush,
  }
}

/** A row of a table, as a line. */
export const rowText = (cells: readonly string[]): string =>
  cells
    .map((it) => it.replace(/\s+/g, ' ').trim())
    .join(' | ')
    .replace(/^[ |]+$/, '')
    .trim()
