// Finds the main content by elements, roles and class names. It does not rate prose, because link lists and tables are
// content, too.

import {
  attributeValue,
  findElement,
  type HtmlDocument,
  type HtmlElement,
  isElement,
  isText,
  walkTree,
} from './html-tree.ts'
import { findNavigation } from './navigation.ts'

export interface MainContent {
  root: HtmlDocument | HtmlElement
  /** Elements before the root that name the page and belong to its content. */
  titles: HtmlElement[]
  isBoilerplate(element: HtmlElement): boolean
}

/** A main element with less text than this and less than a tenth of the page is assumed to be wrong. */
const MIN_MAIN_LENGTH = 200

export function findMainContent(document: HtmlDocument): MainContent {
  const navigation = findNavigation(document)
  const isBoilerplate = (element: HtmlElement) => looksLikeBoilerplate(element) || navigation.has(element)
  const root = findMainElement(document)
  if (root === null) return { root: document, titles: [], isBoilerplate }
  const length = visibleTextLength(root)
  if (length < MIN_MAIN_LENGTH && length * 10 < visibleTextLength(document))
    return { root: document, titles: [], isBoilerplate }
  // Inside the main content, a header belongs to the article.
  const isOfSite = (element: HtmlElement) => element.name !== 'header' && isBoilerplate(element)
  return { root, titles: findTitleBlocks(root, isBoilerplate), isBoilerplate: isOfSite }
}

/** A longer block before the content is not only its title. */
const MAX_TITLE_BLOCK = 2_000

/**
 * Blocks directly before a content without a heading of the first level, which have that heading: manual pages made into
 * HTML have the name and the summary of a command there. Blocks with as much text in links as outside belong to the site.
 */
function findTitleBlocks(root: HtmlElement, isBoilerplate: (element: HtmlElement) => boolean): HtmlElement[] {
  if (findElement(root, isTopHeading) !== null) return []
  const blocks: HtmlElement[] = []
  for (let node = root.prev; node !== null; node = node.prev) {
    if (!isElement(node) || isHidden(node)) continue
    if (isBoilerplate(node) || !isTitleBlock(node)) break
    blocks.unshift(node)
  }
  return blocks
}

const isTopHeading = (element: HtmlElement): boolean => element.name === 'h1'

function isTitleBlock(element: HtmlElement): boolean {
  const length = visibleTextLength(element)
  if (length === 0 || length > MAX_TITLE_BLOCK) return false
  if (!isTopHeading(element) && findElement(element, isTopHeading) === null) return false
  let linked = 0
  walkTree(element, {
    enter(node) {
      if (isElement(node) && node.name === 'a') linked += visibleTextLength(node)
      return !(isElement(node) && node.name === 'a')
    },
  })
  return linked * 2 < length
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
  'script style noscript template svg head title iframe object canvas button select datalist video audio map'.split(
    ' ',
  ),
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
