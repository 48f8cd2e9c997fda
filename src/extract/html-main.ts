// Where on a page is what it is about? By what the page itself says: elements and roles, not by guessing at prose, because
// a wiki's page of links or a table of figures is content too.
import { attributeOf, type Branch, type Element, isElement, isText, walk } from './html-tree.ts'

export interface MainContent {
  root: Branch | Element
  isBoilerplate(element: Element): boolean
}

/** A main part with fewer characters than this, and less than a tenth of the page, is taken for a mistake of the page. */
const MIN_MAIN = 200

export function mainContent(document: Branch): MainContent {
  const root = mainElement(document)
  if (root === null) return { root: document, isBoilerplate }
  const length = lengthOf(root)
  if (length < MIN_MAIN && length * 10 < lengthOf(document)) return { root: document, isBoilerplate }
  // Within the main part a header is the article's own.
  return { root, isBoilerplate: (element) => element.name !== 'header' && isBoilerplate(element) }
}

const CONTENT_IDS = new Set(['mw-content-text', 'bodycontent', 'main-content', 'content', 'main'])

/** The only one of its kind: a page with three articles is a list of them. */
function mainElement(document: Branch): Element | null {
  const mains: Element[] = []
  const articles: Element[] = []
  const contents: Element[] = []
  walk(document, {
    enter(node) {
      if (!isElement(node)) return false
      if (node.name === 'main' || attributeOf(node, 'role') === 'main') mains.push(node)
      else if (node.name === 'article') articles.push(node)
      else if (CONTENT_IDS.has(attributeOf(node, 'id').toLowerCase())) contents.push(node)
      return true
    },
  })
  for (const candidates of [mains, articles]) if (candidates.length === 1) return candidates[0] ?? null
  return mains[0] ?? contents[0] ?? null
}

function lengthOf(root: Branch | Element): number {
  let length = 0
  walk(root, {
    enter(node) {
      if (isText(node)) length += node.data.trim().length
      return !isElement(node) || !isSilent(node)
    },
  })
  return length
}

const SILENT = new Set(
  'script style noscript template svg head iframe object canvas button select datalist video audio map'.split(' '),
)
export const isSilent = (element: Element): boolean =>
  SILENT.has(element.name) ||
  Object.hasOwn(element.attribs, 'hidden') ||
  attributeOf(element, 'aria-hidden') === 'true' ||
  /(?:^|;)\s*display\s*:\s*none/i.test(attributeOf(element, 'style'))

const FRAME = new Set(['nav', 'footer', 'aside', 'header'])
const FRAME_ROLES = new Set([
  'navigation',
  'banner',
  'contentinfo',
  'search',
  'complementary',
  'menu',
  'menubar',
  'dialog',
])
const FRAME_NAMES =
  /(?:^|[\s_-])(?:breadcrumbs?|skip-?(?:link|nav)|cookie-?(?:banner|consent|notice)|navbar|site-?(?:header|footer|nav)|mw-(?:editsection|jump-link)|toc)(?:$|[\s_-])/i

const isBoilerplate = (element: Element): boolean =>
  FRAME.has(element.name) ||
  FRAME_ROLES.has(attributeOf(element, 'role')) ||
  FRAME_NAMES.test(`${attributeOf(element, 'class').slice(0, 500)} ${attributeOf(element, 'id').slice(0, 100)}`)
