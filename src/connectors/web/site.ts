// Learns from the pages of a site which lines most of them share, and how their titles name the site.
import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { FileSection } from '../connector.ts'

export interface SitePage {
  title: string | null
  sections: FileSection[]
}

export interface CleanPage extends SitePage {
  /** The title without the name of the site. */
  name: string | null
  /** The lines that were left out, in order. */
  leftOut: string[]
}

export interface Site {
  /** Counts a page. */
  learn(page: SitePage): void
  /** Whether enough pages were counted, now or in an earlier run. */
  isKnown(): boolean
  /** Leaves out the lines that most pages share. A page with no other lines stays as it is. */
  clean(page: SitePage): CleanPage
  /** A text for `createSite` in the next run; null if too few pages were counted to say anything new. */
  save(): string | null
}

/** With fewer pages, nobody can tell the lines of a site from those of its pages. */
const MIN_PAGES = 20
const MIN_SHARING = 5
/** A line is shared if more than this part of the pages has it. */
const SHARED_PART = 0.5
/** Blocks of a site are looked for in this many lines at either end of a page, so that a long page costs little. */
const COUNTED_LINES = 150
const MAX_COUNTS = 50_000
const MAX_KEPT = 1_000

const Saved = z.object({ pages: z.number(), counts: z.array(z.tuple([z.string(), z.number()])) })

interface Counts {
  pages: number
  /** How many pages have a line, a heading, or an end of a title. */
  counts: Map<string, number>
}

export function createSite(saved: string | null): Site {
  const earlier = saved === null ? null : parseSaved(saved)
  const current: Counts = { pages: 0, counts: new Map() }
  const isShared = (key: string): boolean => {
    const { pages, counts } = current.pages < MIN_PAGES && earlier !== null ? earlier : current
    const count = counts.get(key) ?? 0
    return count >= MIN_SHARING && count > pages * SHARED_PART
  }
  return {
    learn: (page) => countPage(current, page),
    isKnown: () => earlier !== null || current.pages >= MIN_PAGES,
    clean: (page) => ({ ...page, name: nameOf(page.title, isShared), ...leaveOutShared(page.sections, isShared) }),
    save() {
      if (current.pages < MIN_PAGES) return null
      const kept = [...current.counts].filter(([, count]) => count >= MIN_SHARING)
      const counts = kept.sort(([, one], [, other]) => other - one).slice(0, MAX_KEPT)
      return JSON.stringify({ pages: current.pages, counts } satisfies z.infer<typeof Saved>)
    },
  }
}

/** Null if another version has written it: the site is learned again. */
function parseSaved(saved: string): Counts | null {
  const read = Saved.safeParse(JSON.parse(saved))
  return read.success ? { pages: read.data.pages, counts: new Map(read.data.counts) } : null
}

function countPage(site: Counts, { title, sections }: SitePage): void {
  const lines = linesOf(sections).flatMap(({ key }) => (key === '' ? [] : [key]))
  const ends = titleEnds(title).map((it) => it.key)
  const headings = sections.slice(0, COUNTED_LINES).map((it) => headingKey(it.heading))
  site.pages++
  for (const key of new Set([...lines, ...headings, ...ends])) site.counts.set(key, (site.counts.get(key) ?? 0) + 1)
  if (site.counts.size <= MAX_COUNTS) return
  for (const [key, count] of site.counts) if (count * 4 < site.pages * SHARED_PART || count < 2) site.counts.delete(key)
}

interface Line {
  section: number
  text: string
  key: string
}

const MAX_LINE = 1_000

function linesOf(sections: readonly FileSection[]): Line[] {
  const lines = sections.flatMap(({ text }, section) => text.split('\n').map((line) => ({ section, text: line })))
  const isAtEnd = (at: number) => at < COUNTED_LINES || at >= lines.length - COUNTED_LINES
  return lines.map((it, at) => ({ ...it, key: isAtEnd(at) ? lineKey(it.text) : '' }))
}

/** Empty for a line that is never left out: a blank one, a long one, and one in the middle of a long page. */
function lineKey(line: string): string {
  const text = line.trim()
  return text === '' || text.length > MAX_LINE ? '' : `l${digest(text)}`
}

