// Which styles of a document are headings? Their ids are translated, their names are not.
import { attribute } from './xml-events.ts'
import { xmlOf, type ZipFile } from './zip-file.ts'

/** By style id; a style that is not here is judged by its id. */
export type HeadingStyles = ReadonlyMap<string, boolean>

interface Style {
  isHeading: boolean
  basedOn: string | null
}

export async function readHeadingStyles(zip: ZipFile): Promise<HeadingStyles> {
  const member = zip.find('word/styles.xml')
  const styles = new Map<string, Style>()
  if (member === undefined) return new Map()
  let style: Style | undefined
  await xmlOf(member, {
    open(name, attributes) {
      const value = attribute(attributes, 'val') ?? ''
      if (name === 'style') {
        style = { isHeading: false, basedOn: null }
        styles.set(attribute(attributes, 'styleId') ?? '', style)
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

/** Styles may rest on each other in a circle. */
const MAX_STEPS = 20

function isHeading(styles: ReadonlyMap<string, Style>, id: string): boolean {
  let style = styles.get(id)
  for (let step = 0; style !== undefined && step < MAX_STEPS; step++) {
    if (style.isHeading) return true
    style = style.basedOn === null ? undefined : styles.get(style.basedOn)
  }
  return false
}
