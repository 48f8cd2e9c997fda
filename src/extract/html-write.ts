// The tree of a page → headings and lines.
import { createChapters } from './chapters.ts'
import { isSilent, type MainContent } from './html-main.ts'
import { attributeOf, type Element, find, isElement, isText, type Node, walk } from './html-tree.ts'
import { checkTime, type Reading } from './reading.ts'

/** After and before these a new line begins. */
const BLOCKS = new Set(
  'address article aside blockquote body br caption center dd details div dl dt fieldset figcaption figure footer form header hr html legend li main nav ol optgroup option p pre section summary table tbody tfoot thead tr ul'.split(
    ' ',
  ),
)
const HEADING = /^h[1-6]$/
const CELL = /^t[dh]$/

/** Answers the first heading. With a prefix, anchors are `prefix` or `prefix#id`; without one, ids. */
export function writeMarkup(
  { root, isBoilerplate }: MainContent,
  reading: Reading,
  anchorPrefix: string | null,
): string | null {
  const chapters = createChapters(reading)
  let first: string | null = null
  let heading: string | null = null
  let line = ''
  let preformatted = 0
  /** Text of cells stays in its row, whatever blocks are in the cell. */
  let cells = 0

  const endLine = () => {
    const text = preformatted > 0 ? line.trimEnd() : line.replace(/[ \t\n\r\f]+/g, ' ').trim()
    if (text !== '' && text !== '-' && !/^[| ]+$/.test(text)) chapters.line(text.replace(/^\| /, ''))
    line = ''
  }
  const breakLine = () => {
    if (heading !== null) return
    if (cells > 0) line += ' '
    else endLine()
  }
  const open = (element: Element) => {
    if (HEADING.test(element.name)) {
      endLine()
      heading = ''
    } else if (CELL.test(element.name)) {
      cells++
      line += ' | '
    } else if (BLOCKS.has(element.name)) breakLine()
    if (element.name === 'li' && cells === 0) line += '- '
    if (element.name === 'pre') preformatted++
    if (element.name === 'img') addText(` ${attributeOf(element, 'alt')} `)
  }
  const close = (element: Element) => {
    if (HEADING.test(element.name)) {
      const text = heading ?? ''
      first ??= text.replace(/\s+/g, ' ').trim() || null
      chapters.heading(text, anchorOf(element, anchorPrefix))
      heading = null
    } else if (CELL.test(element.name)) cells--
    else if (BLOCKS.has(element.name)) breakLine()
    if (element.name === 'pre') preformatted--
  }
  const addText = (text: string) => {
    if (heading !== null) heading += text
    else line += preformatted > 0 ? text : text.replace(/[ \t\n\r\f]+/g, ' ')
  }

  if (anchorPrefix !== null) chapters.heading('', anchorPrefix)
  let seen = 0
  walk(root, {
    enter(node: Node) {
      if ((++seen & 0xfff) === 0) checkTime(reading.budget)
      if (isText(node)) addText(node.data)
      if (!isElement(node) || isSilent(node) || isBoilerplate(node)) return false
      open(node)
      return true
    },
    leave(node: Node) {
      if (isElement(node)) close(node)
    },
  })
  endLine()
  chapters.end()
  return first
}

/** Of the heading, of what is in it, or of the section that it opens. */
function anchorOf(element: Element, prefix: string | null): string | null {
  const { parent } = element
  const inner = find(
    element,
    (it) => attributeOf(it, 'id') !== '' || (it.name === 'a' && attributeOf(it, 'name') !== ''),
  )
  const id =
    attributeOf(element, 'id') ||
    (inner && (attributeOf(inner, 'id') || attributeOf(inner, 'name'))) ||
    (parent !== null && isElement(parent) && /^(?:section|article)$/.test(parent.name) ? attributeOf(parent, 'id') : '')
  if (id === '' || id.length > 500) return prefix
  const anchor = encodeURIComponent(id.toWellFormed())
  return prefix === null ? anchor : `${prefix}#${anchor}`
}
