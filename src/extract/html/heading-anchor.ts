// Finds the anchor that leads to a heading, and the sign in it that shows this anchor.
import {
  attributeValue,
  findElement,
  type HtmlElement,
  type HtmlNode,
  isElement,
  isText,
  walkTree,
} from './html-tree.ts'

/** The id of an element around the heading leads to the heading if nothing is before the heading in it. */
const MAX_ANCESTORS = 4
const MAX_ID = 500

/**
 * The id of the heading, of an element in it, of an empty element before it, or of an element that begins with it. With a
 * prefix, `prefix#id` or the prefix alone; null if there is neither.
 */
export function headingAnchor(heading: HtmlElement, prefix: string | null): string | null {
  const id = ownId(heading) || innerId(heading) || idBefore(heading)
  if (id === '' || id.length > MAX_ID) return prefix
  const anchor = encodeURIComponent(id.toWellFormed())
  return prefix === null ? anchor : `${prefix}#${anchor}`
}

/** A sign such as "¶" or "#" that links to the heading in which it stands. It is no part of the heading. */
export const isPermalink = (element: HtmlElement): boolean =>
  element.name === 'a' && attributeValue(element, 'href').startsWith('#') && !hasWord(element)

function hasWord(element: HtmlElement): boolean {
  let isFound = false
  walkTree(element, {
    enter(node) {
      if (isText(node) && /[\p{L}\p{N}]/u.test(node.data)) isFound = true
      return !isFound
    },
  })
  return isFound
}

/** Links lead to names of `a` elements, too. */
const ownId = (element: HtmlElement): string =>
  attributeValue(element, 'id') || (element.name === 'a' ? attributeValue(element, 'name') : '')

function innerId(heading: HtmlElement): string {
  const inner = findElement(heading, (it) => ownId(it) !== '')
  return inner === null ? '' : ownId(inner)
}

function idBefore(heading: HtmlElement): string {
  let element = heading
  for (let level = 0; level < MAX_ANCESTORS; level++) {
    const before = nodeBefore(element)
    if (before !== null) return isElement(before) && isEmptyElement(before) ? ownId(before) : ''
    const { parent } = element
    if (parent === null || !isElement(parent) || isPage(parent)) return ''
    if (ownId(parent) !== '') return ownId(parent)
    element = parent
  }
  return ''
}

/** An id of the whole page leads to no heading in it. */
const isPage = (element: HtmlElement): boolean => /^(?:html|body|main)$/.test(element.name)

/** The nearest sibling before the element, except comments and blank text. */
function nodeBefore(element: HtmlElement): HtmlNode | null {
  for (let node: HtmlNode | null = element.prev; node !== null; node = node.prev)
    if (isElement(node) || (isText(node) && node.data.trim() !== '')) return node
  return null
}

const isEmptyElement = ({ childNodes }: HtmlElement): boolean =>
  childNodes.every((it) => isText(it) && it.data.trim() === '')
