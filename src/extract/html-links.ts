// Where a page leads, and what it asks of those who collect pages.
import type { Page } from './extraction.ts'
import { attributeOf, type Branch, type Element, isElement, walk } from './html-tree.ts'

const MAX_LINKS = 10_000
const MAX_LINK = 2_000

export function pageOf(document: Branch): Page {
  const page: Page = { links: [], base: null, canonical: null, isIndexed: true, isFollowed: true }
  walk(document, {
    enter(node) {
      if (isElement(node)) note(page, node)
      return true
    },
  })
  return page
}

function note(page: Page, element: Element): void {
  const address = attributeOf(element, element.name === 'frame' || element.name === 'iframe' ? 'src' : 'href').trim()
  const relation = attributeOf(element, 'rel')
  if (element.name === 'meta') heed(page, element)
  if (address === '' || address.length > MAX_LINK) return
  if (element.name === 'base') page.base ??= address
  else if (element.name === 'link') {
    if (/\bcanonical\b/i.test(relation)) page.canonical ??= address
  } else if (/^(?:a|area|i?frame)$/.test(element.name)) {
    if (page.links.length < MAX_LINKS && !/\bnofollow\b/i.test(relation)) page.links.push(address)
  }
}

function heed(page: Page, meta: Element): void {
  if (!/^(?:robots|pharos)$/i.test(attributeOf(meta, 'name'))) return
  const words = attributeOf(meta, 'content')
    .slice(0, 1_000)
    .toLowerCase()
    .split(/[\s,]+/)
  if (words.includes('noindex') || words.includes('none')) page.isIndexed = false
  if (words.includes('nofollow') || words.includes('none')) page.isFollowed = false
}
