// Iterative tree traversal, because a page may be nested deeper than the call stack.
import type { parseDocument } from 'htmlparser2'

export type HtmlDocument = ReturnType<typeof parseDocument>
export type HtmlNode = HtmlDocument['childNodes'][number]
export type HtmlElement = Extract<HtmlNode, { attribs: unknown }>
export type HtmlText = Extract<HtmlNode, { data: string }>

export const isElement = (node: HtmlNode | HtmlDocument): node is HtmlElement => 'attribs' in node
export const isText = (node: HtmlNode | HtmlDocument): node is HtmlText => node.type === 'text'

export const attributeValue = (element: HtmlElement, name: string): string =>
  Object.hasOwn(element.attribs, name) ? (element.attribs[name] ?? '') : ''

export interface TreeVisitor {
  /** Returns whether to visit the children. */
  enter(node: HtmlNode): boolean
  /** Not called for nodes that `enter` rejected. */
  leave?(node: HtmlNode): void
}

export function walkTree(root: HtmlDocument | HtmlElement, { enter, leave }: TreeVisitor): void {
  let node: HtmlNode | null = root.childNodes[0] ?? null
  while (node !== null) {
    const isEntered = enter(node)
    const child: HtmlNode | null = isEntered && 'childNodes' in node ? (node.childNodes[0] ?? null) : null
    if (child !== null) {
      node = child
      continue
    }
    if (isEntered) leave?.(node)
    while (node !== null && node.next === null) {
      const parent: HtmlNode | null = node.parent === root || node.parent === null ? null : node.parent
      if (parent !== null) leave?.(parent)
      node = parent
    }
    node = node === null ? null : node.next
  }
}

/** Like `walkTree`, with the element itself. */
export function walkElement(element: HtmlElement, visitor: TreeVisitor): void {
  if (!visitor.enter(element)) return
  walkTree(element, visitor)
  visitor.leave?.(element)
}

export function findElement(
  root: HtmlDocument | HtmlElement,
  matches: (element: HtmlElement) => boolean,
): HtmlElement | null {
  let found: HtmlElement | null = null
  walkTree(root, {
    enter(node) {
      if (found === null && isElement(node) && matches(node)) found = node
      return found === null
    },
  })
  return found
}

export function textContent(root: HtmlDocument | HtmlElement): string {
  let text = ''
  walkTree(root, {
    enter(node) {
      if (isText(node)) text += node.data
      return true
    },
  })
  return text
}
