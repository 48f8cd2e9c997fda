// Extracts links and robots directives for crawlers.
import type { CrawlInfo } from '../extraction.ts'
import { readBreadcrumb } from './breadcrumb.ts'
import { attributeValue, type HtmlDocument, type HtmlElement, isElement, isText, walkTree } from './html-tree.ts'
import { parseRefresh } from './meta-refresh.ts'

const MAX_LINKS = 10_000
const MAX_LINK = 2_000

export function readCrawlInfo(document: HtmlDocument): CrawlInfo {
  const page: CrawlInfo = {
    links: [],
    base: null,
    canonical: null,
    refresh: null,
    isIndexed: true,
    isFollowed: true,
    breadcrumb: readBreadcrumb(document),
  }
  walkTree(document, {
    enter(node) {
      if (isElement(node)) addLink(page, node)
      return true
    },
  })
  return page
}

function addLink(page: CrawlInfo, element: HtmlElement): void {
  const address = attributeValue(element, element.name === 'frame' || element.name === 'iframe' ? 'src' : 'href').trim()
  const relation = attributeValue(element, 'rel')
  if (element.name === 'meta') applyMeta(page, element)
  if (address === '' || address.length > MAX_LINK) return
  if (element.name === 'base') page.base ??= address
  else if (element.name === 'link') {
    if (/\bcanonical\b/i.test(relation)) page.canonical ??= address
  } else if (/^(?:a|area|i?frame)$/.test(element.name)) {
    if (page.links.length < MAX_LINKS && !/\bnofollow\b/i.test(relation))
      page.links.push({ address, text: linkText(element) })
  }
}

/** A longer text is no name of what it links to. */
const MAX_TEXT = 100
const MAX_NODES = 20

/** Ends after a few nodes, because links that are not closed contain each other. */
function linkText(link: HtmlElement): string {
  let text = ''
  let nodes = 0
  walkTree(link, {
    enter(node) {
      nodes++
      if (isText(node)) text += node.data.slice(0, MAX_TEXT + 1)
      return nodes <= MAX_NODES && text.length <= MAX_TEXT
    },
  })
  return text.length > MAX_TEXT || nodes > MAX_NODES ? '' : text.replace(/\s+/g, ' ').trim()
}

function applyMeta(page: CrawlInfo, meta: HtmlElement): void {
  // A refresh inside noscript is a fallback for clients that could run scripts; the page itself has content.
  const isFallback = meta.parent !== null && isElement(meta.parent) && meta.parent.name === 'noscript'
  if (!isFallback && /^refresh$/i.test(attributeValue(meta, 'http-equiv').trim()))
    page.refresh ??= parseRefresh(attributeValue(meta, 'content'))
  if (!/^(?:robots|pharos)$/i.test(attributeValue(meta, 'name'))) return
  const directives = attributeValue(meta, 'content')
    .slice(0, 1_000)
    .toLowerCase()
    .split(/[\s,]+/)
  if (directives.includes('noindex') || directives.includes('none')) page.isIndexed = false
  if (directives.includes('nofollow') || directives.includes('none')) page.isFollowed = false
}
