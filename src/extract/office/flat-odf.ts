// Reads OpenDocument files that are one XML document (ISO/IEC 26300, 3.1.2) instead of a package.
import { ReadEnded, type ReaderContext } from '../reader.ts'
import { createSectionWriter } from '../section-writer.ts'
import { type Attributes, createXmlParser, parseXmlText, type XmlHandlers } from '../xml/xml-parser.ts'
import { createMasterHandlers, createPlace, type OdfReferences, withReferences } from './beside/odf-texts.ts'
import { createRepeatedLines, writeRepeatedLines } from './beside/repeated-lines.ts'
import { createContentHandlers, META_ELEMENTS } from './odf.ts'
import { withOdfPictures } from './pictures/odf-pictures.ts'
import { createPropertyReader } from './properties.ts'

/** The root names the kind after the declarations of all namespaces. */
const HEAD_LENGTH = 8_192
const MIME_TYPE = /\bmimetype\s*=\s*["']application\/vnd\.oasis\.opendocument\.(text|spreadsheet|presentation)\b/
const KINDS: Readonly<Record<string, string>> = { text: 'odt', spreadsheet: 'ods', presentation: 'odp' }

const kindOf = (source: string): string | undefined => {
  const head = source.slice(0, HEAD_LENGTH)
  return /<office:document\s/.test(head) ? KINDS[MIME_TYPE.exec(head)?.[1] ?? ''] : undefined
}

export const isFlatOdf = (source: string): boolean => kindOf(source) !== undefined

export function readFlatOdf(context: ReaderContext, source: string): void {
  const kind = kindOf(source)
  if (kind !== undefined) context.facts({ kind })
  const properties = createPropertyReader(context, META_ELEMENTS)
  const repeated = createRepeatedLines()
  const references: OdfReferences = { objects: [], declared: [] }
  const writer = createSectionWriter(context)
  const objects = createObjects(context)
  const content = withOdfPictures(withReferences(createContentHandlers(context, writer), references), () => {})
  const masters = createMasterHandlers(context, repeated)
  parseXmlText(
    context,
    source,
    createXmlParser(splitDocument({ properties: properties.handlers, masters, content, objects })),
  )
  properties.end()
  writer.end()
  objects.write()
  for (const text of references.declared) repeated.add(text, false)
  writeRepeatedLines(context.section, repeated)
}

interface Readers {
  properties: XmlHandlers
  masters: XmlHandlers
  content: XmlHandlers
  /** `anchor`: the slide or sheet that shows the object. */
  objects: { begin(anchor: string | null): XmlHandlers; end(): void }
}

/** Gives each part of the document to its reader. An embedded document is whole, inside the frame that shows it. */
function splitDocument({ properties, masters, content, objects }: Readers): XmlHandlers {
  const path: string[] = []
  const place = createPlace()
  let embedded: { handlers: XmlHandlers; depth: number } | null = null
  const current = (): XmlHandlers => {
    if (embedded !== null) return embedded.handlers
    if (path[1] === 'meta') return properties
    return path[1] === 'master-styles' ? masters : content
  }
  return {
    open(name: string, attributes: Attributes) {
      path.push(name)
      if (embedded === null && path[1] === 'body') place.enter(name, attributes)
      current().open?.(name, attributes)
      if (name === 'object' && embedded === null && path[1] === 'body')
        embedded = { handlers: objects.begin(place.anchor()), depth: path.length }
    },
    text: (piece) => current().text?.(piece),
    close(name) {
      if (embedded !== null && embedded.depth === path.length) {
        objects.end()
        embedded = null
      }
      current().close?.(name)
      path.pop()
    },
  }
}

/** A real document has fewer. */
const MAX_OBJECTS = 10_000

/** Charts and other embedded documents. Their texts follow the text of the document, as in a package. */
function createObjects(context: ReaderContext): Readers['objects'] & { write(): void } {
  const found: { text: string; heading: string | null; anchor: string | null }[] = []
  let end = () => {}
  return {
    begin(anchor) {
      if (found.length >= MAX_OBJECTS) throw new ReadEnded('limit', 'sections')
      const writer = createSectionWriter({
        section: ({ text, heading = null }) => {
          if (text.trim() !== '') found.push({ text, heading, anchor })
        },
      })
      end = writer.end
      return createContentHandlers({ ...context, facts() {} }, writer)
    },
    end: () => end(),
    write() {
      for (const section of found) context.section(section)
    },
  }
}
