// Reads document properties from an XML member: title, author, dates.

import { parseXmlMember, type ZipMember } from '../archive/zip-file.ts'
import { isoDate } from '../iso-date.ts'
import type { DocumentFacts, ReaderContext } from '../reader.ts'

const MAX_PROPERTY = 500

/** `names` maps element names to facts. Does nothing if the member is missing. */
export async function readProperties(
  { facts }: ReaderContext,
  member: ZipMember | undefined,
  names: Readonly<Record<string, keyof DocumentFacts>>,
): Promise<void> {
  if (member === undefined) return
  const found: Record<string, string> = {}
  let currentFact: string | undefined
  await parseXmlMember(member, {
    open(name) {
      currentFact = names[name]
    },
    text(text) {
      if (currentFact !== undefined) found[currentFact] = ((found[currentFact] ?? '') + text).slice(0, MAX_PROPERTY)
    },
    close() {
      currentFact = undefined
    },
  })
  const { title = null, author = null, created, modified, language = null } = found
  facts({ title: title?.trim() || null, author, created: isoDate(created), modified: isoDate(modified), language })
}
