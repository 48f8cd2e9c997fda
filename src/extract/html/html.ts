// Reads HTML pages: the main content, split at headings.
import { DomHandler, Parser } from 'htmlparser2'
import { isoDate } from '../iso-date.ts'
import { checkDeadline, type DocumentFacts, type FormatReader, ReadEnded, type ReaderContext } from '../reader.ts'
import { decodeText } from '../text/decode-text.ts'
import { readCrawlInfo } from './crawl-info.ts'
import {
  attributeValue,
  findElement,
  type HtmlDocument,
  type HtmlElement,
  isElement,
  textContent,
  walkTree,
} from './html-tree.ts'
import { findMainContent } from './main-content.ts'
import { readPageDates } from './page-dates.ts'
import { type WholeDocument, writeSections } from './write-sections.ts'

export const readHtml: FormatReader = (context) => {
  const source = decodeText(context.bytes, [context.charset, metaCharset(context.bytes)])
  readMarkup(context, source)
}

/** Also reads HTML in mails and e-books, where `wholeDocument` keeps everything. */
export function readMarkup(context: ReaderContext, source: string, wholeDocument?: WholeDocument): void {
  const { document, isTruncated } = parseHtml(source, context)
  const facts = readMetaFacts(document)
  const main =
    wholeDocument === undefined ? findMainContent(document) : { root: document, titles: [], isBoilerplate: () => false }
  const firstHeading = writeSections(main, context, wholeDocument)
  if (wholeDocument === undefined) {
    context.facts({ ...facts, title: facts.title ?? firstHeading })
    context.page(readCrawlInfo(document))
  }
  if (isTruncated) throw new ReadEnded('limit', 'nesting')
}

/** Equals the limit in `xml/xml-parser.ts`. Content before the limit is kept. */
const MAX_NESTING = 5_000
const CHUNK_LENGTH = 1 << 16

function parseHtml(source: string, { budget }: ReaderContext): { document: HtmlDocument; isTruncated: boolean } {
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
  for (let at = 0; at < source.length && depth <= MAX_NESTING; at += CHUNK_LENGTH) {
    checkDeadline(budget)
    parser.write(source.slice(at, at + CHUNK_LENGTH))
  }
  const isTruncated = depth > MAX_NESTING
  parser.end()
  return { document: handler.root, isTruncated }
}

const metaCharset = (bytes: Buffer): string | null => {
  const head = bytes.subarray(0, 4_096).toString('latin1')
  const declared = head
    .match(/<meta\b[^<>]*/gi)
    ?.map((tag) => /\bcharset\s*=\s*(?:["']\s*)?([\w.:-]{1,40})/i.exec(tag)?.[1])
  return (
    declared?.find((it) => it !== undefined) ??
    /^\s*<\?xml[^>]{0,200}\bencoding\s*=\s*["']([\w.:-]{1,40})/.exec(head)?.[1] ??
    null
  )
}

const AUTHOR = ['author', 'dc.creator', 'dcterms.creator', 'article:author']
const CREATED = ['article:published_time', 'dcterms.created', 'dc.date', 'date', 'pubdate']
const MODIFIED = ['article:modified_time', 'og:updated_time', 'dcterms.modified', 'last-modified']

function readMetaFacts(document: HtmlDocument): DocumentFacts & { title: string | null } {
  const metas = metaContents(document)
  const firstOf = (names: readonly string[]) => names.map((it) => metas.get(it)).find((it) => it) ?? null
  const title = findElement(document, (it) => it.name === 'title' && it.parent !== null && !isInSvg(it))
  const html = findElement(document, (it) => it.name === 'html')
  const author = firstOf(AUTHOR)
  const dates = readPageDates(document)
  return {
    title: (title && textContent(title).replace(/\s+/g, ' ').trim()) || metas.get('og:title') || null,
    // Some pages give a profile URL instead of a name.
    author: author !== null && !/^https?:/i.test(author) ? author : null,
    created: isoDate(firstOf(CREATED)) ?? dates.created,
    modified: isoDate(firstOf(MODIFIED)) ?? dates.modified,
    language: (html && attributeValue(html, 'lang').trim().slice(0, 35)) || null,
  }
}

function metaContents(document: HtmlDocument): Map<string, string> {
  const metas = new Map<string, string>()
  walkTree(document, {
    enter(node) {
      if (!isElement(node) || node.name !== 'meta') return true
      const name =
        attributeValue(node, 'name') || attributeValue(node, 'property') || attributeValue(node, 'http-equiv')
      const content = attributeValue(node, 'content').replace(/\s+/g, ' ').trim().slice(0, 500)
      if (name !== '' && content !== '' && metas.size < 200) metas.set(name.toLowerCase(), content)
      return true
    },
  })
  return metas
}

function isInSvg(element: HtmlElement): boolean {
  const parent = element.parent
  return parent !== null && isElement(parent) && parent.name === 'svg'
}
