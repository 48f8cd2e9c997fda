// Finds running headers, footers and page numbers: lines that many pages have at the same place of their edge.
import type { PageLine } from './page-lines.ts'

export interface RunningLines {
  /** Pages come in their order. */
  add(at: number, lines: readonly PageLine[] | null): void
  /** The running lines of a page. Complete when the next `PAGES_AROUND` pages are known. */
  find(at: number): RunningLine[]
}

export interface RunningLine {
  line: PageLine
  /** Without the number of the page. */
  text: string
}

/** Pages before and after a page that are compared with it. */
export const PAGES_AROUND = 10
const MIN_PAGES = 3
/** Lines at the same height are one row. */
const EDGE_ROWS = 2
/** In points: half of the distance that lines of a row may have. */
const HEIGHT_STEP = 2
const MAX_LENGTH = 150

interface EdgePage {
  at: number
  /** From the edge inwards. */
  edges: PageLine[][][]
  lineCount: number
  keys: string[]
}

export function createRunningLines(): RunningLines {
  const pages = new Map<number, EdgePage>()
  /** The pages that have the text at the height, in their order. */
  const places = new Map<string, number[]>()
  return {
    add(at, lines) {
      forget(places, pages.get(at - SPAN))
      pages.delete(at - SPAN)
      const placed = lines?.filter((it) => !it.isTurned) ?? []
      if (placed.length === 0) return
      const page = readEdges(at, placed)
      pages.set(at, page)
      for (const key of page.keys) {
        const having = places.get(key)
        if (having === undefined) places.set(key, [at])
        else if (having.at(-1) !== at) having.push(at)
      }
    },
    find(at) {
      const page = pages.get(at)
      if (page === undefined) return []
      const around = [...pages.keys()].filter((it) => isNear(it, at))
      const found = findRunning(page, around, places)
      // A page of nothing else has no other text.
      return found.length < page.lineCount ? found : []
    },
  }
}

const SPAN = 2 * PAGES_AROUND + 1

const isNear = (other: number, at: number): boolean => Math.abs(other - at) <= PAGES_AROUND

function forget(places: Map<string, number[]>, page: EdgePage | undefined): void {
  if (page === undefined) return
  for (const key of page.keys) {
    const left = places.get(key)?.filter((it) => it !== page.at) ?? []
    if (left.length === 0) places.delete(key)
    else places.set(key, left)
  }
}

function readEdges(at: number, lines: readonly PageLine[]): EdgePage {
  const rows = toRows(lines)
  const count = Math.min(EDGE_ROWS, Math.ceil(rows.length / 2))
  const edges = [rows.slice(0, count), rows.slice(count).slice(-EDGE_ROWS).reverse()]
  const keys = edges.flat(2).flatMap((line) => readings(line.text, at).map(({ text }) => keyOf(line, text)))
  return { at, edges, lineCount: lines.length, keys }
}

/** From the top of the page to its foot. */
function toRows(lines: readonly PageLine[]): PageLine[][] {
  const rows: PageLine[][] = []
  let last = Number.POSITIVE_INFINITY
  for (const line of lines.toSorted((a, b) => b.baseline - a.baseline)) {
    if (last - line.baseline > HEIGHT_STEP) rows.push([])
    rows.at(-1)?.push(line)
    last = line.baseline
  }
  return rows
}

function findRunning(page: EdgePage, around: readonly number[], places: ReadonlyMap<string, number[]>): RunningLine[] {
  const found: RunningLine[] = []
  for (const rows of page.edges) {
    for (const row of rows) {
      const running = row.flatMap((line) => runningLine(line, page.at, around, places) ?? [])
      found.push(...running)
      // Lines of the text are further inside than each running line.
      if (running.length < row.length) break
    }
  }
  return found
}

function runningLine(
  line: PageLine,
  at: number,
  around: readonly number[],
  places: ReadonlyMap<string, number[]>,
): RunningLine | null {
  for (const { text, rest } of readings(line.text, at)) {
    const near = [0, 1, -1].flatMap((step) => places.get(keyOf(line, text, step)) ?? [])
    if (near.length < MIN_PAGES) continue
    const having = [...new Set(near)].filter((it) => isNear(it, at))
    const isSameSide = (it: number) => (it - at) % 2 === 0
    if (isMost(having, around) || isMost(having.filter(isSameSide), around.filter(isSameSide)))
      return { line, text: rest }
  }
  return null
}

const isMost = (some: readonly number[], all: readonly number[]): boolean =>
  some.length >= MIN_PAGES && some.length * 2 > all.length

const keyOf = ({ baseline }: PageLine, text: string, step = 0): string =>
  `${Math.round(baseline / HEIGHT_STEP) + step} ${text}`

interface Reading {
  /** With the distance between the number and the page instead of the number. */
  text: string
  rest: string
}

/** As it is, and with its first or its last number as the number of the page. Other numbers are what the page says. */
function readings(line: string, at: number): Reading[] {
  if (line.length > MAX_LENGTH) return []
  const found: Reading[] = [{ text: line, rest: line }]
  for (const number of numbersIn(line)) {
    const before = line.slice(0, number.index)
    const after = line.slice(number.index + number.text.length)
    found.push({ text: `${before}\0${numberOf(number.text) - at}\0${after}`, rest: `${before}${after}` })
  }
  return found
}

interface PageNumber {
  text: string
  index: number
}

/** The first and the last one. A Roman number is the first or the last word. */
function numbersIn(line: string): PageNumber[] {
  const first = line.search(/\d/)
  const found: PageNumber[] = []
  if (first !== -1) {
    let last = line.length - 1
    while (!isDigit(line, last)) last--
    let from = last
    while (isDigit(line, from - 1)) from--
    if (from > first) found.push({ text: line.slice(from, last + 1), index: from })
    let end = first
    while (isDigit(line, end)) end++
    found.push({ text: line.slice(first, end), index: first })
  }
  const begin = line.indexOf(' ') === -1 ? line : line.slice(0, line.indexOf(' '))
  if (isRoman(begin)) found.push({ text: begin, index: 0 })
  const end = line.slice(line.lastIndexOf(' ') + 1)
  if (end.length < line.length && isRoman(end)) found.push({ text: end, index: line.length - end.length })
  return found
}

const isDigit = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at)
  return code >= 48 && code <= 57
}

/** The longest below 100 is lxxxviii. */
const MAX_ROMAN = 8
const isRoman = (word: string): boolean => word.length <= MAX_ROMAN && /^[ivxlc]+$/i.test(word)

const ROMAN: Readonly<Record<string, number>> = { i: 1, v: 5, x: 10, l: 50, c: 100 }

function numberOf(number: string): number {
  if (/^\d/.test(number)) return Number(number)
  const values = [...number.toLowerCase()].map((it) => ROMAN[it] ?? 0)
  return values.reduce((sum, it, place) => sum + ((values[place + 1] ?? 0) > it ? -it : it), 0)
}
