// A page: its main content, cut by its headings.
import { DomHandler, Parser } from 'htmlparser2'
import { decodeText } from './decode-text.ts'
import { pageOf } from './html-links.ts'
import { mainContent } from './html-main.ts'
import { attributeOf, type Branch, type Element, find, isElement, textOf, walk } from './html-tree.ts'
import { writeMarkup } from './html-write.ts'
import { isoDate } from './iso-date.ts'
import { checkTime, Ended, type Facts, type Reader, type Reading } from './reading.ts'

export const readHtml: Reader = (reading) => {
  const source = decodeText(reading.bytes, [reading.charset, metaCharset(reading.bytes)])
  readMarkup(reading, source)
}

/** Also for what lies in mails and books, where all is content: there nothing is left out. */
export function readMarkup(reading: Reading, source: string, whole?: { anchorPrefix: string | null }): void {
  const { document, isCut } = parsePage(source, reading)
  const facts = factsOf(document)
  const main = whole === undefined ? mainContent(document) : { root: document, isBoilerplate: () => false }
  const first = writeMarkup(main, reading, whole?.anchorPrefix ?? null)
  if (whole === undefined) {
    reading.facts({ ...facts, title: facts.title ?? first })
    reading.page(pageOf(document))
  }
  if (isCut) throw new Ended('limit', 'nesting')
}

/** As in `xml-events.ts`. What comes before is read. */
const MAX_NESTING = 5_000
const STEP = 1 << 16

function parsePage(source: string, { budget }: Reading): { document: Branch; isCut: boolean } {
  const handler = new DomHandler()
  let depth = 0
  const parser = new Parser({
    onparserinit: (it) => handler.onparserinit(it),
    onopentag(name, attributes) {
      depth++
      handler.onopentag(name, attributes)
    },
    onclosetag() {
      depth--
      handler.onclosetag()
    },
    ontext: (text) => handler.ontext(text),
  })
  for (let at = 0; at < source.length && depth <= MAX_NESTING; at += STEP) {
    checkTime(budget)
    parser.write(source.slice(at, at + STEP))
  }
  const isCut = depth > MAX_NESTING
  parser.end()
  return { document: handler.root, isCut }
}

const metaCharset = (bytes: Buffer): string | null => {
  const head = bytes.subarray(0, 4_096).toString('latin1')
  return (
    /<meta\b[^>]{0,300}\bcharset\s*=\s*["']?\s*([\w.:-]{1,40})/i.exec(head)?.[1] ??
    /^\s*<\?xml[^>]{0,200}\bencoding\s*=\s*["']([\w.:-]{1,40})/.exec(head)?.[1] ??
    null
  )
}

const AUTHOR = ['author', 'dc.creator', 'dcterms.creator', 'article:author']
const CREATED = ['article:published_time', 'dcterms.created', 'dc.date', 'date', 'pubdate']
const MODIFIED = ['article:modified_time', 'og:updated_time', 'dcterms.modified', 'last-modified']

function factsOf(document: Branch): Facts & { title: string | null } {
  const metas = metaContents(document)
  const first = (names: readonly string[]) => names.map((it) => metas.get(it)).find((it) => it) ?? null
  const title = find(document, (it) => it.name === 'title' && it.parent !== null && !isInSvg(it))
  const html = find(document, (it) => it.name === 'html')
  const author = first(AUTHOR)
  return {
    title: (title && textOf(title).replace(/\s+/g, ' ').trim()) || metas.get('og:title') || null,
    // Some name a page about the author instead of the author.
    author: author !== null && !/^https?:/i.test(author) ? author : null,
    created: isoDate(first(CREATED)),
    modified: isoDate(first(MODIFIED)),
    language: (html && attributeOf(html, 'lang').trim().slice(0, 35)) || null,
  }
}

function metaContents(document: Branch): Map<string, string> {
  const metas = new Map<string, string>()
  walk(document, {
    enter(node) {
      if (!isElement(node) || node.name !== 'meta') return true
      const name = attributeOf(node, 'name') || attributeOf(node, 'property') || attributeOf(node, 'http-equiv')
      const content = attributeOf(node, 'content').replace(/\s+/g, ' ').trim().slice(0, 500)
      if (name !== '' && content !== '' && metas.size < 200) metas.set(name.toLowerCase(), content)
      return true
    },
  })
  return metas
}

function isInSvg(element: Element): boolean {
  const parent = element.parent
  return parent !== null && isElement(parent) && parent.name === 'svg'
}
