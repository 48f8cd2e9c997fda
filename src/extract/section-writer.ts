// Collects lines into sections, split at headings.
import type { ReaderContext } from './reader.ts'

/** Longer sections are emitted in pieces, because unemitted text is not charged to the budget. */
const MAX_SECTION_LENGTH = 60_000

export interface SectionWriter {
  heading(text: string, anchor: string | null): void
  line(text: string): void
  /** A row of a table. A section that begins with it begins with the header. */
  row(line: string, header: string): void
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
  const line = (text: string) => {
    if (text === '' && lines.at(-1) === '') return
    lines.push(text)
    length += text.length
    if (length > MAX_SECTION_LENGTH) flush()
  }
  return {
    line,
    row(text, header) {
      if (lines.length === 0) line(header)
      line(text)
    },
    heading(text, at) {
      flush()
      heading = text.replace(/\s+/g, ' ').trim() || null
      anchor = at
      hasNewHeading = heading !== null
    },
    end: flush,
  }
}
