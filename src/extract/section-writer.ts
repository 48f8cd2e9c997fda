// Collects lines into sections, split at headings.
import type { ReaderContext } from './reader.ts'

/** Longer sections are emitted in pieces, because unemitted text is not charged to the budget. */
const MAX_SECTION_LENGTH = 60_000

export interface SectionWriter {
  heading(text: string, anchor: string | null): void
  line(text: string): void
  end(): void
}

export function createSectionWriter({ section }: Pick<ReaderContext, 'section'>): SectionWriter {
  let heading: string | null = null
  let anchor: string | null = null
  let lines: string[] = []
  let length = 0
  let hasNewHeading = false

  const flush = () => {
    if (length > 0 || hasNewHeading) section({ text: lines.join('\n'), heading, anchor })
    lines = []
    length = 0
    hasNewHeading = false
  }
  return {
    heading(text, at) {
      flush()
      heading = text.replace(/\s+/g, ' ').trim() || null
      anchor = at
      hasNewHeading = heading !== null
    },
    line(text) {
      if (text === '' && lines.at(-1) === '') return
      lines.push(text)
      length += text.length
      if (length > MAX_SECTION_LENGTH) flush()
    },
    end: flush,
  }
}

/** Formats a table row as a line. */
export const joinCells = (cells: readonly string[]): string =>
  cells
    .map((it) => it.replace(/\s+/g, ' ').trim())
    .join(' | ')
    .replace(/^[ |]+$/, '')
    .trim()
