// Finds when a page was written and changed in its elements and its structured data.
import { isoDate } from '../iso-date.ts'
import { attributeValue, type HtmlDocument, type HtmlElement, isElement, textContent, walkTree } from './html-tree.ts'

/** ISO 8601 in UTC, or null. */
export interface PageDates {
  created: string | null
  modified: string | null
}

const MAX_DATE = 100

/**
 * Reads `time` elements and the JSON-LD of the page. A `time` element without a role counts only if the page has no
 * other one, because lists of events and comments have many.
 */
export function readPageDates(document: HtmlDocument): PageDates {
  const dates: PageDates = { created: null, modified: null }
  const others: string[] = []
  walkTree(document, {
    enter(node) {
      if (!isElement(node)) return false
      if (node.name === 'script') addStructuredDates(dates, node)
      const date = node.name === 'time' || hasDateProperty(node) ? dateOf(node) : null
      if (date === null) return true
      const role = roleOf(node)
      if (role !== null) dates[role] ??= date
      else if (others.length < 2) others.push(date)
      return true
    },
  })
  const [only, second] = others
  return { ...dates, modified: dates.modified ?? (second === undefined ? (only ?? null) : null) }
}

const hasDateProperty = (element: HtmlElement): boolean => /^date/.test(attributeValue(element, 'itemprop'))

const dateOf = (element: HtmlElement): string | null => {
  const stated = attributeValue(element, 'datetime') || attributeValue(element, 'content') || shortText(element)
  // A year alone, a duration or a time of day is no date.
  return /\d{4}-\d\d-\d\d/.test(stated.slice(0, MAX_DATE)) ? isoDate(stated.slice(0, MAX_DATE)) : null
}

function shortText(element: HtmlElement): string {
  const [first] = element.childNodes
  return first === undefined || element.childNodes.length > 1 || 'attribs' in first ? '' : textContent(element)
}

/** "updated", "dateModified" and "published" stand in names of properties and classes. */
function roleOf(element: HtmlElement): keyof PageDates | null {
  const names = `${attributeValue(element, 'itemprop')} ${attributeValue(element, 'class')}`.slice(0, 200)
  if (/updated|modified/i.test(names)) return 'modified'
  const isPublished = Object.hasOwn(element.attribs, 'pubdate') || /publish|created|posted/i.test(names)
  return isPublished ? 'created' : null
}

const MAX_JSON = 200_000

function addStructuredDates(dates: PageDates, script: HtmlElement): void {
  if (attributeValue(script, 'type').trim().toLowerCase() !== 'application/ld+json') return
  for (const thing of parseThings(textContent(script))) {
    dates.modified ??= dateField(thing, 'dateModified')
    dates.created ??= dateField(thing, 'datePublished')
  }
}

function parseThings(text: string): unknown[] {
  if (text.length > MAX_JSON) return []
  try {
    const value: unknown = JSON.parse(text)
    const top = Array.isArray(value) ? value : [value]
    return top.flatMap((it) => [it, ...graphOf(it)]).slice(0, 100)
  } catch {
    // Broken structured data is common, and says nothing.
    return []
  }
}

const graphOf = (thing: unknown): unknown[] => {
  const graph = fieldOf(thing, '@graph')
  return Array.isArray(graph) ? graph : []
}

const dateField = (thing: unknown, name: string): string | null => {
  const value = fieldOf(thing, name)
  return typeof value === 'string' ? isoDate(value.slice(0, MAX_DATE)) : null
}

const fieldOf = (thing: unknown, name: string): unknown =>
  typeof thing === 'object' && thing !== null && Object.hasOwn(thing, name)
    ? Object.getOwnPropertyDescriptor(thing, name)?.value
    : undefined
