// Where in the sections of a document the text of a chunk stands: a piece of one section, or several short ones.
import type { Chunk } from '../chunk.ts'
import type { DocumentSection } from '../document.ts'

/** A part of a section's text, in UTF-16 code units, end exclusive. */
export interface PassageMark {
  section: number
  from: number
  to: number
}

type SectionText = Pick<DocumentSection, 'text' | 'link'>

/** In the order of the sections. Empty if the document no longer has the text. */
export function findPassage(sections: readonly SectionText[], { content, link }: Chunk): PassageMark[] {
  const numbered = sections.map((it, section) => ({ ...it, section }))
  const linked = numbered.filter((it) => it.link === link)
  for (const candidates of [linked, numbered]) {
    const marks = findPiece(candidates, content) ?? findWholeSections(candidates, content)
    if (marks.length > 0) return marks
  }
  return []
}

type NumberedSection = SectionText & { section: number }

/** A chunk may begin with the heading of its section, or with the header of a table: a line, or two in Markdown. */
const MAX_ADDED_LINES = 2

/** The chunk is a piece of one section, behind the lines that were added to it. */
function findPiece(sections: readonly NumberedSection[], content: string): PassageMark[] | null {
  const lines = content.split('\n')
  for (let added = 0; added <= Math.min(MAX_ADDED_LINES, lines.length - 1); added++) {
    const needle = lines.slice(added).join('\n').trim()
    if (needle === '') continue
    for (const { section, text } of sections) {
      const from = text.indexOf(needle)
      if (from !== -1) return [{ section, from, to: from + needle.length }]
    }
  }
  return null
}

/** The chunk joins sections in their order. */
function findWholeSections(sections: readonly NumberedSection[], content: string): PassageMark[] {
  const marks: PassageMark[] = []
  let done = 0
  for (const { section, text } of sections) {
    const own = text.trim()
    const at = own === '' ? -1 : content.indexOf(own, done)
    if (at === -1) {
      if (marks.length > 0 && own !== '') break
      continue
    }
    const from = text.indexOf(own)
    marks.push({ section, from, to: from + own.length })
    done = at + own.length
  }
  return marks
}
