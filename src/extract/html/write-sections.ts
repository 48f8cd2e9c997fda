// Converts the tree of a page to headings and lines.

import { checkDeadline, type ReaderContext } from '../reader.ts'
import { createSectionWriter, type PicturePlace } from '../section-writer.ts'
import { headingAnchor, isPermalink } from './heading-anchor.ts'
import {
  attributeValue,
  type HtmlElement,
  type HtmlNode,
  isElement,
  isText,
  type TreeVisitor,
  walkElement,
  walkTree,
} from './html-tree.ts'
import { isHidden, type MainContent } from './main-content.ts'
import { CELL_MARK, createTableLines } from './table-lines.ts'

/** Block elements, which start and end a line. */
const BLOCKS = new Set(
  'address article aside blockquote body br caption center dd details div dl dt fieldset figcaption figure footer form header hr html legend li main nav ol optgroup option p pre section summary table tbody tfoot thead tr ul'.split(
    ' ',
  ),
)
const HEADING = /^h[1-6]$/
const CELL = /^t[dh]$/

/** Markup of a mail or of a chapter of a book. */
export interface WholeDocument {
  /** Anchors are `prefix` and `prefix#id` if it is given, and ids otherwise. */
  anchorPrefix: string | null
  /** The picture with this `src`, if it is part of the book. */
  placePicture?: (source: string) => PicturePlace | null
}

/** Returns the first heading. */
export function writeSections(
  { root, titles, isBoilerplate }: MainContent,
  context: ReaderContext,
  { anchorPrefix, placePicture }: WholeDocument = { anchorPrefix: null },
): string | null {
  const writer = createSectionWriter(context)
  const lines = createTableLines(writer)
  let first: string | null = null
  let heading: string | null = null
  let line = ''
  let preformatted = 0
  /** Number of open cells. Blocks inside a cell do not break its row. */
  let cells = 0

  const endLine = () => {
    lines.line(preformatted > 0 ? line.trimEnd() : line.replace(/[ \t\n\r\f]+/g, ' ').trim())
    line = ''
  }
  const breakLine = () => {
    if (heading !== null) return
    if (cells > 0) line += ' '
    else endLine()
  }
  const open = (element: HtmlElement) => {
    if (HEADING.test(element.name)) {
      endLine()
      lines.endTable()
      heading = ''
    } else if (CELL.test(element.name)) line += cells++ === 0 ? lines.beginCell(element) : ' | '
    else if (BLOCKS.has(element.name)) breakLine()
    if (cells === 0 && element.name === 'table') lines.beginTable()
    if (cells === 0 && element.name === 'thead') lines.markHeader(true)
    if (element.name === 'li' && cells === 0) line += '- '
    if (element.name === 'pre') preformatted++
    if (element.name === 'img') addText(` ${attributeValue(element, 'alt')} `)
    writer.picture(findPicture(element, placePicture))
  }
  const close = (element: HtmlElement) => {
    if (HEADING.test(element.name)) {
      const text = heading ?? ''
      first ??= text.replace(/\s+/g, ' ').trim() || null
      writer.heading(text, headingAnchor(element, anchorPrefix))
      heading = null
    } else if (CELL.test(element.name)) cells--
    else if (BLOCKS.has(element.name)) breakLine()
    if (cells === 0 && element.name === 'table') lines.endTable()
    if (cells === 0 && element.name === 'thead') lines.markHeader(false)
    if (element.name === 'pre') preformatted--
  }
  const addText = (data: string) => {
    const text = data.replaceAll(CELL_MARK, '')
    if (heading !== null) heading += text
    else line += preformatted > 0 ? text : text.replace(/[ \t\n\r\f]+/g, ' ')
  }

  if (anchorPrefix !== null) writer.heading('', anchorPrefix)
  let visitedNodes = 0
  const visitor: TreeVisitor = {
    enter(node: HtmlNode) {
      if ((++visitedNodes & 0xfff) === 0) checkDeadline(context.budget)
      if (isText(node)) addText(node.data)
      if (!isElement(node) || !isShown(node, isBoilerplate, heading !== null)) return false
      open(node)
      return true
    },
    leave(node: HtmlNode) {
      if (isElement(node)) close(node)
    },
  }
  for (const title of titles) walkElement(title, visitor)
  walkTree(root, visitor)
  endLine()
  lines.endTable()
  writer.end()
  return first
}

const isShown = (element: HtmlElement, isBoilerplate: MainContent['isBoilerplate'], isInHeading: boolean): boolean =>
  !isHidden(element) && !isBoilerplate(element) && !(isInHeading && isPermalink(element))

/** The picture of an image, also inside SVG, as covers of books have it. */
function findPicture(element: HtmlElement, placePicture: WholeDocument['placePicture']): PicturePlace | null {
  const { name } = element
  if (placePicture === undefined || (name !== 'img' && name !== 'image')) return null
  const source = name === 'img' ? 'src' : 'xlink:href'
  return placePicture(attributeValue(element, source) || attributeValue(element, 'href'))
}
