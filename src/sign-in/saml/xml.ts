// Reads XML into elements. Only a thread with limits may do this with the text of a stranger.
import { createRequire } from 'node:module'

export const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol'
export const ASSERTION = 'urn:oasis:names:tc:SAML:2.0:assertion'
export const METADATA = 'urn:oasis:names:tc:SAML:2.0:metadata'
export const SIGNATURE = 'http://www.w3.org/2000/09/xmldsig#'

export interface XmlElement {
  nodeType: number
  localName: string
  namespaceURI: string | null
  textContent: string
  parentNode: XmlElement | null
  childNodes: ArrayLike<XmlElement>
  attributes: ArrayLike<{ localName: string; value: string }>
  hasAttribute(name: string): boolean
  getAttribute(name: string): string
}

interface Parser {
  parseFromString(text: string, type: string): { childNodes: ArrayLike<XmlElement> }
}

type OnFault = (text: string) => never

interface XmlDom {
  DOMParser: new (options: { errorHandler: Record<string, OnFault> }) => Parser
}

/** The types of the package declare the globals of a browser in the whole program. */
const { DOMParser }: XmlDom = createRequire(import.meta.url)('@xmldom/xmldom')

/** A text that cannot be used, with a sentence for administrators. */
export class XmlFault extends Error {}

const ELEMENT_NODE = 1
const MAX_DEPTH = 40

/** Rejects what is not well formed, also where the parser would only warn. XmlFault. */
export function parseXml(text: string): XmlElement {
  const refuse: OnFault = (fault) => {
    throw new XmlFault(`The XML is not well formed: ${fault.slice(0, 200)}`)
  }
  const parser = new DOMParser({ errorHandler: { warning: refuse, error: refuse, fatalError: refuse } })
  const [root, ...others] = elements(parser.parseFromString(text, 'text/xml').childNodes)
  if (root === undefined || others.length > 0) throw new XmlFault('The XML has not exactly one root element.')
  return root
}

/** The element and everything in it. XmlFault: it is nested too deeply. */
export function* descendants(root: XmlElement): Generator<XmlElement> {
  const open = [{ element: root, depth: 1 }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { element, depth } = next
    if (depth > MAX_DEPTH) throw new XmlFault(`The XML is nested more than ${MAX_DEPTH} elements deep.`)
    yield element
    for (const it of elements(element.childNodes)) open.push({ element: it, depth: depth + 1 })
  }
}

export const childrenNamed = (parent: XmlElement, namespace: string, name: string): XmlElement[] =>
  elements(parent.childNodes).filter((it) => isNamed(it, namespace, name))

export const childElements = (parent: XmlElement): XmlElement[] => elements(parent.childNodes)

export const isNamed = (element: XmlElement, namespace: string, name: string): boolean =>
  element.localName === name && element.namespaceURI === namespace

export const attributeOf = (element: XmlElement, name: string): string | null =>
  element.hasAttribute(name) ? element.getAttribute(name) : null

export const textOf = (element: XmlElement): string => element.textContent.trim()

const elements = (nodes: ArrayLike<XmlElement>): XmlElement[] =>
  Array.from(nodes).filter((it) => it.nodeType === ELEMENT_NODE)
