// Collects lines into sections, split at headings.
import type { ReaderContext } from './reader.ts'

/** Longer sections are emitted in pieces, because unemitted text is not charged to the budget. */
const MAX_SECTION_LENGTH = 60_000

/** A section that shows a picture. The text is the alternative text. */
export interface PicturePlace {
  pictureKey: string
  text: string
}

export interface SectionWriter {
  heading(text: string, anchor: string | null): void
  line(text: string): void
  /** A row of a table. A section that begins with it begins with the header. */
  row(line: string, header: string): void
  /** A picture that stands here: it follows the text of its section. */
  picture(picture: PicturePlace | null): void
  end(): void
}

export function createSectionWriter({ section }: Pick<ReaderContext, 'section'>): SectionWriter {
  let heading: string | null = null
  let anchor: string | null = null
  let lines: string[] = []
  let length = 0
  let hasNewHeading = false
  let pictures: PicturePlace[] = []

  const flush = () => {
    if (length > 0 || hasNewHeading) section({ text: lines.join('\n'), heading, anchor })
    for (const it of pictures) section({ ...it, heading, anchor })
    pictures = []
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
    picture(picture) {
      if (picture !== null) pictures.push(picture)
    },
    end: flush,
  }
}
