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

/** The chunk is a piece of one section. A heading is the first line of its section's first chunk. */
function findPiece(sections: readonly NumberedSection[], content: string): PassageMark[] | null {
  const lineEnd = content.indexOf('\n')
  const needles = [content, ...(lineEnd === -1 ? [] : [content.slice(lineEnd + 1)])].map((it) => it.trim())
  for (const needle of needles) {
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
