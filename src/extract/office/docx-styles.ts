// Finds the heading styles of a document. Style ids are localized, their names are not.

import { parseXmlMember, type ZipFile } from '../archive/zip-file.ts'
import { attributeNamed } from '../xml/xml-parser.ts'

/** Keyed by style id. For missing styles the id decides. */
export type HeadingStyles = ReadonlyMap<string, boolean>

interface ParagraphStyle {
  isHeading: boolean
  basedOn: string | null
}

export async function readHeadingStyles(zip: ZipFile): Promise<HeadingStyles> {
  const member = zip.find('word/styles.xml')
  const styles = new Map<string, ParagraphStyle>()
  if (member === undefined) return new Map()
  let style: ParagraphStyle | undefined
  await parseXmlMember(member, {
    open(name, attributes) {
      const value = attributeNamed(attributes, 'val') ?? ''
      if (name === 'style') {
        style = { isHeading: false, basedOn: null }
        styles.set(attributeNamed(attributes, 'styleId') ?? '', style)
      } else if (style === undefined) return
      else if (name === 'name') style.isHeading ||= /^(?:heading \d|title)$/i.test(value)
      else if (name === 'basedOn') style.basedOn = value
      else if (name === 'outlineLvl') style.isHeading ||= Number(value) < 9
    },
    close(name) {
      if (name === 'style') style = undefined
    },
  })
  return new Map([...styles.keys()].map((id) => [id, isHeading(styles, id)]))
}

/** Styles may be based on each other in a cycle. */
const MAX_STYLE_DEPTH = 20

function isHeading(styles: ReadonlyMap<string, ParagraphStyle>, id: string): boolean {
  let style = styles.get(id)
  for (let step = 0; style !== undefined && step < MAX_STYLE_DEPTH; step++) {
    if (style.isHeading) return true
    style = style.basedOn === null ? undefined : styles.get(style.basedOn)
  }
  return false
}
