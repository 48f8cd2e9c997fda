// The texts of links are names of the pages to which they lead, and their number says which pages are important.
import type { GivenName, LinkCount } from '../connector.ts'
import type { PageNote } from './crawled-page.ts'

const MIN_LENGTH = 2
const MAX_LENGTH = 80
const MAX_NAMES_OF_PAGE = 10_000
/** A name is a text with a letter. */
const LETTER = /\p{L}/u

/** The texts of links to other pages, each once for a target. */
export function namesInLinks(
  found: readonly { link: string; text: string }[],
  { links, own }: { links: readonly string[]; own: string },
): [target: number, text: string][] {
  const places = new Map(links.map((link, at) => [link, at]))
  const texts = new Map<number, Set<string>>()
  let count = 0
  for (const { link, text } of found) {
    const at = places.get(link)
    const isName = text.length >= MIN_LENGTH && text.length <= MAX_LENGTH && LETTER.test(text)
    if (at === undefined || link === own || !isName || count >= MAX_NAMES_OF_PAGE) continue
    const known = texts.get(at) ?? new Set()
    if (known.has(text)) continue
    texts.set(at, known.add(text))
    count++
  }
  return [...texts].flatMap(([at, names]) => [...names].map((text): [number, string] => [at, text]))
}

/** In texts, and in pages with links to them. More memory would name no more pages of an ordinary site. */
const MAX_TEXTS = 500_000
/** A text is a name of a page to which this part of its links lead. "Next" and "here" lead anywhere. */
const MIN_SHARE = 0.3
/** A page to which more of the pages link than this is in their menus. */
const MAX_SHARE_OF_PAGES = 0.5

/** `idOf` gives the document of an address. */
export async function* collectNames(
  notes: AsyncIterable<string>,
  idOf: (url: string) => string,
): AsyncGenerator<GivenName | LinkCount, void> {
  const byName = new Map<string, Map<string, number>>()
  const pagesWithLinkTo = new Map<string, number>()
  let count = 0
  let pages = 0
  for await (const note of notes) {
    const { links = [], names = [] }: Partial<PageNote> = JSON.parse(note)
    if (names.length > 0) pages++
    for (const link of new Set(names.flatMap(([at]) => links[at] ?? []))) {
      const known = pagesWithLinkTo.get(link)
      if (known !== undefined || pagesWithLinkTo.size < MAX_TEXTS) pagesWithLinkTo.set(link, (known ?? 0) + 1)
    }
    for (const [at, text] of names) {
      const link = links[at]
      if (link === undefined) continue
      const name = text.toLowerCase()
      const targets = byName.get(name) ?? new Map<string, number>()
      const known = targets.get(link)
      if (known === undefined && count >= MAX_TEXTS) continue
      if (known === undefined) count++
      byName.set(name, targets.set(link, (known ?? 0) + 1))
    }
  }
  for (const [name, targets] of byName) {
    const total = targets.values().reduce((sum, it) => sum + it, 0)
    for (const [link, own] of targets) if (own >= MIN_SHARE * total) yield { document_id: idOf(link), name }
  }
  for (const [link, links] of pagesWithLinkTo)
    if (links <= MAX_SHARE_OF_PAGES * pages) yield { document_id: idOf(link), links }
}
