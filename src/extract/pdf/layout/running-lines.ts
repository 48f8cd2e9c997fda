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
const EDGE_ROWS = 3
/** In points: half of the distance that lines of a row may have. */
const HEIGHT_STEP = 2
const MAX_LENGTH = 300

interface EdgePage {
  at: number
  /** From the edge inwards. */
  edges: PageLine[][][]
  lineCount: number
  keys: Set<string>
}

export function createRunningLines(): RunningLines {
  const pages = new Map<number, EdgePage>()
  return {
    add(at, lines) {
      pages.delete(at - 2 * PAGES_AROUND - 1)
      const placed = lines?.filter((it) => !it.isTurned) ?? []
      if (placed.length > 0) pages.set(at, readEdges(at, placed))
    },
    find(at) {
      const page = pages.get(at)
      if (page === undefined) return []
      const around = [...pages.values()].filter((it) => Math.abs(it.at - at) <= PAGES_AROUND)
      const found = findRunning(page, around)
      // A page of nothing else has no other text.
      return found.length < page.lineCount ? found : []
    },
  }
}

function readEdges(at: number, lines: readonly PageLine[]): EdgePage {
  const rows = toRows(lines)
  const count = Math.min(EDGE_ROWS, Math.ceil(rows.length / 2))
  const edges = [rows.slice(0, count), rows.slice(count).slice(-EDGE_ROWS).reverse()]
  const keys = new Set<string>()
  for (const line of edges.flat(2)) for (const { text } of readings(line.text, at)) keys.add(keyOf(line, text))
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

function findRunning(page: EdgePage, around: readonly EdgePage[]): RunningLine[] {
  const found: RunningLine[] = []
  for (const rows of page.edges) {
    for (const row of rows) {
      const running = row.flatMap((line) => runningLine(line, page, around) ?? [])
      found.push(...running)
      // Lines of the text are further inside than each running line.
      if (running.length < row.length) break
    }
  }
  return found
}

function runningLine(line: PageLine, page: EdgePage, around: readonly EdgePage[]): RunningLine | null {
  for (const { text, rest } of readings(line.text, page.at)) {
    const having = around.filter((it) => hasKey(it, line, text))
    const isSameSide = (it: EdgePage) => (it.at - page.at) % 2 === 0
    if (isMost(having, around) || isMost(having.filter(isSameSide), around.filter(isSameSide)))
      return { line, text: rest }
  }
  return null
}

const isMost = (some: readonly EdgePage[], all: readonly EdgePage[]): boolean =>
  some.length >= MIN_PAGES && some.length * 2 > all.length

const keyOf = ({ baseline }: PageLine, text: string, step = 0): string =>
  `${Math.round(baseline / HEIGHT_STEP) + step} ${text}`

const hasKey = ({ keys }: EdgePage, line: PageLine, text: string): boolean =>
  keys.has(keyOf(line, text)) || keys.has(keyOf(line, text, 1)) || keys.has(keyOf(line, text, -1))

interface Reading {
  /** With the distance between the number and the page instead of the number. */
  text: string
  rest: string
}

/** As it is, and with its first or its last number as the number of the page. Other numbers are what the page says. */
function readings(line: string, at: number): Reading[] {
  const text = line.replace(/\s+/g, ' ').trim().slice(0, MAX_LENGTH)
  const found: Reading[] = [{ text, rest: text }]
  const numbers = [...text.matchAll(/\d+|(?<![\p{L}\p{N}])[ivxlc]+(?![\p{L}\p{N}])/giu)]
  for (const number of new Set([numbers[0], numbers.at(-1)])) {
    if (number === undefined) continue
    const before = text.slice(0, number.index)
    const after = text.slice(number.index + number[0].length)
    found.push({ text: `${before}\0${numberOf(number[0]) - at}\0${after}`, rest: `${before}${after}` })
  }
  return found
}

const ROMAN: Readonly<Record<string, number>> = { i: 1, v: 5, x: 10, l: 50, c: 100 }

function numberOf(number: string): number {
  if (/^\d/.test(number)) return Number(number)
  const values = [...number.toLowerCase()].map((it) => ROMAN[it] ?? 0)
  return values.reduce((sum, it, place) => sum + ((values[place + 1] ?? 0) > it ? -it : it), 0)
}
