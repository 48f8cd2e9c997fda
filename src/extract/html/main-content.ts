// Finds the main content by elements, roles and class names. It does not rate prose, because link lists and tables are
// content, too.

import { attributeValue, type HtmlDocument, type HtmlElement, isElement, isText, walkTree } from './html-tree.ts'
import { findNavigation } from './navigation.ts'

export interface MainContent {
  root: HtmlDocument | HtmlElement
  isBoilerplate(element: HtmlElement): boolean
}

/** A main element with less text than this and less than a tenth of the page is assumed to be wrong. */
const MIN_MAIN_LENGTH = 200

export function findMainContent(document: HtmlDocument): MainContent {
  const navigation = findNavigation(document)
  const isBoilerplate = (element: HtmlElement) => looksLikeBoilerplate(element) || navigation.has(element)
  const root = findMainElement(document)
  if (root === null) return { root: document, isBoilerplate }
  const length = visibleTextLength(root)
  if (length < MIN_MAIN_LENGTH && length * 10 < visibleTextLength(document)) return { root: document, isBoilerplate }
  // Inside the main content, a header belongs to the article.
  return { root, isBoilerplate: (element) => element.name !== 'header' && isBoilerplate(element) }
}

const CONTENT_IDS = new Set(['mw-content-text', 'bodycontent', 'main-content', 'content', 'main'])

/** An article counts only if it is unique: several articles are a list. */
function findMainElement(document: HtmlDocument): HtmlElement | null {
  const mains: HtmlElement[] = []
  const articles: HtmlElement[] = []
  const contents: HtmlElement[] = []
  walkTree(document, {
    enter(node) {
      if (!isElement(node)) return false
      if (node.name === 'main' || attributeValue(node, 'role') === 'main') mains.push(node)
      else if (node.name === 'article') articles.push(node)
      else if (CONTENT_IDS.has(attributeValue(node, 'id').toLowerCase())) contents.push(node)
      return true
    },
  })
  for (const candidates of [mains, articles]) if (candidates.length === 1) return candidates[0] ?? null
  return mains[0] ?? contents[0] ?? null
}

function visibleTextLength(root: HtmlDocument | HtmlElement): number {
  let length = 0
  walkTree(root, {
    enter(node) {
      if (isText(node)) length += node.data.trim().length
      return !isElement(node) || !isHidden(node)
    },
  })
  return length
}

const HIDDEN_ELEMENTS = new Set(
  'script style noscript template svg head iframe object canvas button select datalist video audio map'.split(' '),
)
export const isHidden = (element: HtmlElement): boolean =>
  HIDDEN_ELEMENTS.has(element.name) ||
  Object.hasOwn(element.attribs, 'hidden') ||
  attributeValue(element, 'aria-hidden') === 'true' ||
  /(?:^|;)\s*display\s*:\s*none/i.test(attributeValue(element, 'style'))

const BOILERPLATE_ELEMENTS = new Set(['nav', 'footer', 'aside', 'header'])
const BOILERPLATE_ROLES = new Set([
  'navigation',
  'banner',
  'contentinfo',
  'search',
  'complementary',
  'menu',
  'menubar',
  'dialog',
])
/** Matched against classes and ids, except the ids of headings and sections, which are link targets. */
const BOILERPLATE_NAMES =
  /(?:^|[\s_-])(?:breadcrumbs?|skip-?(?:link|nav)|cookie-?(?:banner|consent|notice)|navbar|nav(?:header|footer)|site-?(?:header|footer|nav)|mw-(?:editsection|jump-link))(?:$|[\s_-])/i
/** Matched against classes only, because chapters about these topics use them as ids. */
const BOILERPLATE_CLASSES =
  /(?:^|\s)(?:navigation|(?:main|top|side|page|post|footer|header)-?nav(?:igation)?|nav-?(?:links|panel|menu)|prev-?next|next-?prev|pagination|pager)(?:$|\s)/i
/** Classes of these elements describe the page's layout. */
const PAGE_LEVEL_ELEMENTS = new Set(['html', 'body', 'main', 'article'])

const looksLikeBoilerplate = (element: HtmlElement): boolean =>
  BOILERPLATE_ELEMENTS.has(element.name) ||
  BOILERPLATE_ROLES.has(attributeValue(element, 'role')) ||
  (!PAGE_LEVEL_ELEMENTS.has(element.name) && hasBoilerplateName(element))

function hasBoilerplateName(element: HtmlElement): boolean {
  const names = attributeValue(element, 'class').slice(0, 500)
  const id = /^(?:h[1-6]|section|dt|a)$/.test(element.name) ? '' : attributeValue(element, 'id').slice(0, 100)
  if (names === '' && id === '') return false
  return BOILERPLATE_CLASSES.test(names) || BOILERPLATE_NAMES.test(`${names} ${id}`)
}
