// Reads a chart (ECMA-376 part 1, 21.2): its titles, and its data as a table. The data is the copy in the chart itself.

import { rowLine } from '../../../text/tables/row-line.ts'
import { parseXmlMember, type ZipMember } from '../../archive/zip-file.ts'
import { chargeBudget, type ReaderContext } from '../../reader.ts'
import { type Attributes, attributeNamed, type XmlHandlers } from '../../xml/xml-parser.ts'
import { formatNumber, formatOfStyle } from '../xlsx-formats.ts'

export interface Chart {
  title: string | null
  /** Titles of axes, then a line for each category with the values of all series. */
  lines: string[]
}

interface Series {
  name: string
  categories: Points
  values: Points
}

/** By index. Indexes are those of the file, so that they may be sparse. */
type Points = Map<string, string>

export async function readChart(
  context: Pick<ReaderContext, 'budget'>,
  member: ZipMember | undefined,
): Promise<Chart | null> {
  if (member === undefined) return null
  const series: Series[] = []
  const titles: string[] = []
  await parseXmlMember(member, createChartHandlers(context, series, titles))
  const [title, ...others] = titles
  return { title: title ?? null, lines: [...others, ...dataLines(series)] }
}

/** The text of one point of a chart, at most. */
const MAX_POINT = 2_000

/** The elements with categories and values; `strDim` and `numDim` are those of charts since 2016. */
const CATEGORIES = new Set(['cat', 'xVal', 'strDim'])
const VALUES = new Set(['val', 'yVal', 'bubbleSize', 'numDim'])

function createChartHandlers(
  { budget }: Pick<ReaderContext, 'budget'>,
  series: Series[],
  titles: string[],
): XmlHandlers {
  let open: Series | null = null
  let part = ''
  let index = ''
  let text = ''
  let format = ''
  let isText = false
  let titleDepth = 0
  let title = ''
  const beginSeries = () => {
    open = { name: '', categories: new Map(), values: new Map() }
    series.push(open)
  }
  const endPoint = () => {
    const piece = text.slice(0, MAX_POINT).trim()
    text = ''
    if (piece === '') return
    if (titleDepth > 0) title += `${piece} `
    else if (open === null) titles.push(piece)
    else if (part === 'tx') open.name = `${open.name} ${piece}`.trim()
    else addPoint(open, piece)
  }
  const addPoint = (to: Series, piece: string) => {
    const points = CATEGORIES.has(part) ? to.categories : VALUES.has(part) ? to.values : null
    if (points === null) return
    chargeBudget(budget, 'cells')
    const shown = formatNumber(piece, formatOfStyle(0, format === '' ? undefined : format), false)
    const former = points.get(index)
    points.set(index, former === undefined ? shown : `${former} ${shown}`)
  }
  const openElement = (name: string, attributes: Attributes) => {
    if (name === 'ser' || (name === 'data' && attributeNamed(attributes, 'id') !== undefined)) beginSeries()
    else if (name === 'title') titleDepth++
    else if ((name === 'tx' || CATEGORIES.has(name) || VALUES.has(name)) && titleDepth === 0) {
      part = name
      format = ''
    } else if (name === 'pt') index = attributeNamed(attributes, 'idx') ?? ''
  }
  return {
    open(name, attributes) {
      openElement(name, attributes)
      text = ''
      isText = name === 'v' || name === 't' || name === 'formatCode' || (name === 'pt' && /Dim$/.test(part))
    },
    text(piece) {
      if (isText && text.length < MAX_POINT) text += piece
    },
    close(name) {
      if (name === 'formatCode') format = text.slice(0, 255)
      else if (isText) endPoint()
      isText = false
      text = ''
      if (name === 'ser' || name === 'data') open = null
      if (name === part) part = ''
      if (name !== 'title') return
      titleDepth--
      if (title.trim() !== '') titles.push(title.replace(/\s+/g, ' ').trim())
      title = ''
    },
  }
}

/** Excel has at most this many series in a chart. A wider table would cost the product of its rows and columns. */
const MAX_COLUMNS = 255

/** Series with the same categories are columns of one table. */
function dataLines(series: readonly Series[]): string[] {
  const lines: string[] = []
  for (let at = 0; at < series.length; ) {
    const first = series[at]
    if (first === undefined) break
    let end = at + 1
    const last = Math.min(series.length, at + MAX_COLUMNS)
    while (end < last && hasSamePoints(first.categories, series[end]?.categories)) end++
    lines.push(...tableLines(first.categories, series.slice(at, end)))
    at = end
  }
  return lines
}

function hasSamePoints(one: Points, other: Points | undefined): boolean {
  if (one.size !== other?.size) return false
  for (const [index, text] of one) if (other.get(index) !== text) return false
  return true
}

function tableLines(categories: Points, series: readonly Series[]): string[] {
  const names = rowLine(['', ...series.map((it) => it.name)].filter((it) => it !== ''))
  const indexes = new Set([...categories.keys(), ...series.flatMap((it) => [...it.values.keys()])])
  const rows = [...indexes].map((index) =>
    rowLine([categories.get(index) ?? '', ...series.map((it) => it.values.get(index) ?? '')].filter((it) => it !== '')),
  )
  return [names, ...rows].filter((it) => it !== '')
}
