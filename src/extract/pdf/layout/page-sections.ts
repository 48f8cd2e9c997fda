// Cuts pages at their headings: those of the outline, or without one, lines that are set larger than the text.
import type { Bookmark } from '../pdfium.ts'
import { findLargeLines, type SectionStart } from './large-lines.ts'
import type { PageLine } from './page-lines.ts'

export interface PageSection {
  heading: string | null
  /** Null on a page whose lines are not known. */
  lines: readonly PageLine[] | null
}

export interface PageSections {
  /** Learns the usual size of the text, before the page is split. */
  learn(lines: readonly PageLine[] | null): void
  /** Pages come in their order: the last heading holds until the next one. */
  split(at: number, lines: readonly PageLine[] | null): PageSection[]
}

export function createPageSections(bookmarks: readonly Bookmark[]): PageSections {
  const byPage = Map.groupBy(bookmarks, (it) => it.page)
  const characters = new Map<number, number>()
  let heading: string | null = null
  return {
    learn(lines) {
      for (const { size, text } of lines ?? [])
        characters.set(roundSize(size), (characters.get(roundSize(size)) ?? 0) + text.length)
    },
    split(at, lines) {
      const titles = byPage.get(at) ?? []
      const starts =
        bookmarks.length > 0 ? findTitles(titles, lines ?? []) : findLargeLines(lines ?? [], usualSize(characters))
      // Nobody knows where on the page the first title of the outline stands.
      if (starts.length === 0) heading = titles[0]?.title ?? heading
      const sections: PageSection[] = []
      let from = 0
      let isOwnText = false
      for (const start of starts) {
        // A heading above another one has no text, and its words are not elsewhere.
        if (lines !== null && (start.at > from || isOwnText))
          sections.push({ heading, lines: lines.slice(from, start.at) })
        isOwnText = start.skipped > 0
        heading = start.heading
        from = start.at + start.skipped
      }
      sections.push({ heading, lines: from === 0 ? lines : (lines?.slice(from) ?? null) })
      return sections
    },
  }
}

const roundSize = (size: number): number => Math.round(size * 2) / 2

const usualSize = (characters: ReadonlyMap<number, number>): number => {
  let usual = 0
  let most = 0
  for (const [size, count] of characters) if (count > most) [usual, most] = [size, count]
  return usual
}

/** A number such as `A.12.3` may stand before the title. */
const MAX_BEFORE = 8

/** In the order of the lines. A title that is not found begins no section. */
function findTitles(titles: readonly Bookmark[], lines: readonly PageLine[]): SectionStart[] {
  const starts: SectionStart[] = []
  let from = 0
  for (const { title } of titles) {
    const key = keyOf(title)
    const longest = title.length * 2 + MAX_BEFORE
    const ending = title.slice(-2).toLowerCase()
    const isTitle = ({ text }: PageLine): boolean => {
      // Most lines are long or end otherwise.
      if (text.length > longest || text.slice(-2).toLowerCase() !== ending) return false
      const found = keyOf(text)
      return found.endsWith(key) && found.length - key.length <= MAX_BEFORE
    }
    const at = key === '' ? -1 : lines.findIndex((it, place) => place >= from && isTitle(it))
    if (at === -1) continue
    starts.push({ at, heading: title, skipped: 0 })
    from = at + 1
  }
  return starts
}

const MAX_TITLE = 300

const keyOf = (text: string): string =>
  text
    .slice(0, MAX_TITLE)
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')
