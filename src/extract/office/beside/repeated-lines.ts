// Headers and footers: each text once, without page numbers and dates that a program fills in.

export interface RepeatedLines {
  /** `hasField`: a page number or a similar field was left out of the text. */
  add(text: string, hasField: boolean): void
  /** In the order in which they were added. */
  lines(): string[]
}

export const REPEATED_HEADING = 'Headers and footers'

/** Real documents have fewer. */
const MAX_LINES = 1_000
const MAX_LINE = 2_000
/** The rest of "Page 1 of 9" is no text of the document. */
const LETTERS_OF_PAGE_NUMBER = 9

export function createRepeatedLines(): RepeatedLines {
  const found = new Set<string>()
  return {
    add(text, hasField) {
      const line = text.replace(/\s+/g, ' ').trim().slice(0, MAX_LINE)
      if (!/[\p{L}\p{N}]/u.test(line) || found.size >= MAX_LINES) return
      if (!hasField || countLetters(line) > LETTERS_OF_PAGE_NUMBER) found.add(line)
    },
    lines: () => [...found],
  }
}

const countLetters = (line: string): number => line.replace(/[^\p{L}\p{N}]/gu, '').length

/** Writes the lines as the last section of the document. */
export function writeRepeatedLines(
  section: (section: { text: string; heading: string }) => void,
  repeated: RepeatedLines,
): void {
  const lines = repeated.lines()
  if (lines.length > 0) section({ text: lines.join('\n'), heading: REPEATED_HEADING })
}
