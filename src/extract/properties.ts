// What a file says of itself in a member of XML: its title, its author, its dates.
import { isoDate } from './iso-date.ts'
import type { Facts, Reading } from './reading.ts'
import { xmlOf, type ZipMember } from './zip-file.ts'

const MAX_PROPERTY = 500

/** `names` are those of the elements. A file without the member says nothing. */
export async function readProperties(
  { facts }: Reading,
  member: ZipMember | undefined,
  names: Readonly<Record<string, keyof Facts>>,
): Promise<void> {
  if (member === undefined) return
  const found: Record<string, string> = {}
  let current: string | undefined
  await xmlOf(member, {
    open(name) {
      current = names[name]
    },
    text(text) {
      if (current !== undefined) found[current] = ((found[current] ?? '') + text).slice(0, MAX_PROPERTY)
    },
    close() {
      current = undefined
    },
  })
  const { title = null, author = null, created, modified, language = null } = found
  facts({ title: title?.trim() || null, author, created: isoDate(created), modified: isoDate(modified), language })
}
