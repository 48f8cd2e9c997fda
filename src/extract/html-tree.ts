// Walks over the tree of a page that need no stack, because a page may be nested deeper than one.
import type { parseDocument } from 'htmlparser2'

export type Branch = ReturnType<typeof parseDocument>
export type Node = Branch['childNodes'][number]
export type Element = Extract<Node, { attribs: unknown }>
export type Text = Extract<Node, { data: string }>

export const isElement = (node: Node | Branch): node is Element => 'attribs' in node
export const isText = (node: Node | Branch): node is Text => node.type === 'text'

export const attributeOf = (element: Element, name: string): string =>
  Object.hasOwn(element.attribs, name) ? (element.attribs[name] ?? '') : ''

export interface Visit {
  /** Whether what is in it is visited too. */
  enter(node: Node): boolean
  /** Not called for what `enter` refused. */
  leave?(node: Node): void
}

export function walk(root: Branch | Element, { enter, leave }: Visit): void {
  let node: Node | null = root.childNodes[0] ?? null
  while (node !== null) {
    const isEntered = enter(node)
    const child: Node | null = isEntered && 'childNodes' in node ? (node.childNodes[0] ?? null) : null
    if (child !== null) {
      node = child
      continue
    }
    if (isEntered) leave?.(node)
    while (node !== null && node.next === null) {
      const parent: Node | null = node.parent === root || node.parent === null ? null : (node.parent as Node)
      if (parent !== null) leave?.(parent)
      node = parent
    }
    node = node === null ? null : (node.next as Node)
  }
}

export function find(root: Branch | Element, matches: (element: Element) => boolean): Element | null {
  let found: Element | null = null
  walk(root, {
    enter(node) {
      if (found === null && isElement(node) && matches(node)) found = node
      return found === null
    },
  })
  return found
}

export function textOf(root: Branch | Element): string {
  let text = ''
  walk(root, {
    enter(node) {
      if (isText(node)) text += node.data
      return true
    },
  })
  return text
}
