// Finds the breadcrumb of a page: where the page is in its site, as the page says it.
import { attributeValue, type HtmlDocument, type HtmlElement, isElement, isText, walkTree } from './html-tree.ts'

const MAX_PARTS = 10
const MAX_PART = 100
const NAME = /(?:^|[\s_-])bread-?crumbs?(?:$|[\s_-])/i
/** A single page has more text in such an element only by mistake. */
const MAX_LENGTH = 1_000

/** The names from the top of the site to the page, without separators. Empty if the page has no breadcrumb. */
export function readBreadcrumb(document: HtmlDocument): string[] {
  let found: string[] = []
  walkTree(document, {
    enter(node) {
      if (found.length > 0 || !isElement(node)) return false
      if (!isBreadcrumb(node)) return true
      found = partsOf(node)
      return false
    },
  })
  return found
}

function isBreadcrumb(element: HtmlElement): boolean {
  if (element.name === 'body' || element.name === 'html' || element.name === 'main') return false
  const names = ['class', 'id', 'aria-label'].map((it) => attributeValue(element, it).slice(0, 200)).join(' ')
  return NAME.test(names) || /BreadcrumbList$/.test(attributeValue(element, 'itemtype'))
}

/** Each link and each text beside the links is a part. */
function partsOf(breadcrumb: HtmlElement): string[] {
  const parts: string[] = []
  let link: HtmlElement | null = null
  let text = ''
  let length = 0
  const endPart = () => {
    const part = text.replace(/\s+/g, ' ').trim()
    text = ''
    if (/[\p{L}\p{N}]/u.test(part)) parts.push(withoutSeparators(part))
  }
  walkTree(breadcrumb, {
    enter(node) {
      if (isText(node)) {
        length += node.data.length
        if (length <= MAX_LENGTH) text += node.data
      }
      if (!isElement(node) || node.name === 'script' || node.name === 'style') return false
      if (node.name === 'a' || node.name === 'li') endPart()
      if (node.name === 'a') link ??= node
      return true
    },
    leave(node) {
      if (isElement(node) && (node === link || node.name === 'li' || node.name === 'span')) {
        if (node === link) link = null
        if (link === null) endPart()
      }
    },
  })
  endPart()
  const isUsual = length <= MAX_LENGTH && parts.length <= MAX_PARTS && parts.every((it) => it.length <= MAX_PART)
  return isUsual ? parts : []
}

const SEPARATORS = new Set(' /|>»›→·•:\\-')

function withoutSeparators(text: string): string {
  let [from, to] = [0, text.length]
  while (from < to && SEPARATORS.has(text.charAt(from))) from++
  while (to > from && SEPARATORS.has(text.charAt(to - 1))) to--
  return text.slice(from, to)
}
