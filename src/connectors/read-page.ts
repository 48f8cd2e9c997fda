// An HTML page: what a person would read there, under which headings, and where it leads.
import { Parser } from 'htmlparser2'

export interface Page {
  title: string | null
  sections: { heading: string | null; text: string; anchor: string | null }[]
  /** As they are written; `base` says what they are relative to. */
  links: string[]
  base: string | null
  canonical: string | null
  /** Of the page itself, as a header may say it too. */
  isIndexed: boolean
  isFollowed: boolean
}

const SILENT = new Set(['script', 'style', 'noscript', 'template', 'svg', 'head', 'iframe', 'select', 'button'])
/** What stands round the content of every page of a site. */
const AROUND = new Set(['nav', 'header', 'footer', 'aside'])
const MAIN = new Set(['main', 'article'])
const BLOCKS = new Set(
  'address article aside blockquote br dd div dl dt fieldset figcaption footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table td th tr ul'.split(
    ' ',
  ),
)
const HEADING = /^h[1-6]$/

interface Piece {
  text: string
  isMain: boolean
  isAround: boolean
  /** Begins a section. */
  heading: { anchor: string | null } | null
}

export function readPage(html: string): Page {
  const page: Page = {
    title: null,
    sections: [],
    links: [],
    base: null,
    canonical: null,
    isIndexed: true,
    isFollowed: true,
  }
  const pieces: Piece[] = []
  const depth = { silent: 0, around: 0, main: 0 }
  let title: string | null = null
  let isTitle = false
  let heading: { anchor: string | null } | null = null
  const count = (name: string, step: 1 | -1) => {
    if (SILENT.has(name)) depth.silent += step
    if (AROUND.has(name)) depth.around += step
    if (MAIN.has(name)) depth.main += step
  }
  const add = (text: string) => {
    if (depth.silent > 0) return
    pieces.push({ text, isMain: depth.main > 0, isAround: depth.around > 0, heading })
  }
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        count(name, 1)
        if (name === 'title' && title === null) isTitle = true
        if (HEADING.test(name)) heading = { anchor: attributes.id ?? null }
        if (BLOCKS.has(name)) add('\n')
        note(page, name, attributes)
      },
      ontext(text) {
        if (isTitle) title = (title ?? '') + text
        else add(text.replace(/\s+/g, ' '))
      },
      onclosetag(name) {
        if (BLOCKS.has(name)) add('\n')
        if (HEADING.test(name)) heading = null
        if (name === 'title') isTitle = false
        count(name, -1)
      },
    },
    { decodeEntities: true },
  )
  parser.end(html)
  return { ...page, title: oneLine(title ?? '') || null, sections: sectionsOf(pieces) }
}

/** A page that marks its content is taken at its word, where that is most of what it says. */
function sectionsOf(pieces: readonly Piece[]): Page['sections'] {
  const content = pieces.filter((it) => !it.isAround || it.isMain)
  const main = pieces.filter((it) => it.isMain)
  const length = (list: readonly Piece[]) => list.reduce((sum, it) => sum + it.text.trim().length, 0)
  const chosen = length(main) * 3 > length(content) ? main : length(content) > 0 ? content : pieces
  const sections: Page['sections'] = []
  let current: Page['sections'][number] = { heading: null, text: '', anchor: null }
  let open: Piece['heading'] = null
  const close = () => {
    const text = tidy(current.text)
    const title = oneLine(current.heading ?? '') || null
    if (text !== '' || title !== null) sections.push({ ...current, heading: title, text })
  }
  for (const piece of chosen) {
    if (piece.heading !== null && piece.heading !== open) {
      close()
      current = { heading: '', text: '', anchor: piece.heading.anchor }
    }
    open = piece.heading
    if (piece.heading === null) current.text += piece.text
    else current.heading += piece.text
  }
  close()
  return sections
}

const tidy = (text: string) =>
  text
    .replace(/[ \t]+/g, ' ')
    .replace(/ ?\n\s*/g, '\n')
    .trim()
const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim()

function note(page: Page, name: string, attributes: Record<string, string>): void {
  const { href, rel = '', content = '' } = attributes
  if ((name === 'a' || name === 'area') && href !== undefined && !/\bnofollow\b/i.test(rel)) page.links.push(href)
  if (name === 'base' && href !== undefined) page.base ??= href
  if (name === 'link' && href !== undefined && /\bcanonical\b/i.test(rel)) page.canonical ??= href
  if (name === 'meta' && /^(?:robots|pharos)$/i.test(attributes.name ?? '')) heed(page, content)
  if (name === 'frame' && attributes.src !== undefined) page.links.push(attributes.src)
}

/** What `meta robots` and `X-Robots-Tag` say. */
export function heed(page: Pick<Page, 'isIndexed' | 'isFollowed'>, content: string): void {
  const words = content.toLowerCase().split(/[\s,]+/)
  if (words.includes('noindex') || words.includes('none')) page.isIndexed = false
  if (words.includes('nofollow') || words.includes('none')) page.isFollowed = false
}

/** The encoding that the header names, else a mark at the beginning, else what the page says of itself, else UTF-8. */
export function decodePage(bytes: Buffer, contentType: string): string {
  const marked =
    bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : null
  const said = /<meta[^>]+charset\s*=\s*["']?\s*([\w-]+)/i.exec(bytes.subarray(0, 4_096).toString('latin1'))?.[1]
  const label = marked ?? /charset\s*=\s*["']?([\w-]+)/i.exec(contentType)?.[1] ?? said ?? 'utf-8'
  try {
    return new TextDecoder(label).decode(bytes)
  } catch {
    // A name that no browser knows.
    return new TextDecoder().decode(bytes)
  }
}
