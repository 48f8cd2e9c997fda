// Reads document properties from an XML member: title, author, dates.

import { parseXmlMember, type ZipMember } from '../archive/zip-file.ts'
import { isoDate } from '../iso-date.ts'
import type { DocumentFacts, ReaderContext } from '../reader.ts'
import type { XmlHandlers } from '../xml/xml-parser.ts'

const MAX_PROPERTY = 500

type Names = Readonly<Record<string, keyof DocumentFacts>>

/** `names` maps element names to facts. Does nothing if the member is missing. */
export async function readProperties(
  context: ReaderContext,
  member: ZipMember | undefined,
  names: Names,
): Promise<void> {
  if (member === undefined) return
  const { handlers, end } = createPropertyReader(context, names)
  await parseXmlMember(member, handlers)
  end()
}

/** Reads properties from elements that follow each other. `end` reports them. */
export function createPropertyReader(
  { facts }: Pick<ReaderContext, 'facts'>,
  names: Names,
): { handlers: Required<XmlHandlers>; end(): void } {
  const found: Record<string, string> = {}
  let currentFact: string | undefined
  return {
    handlers: {
      open(name) {
        currentFact = names[name]
      },
      text(text) {
        if (currentFact !== undefined) found[currentFact] = ((found[currentFact] ?? '') + text).slice(0, MAX_PROPERTY)
      },
      close() {
        currentFact = undefined
      },
    },
    end() {
      const { title = null, author = null, created, modified, language = null } = found
      facts({ title: title?.trim() || null, author, created: isoDate(created), modified: isoDate(modified), language })
    },
  }
}