const headingKey = (heading: string | null): string => `h${digest(heading ?? '')}`
const digest = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 12)

/** In the middle of a page, a shared line is left out if it is long or among other shared ones. */
const MIN_LONG = 80
const MIN_RUN = 3

function leaveOutShared(
  sections: FileSection[],
  isShared: (key: string) => boolean,
): Pick<CleanPage, 'sections' | 'leftOut'> {
  const lines = linesOf(sections)
  const runs = sharedRuns(lines, isShared)
  const left = new Set(
    runs.flatMap(([from, to]) => {
      const run = lines.slice(from, to).filter((it) => it.key !== '')
      const isAtEnd = from === 0 || to === lines.length
      return isAtEnd || run.length >= MIN_RUN ? run : run.filter((it) => it.text.trim().length >= MIN_LONG)
    }),
  )
  for (const header of neededHeaders(lines, left)) left.delete(header)
  const isEmptied = !lines.some((it) => it.text.trim() !== '' && !left.has(it))
  if (left.size === 0 || isEmptied) return { sections, leftOut: [] }
  const kept = Map.groupBy(
    lines.filter((it) => !left.has(it)),
    (it) => it.section,
  )
  return {
    sections: sections.flatMap((section, at) => {
      const text = (kept.get(at) ?? []).map((it) => it.text).join('\n')
      const isOfSite = text.trim() === '' && section.text.trim() !== '' && isShared(headingKey(section.heading))
      return isOfSite ? [] : [{ ...section, text }]
    }),
    leftOut: lines.filter((it) => left.has(it)).map((it) => it.text.trim()),
  }
}

/** The names of columns begin so, and explain the rows below. */
const HEADER_ROW = '| '
const ROW = ' |'

/** Headers of tables whose first row stays. */
const neededHeaders = (lines: readonly Line[], left: ReadonlySet<Line>): Line[] =>
  lines.filter((it, at) => {
    const next = lines[at + 1]
    return it.text.startsWith(HEADER_ROW) && next?.text.includes(ROW) === true && !left.has(next)
  })

/** Start and end of each run of shared lines. Blank lines belong to the run around them. */
function sharedRuns(lines: readonly Line[], isShared: (key: string) => boolean): [from: number, to: number][] {
  const runs: [number, number][] = []
  let from: number | null = null
  for (const [at, { text, key }] of lines.entries()) {
    const continues = text.trim() === '' || (key !== '' && isShared(key))
    if (continues) from ??= at
    else if (from !== null) {
      runs.push([from, at])
      from = null
    }
  }
  return from === null ? runs : [...runs, [from, lines.length]]
}

const SEPARATOR = / [-–—|·•»›~:]{1,2} |: | \| ?/g
const MAX_TITLE = 300
/** Titles name at most this many levels of a site. */
const MAX_ENDS = 3

/** The ends of a title that may name the site, each with its separator, the longest first. */
function titleEnds(title: string | null): { end: 'prefix' | 'suffix'; text: string; key: string }[] {
  if (title === null || title.length > MAX_TITLE) return []
  const separators = [...title.matchAll(SEPARATOR)].map((it) => ({ from: it.index, to: it.index + it[0].length }))
  const suffixes = separators.slice(-MAX_ENDS).map((it) => title.slice(it.from))
  const prefixes = separators.slice(0, MAX_ENDS).map((it) => title.slice(0, it.to))
  return [
    ...suffixes.map((text) => ({ end: 'suffix' as const, text, key: `s${digest(text)}` })),
    ...prefixes.reverse().map((text) => ({ end: 'prefix' as const, text, key: `p${digest(text)}` })),
  ]
}

/** A title of a number alone would say nothing. */
const HAS_WORD = /\p{L}\p{M}*\p{L}|[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/u

function nameOf(title: string | null, isShared: (key: string) => boolean): string | null {
  if (title === null) return null
  let name = title
  for (const side of ['suffix', 'prefix'] as const) {
    const shared = titleEnds(name).find((it) => it.end === side && isShared(it.key))
    if (shared === undefined) continue
    const rest = side === 'suffix' ? name.slice(0, -shared.text.length) : name.slice(shared.text.length)
    if (HAS_WORD.test(rest)) name = rest.trim()
  }
  return name
}
