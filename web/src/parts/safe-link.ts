// Decides which links from documents and models are safe to follow, and describes where they lead.

const INVISIBLE = /[\p{Cc}\p{Cf}\u2028\u2029]/gu

/** Pages and files of this service: the text of a document, and its original. */
const OWN_PATHS = ['/document', '/api/document/original']
const OWN_LINKS = OWN_PATHS.map((it) => `${it}?`)
/** Stands for the address of the service, which the paths of its own links leave out. */
const OWN_ORIGIN = 'http://own.invalid'

/** Returns a link that is safe to click, otherwise undefined. Links in documents are untrusted. */
export function safeHref(link: string | null | undefined): string | undefined {
  if (link == null) return undefined
  if (OWN_LINKS.some((it) => link.startsWith(it))) return link
  const url = URL.parse(link)
  // A user name in the URL can pose as the host.
  if (url === null || url.username !== '' || url.password !== '') return undefined
  return ['http:', 'https:', 'mailto:'].includes(url.protocol) ? link : undefined
}

/** The ids of documents of the file connector, which alone have such links with the address of the service. */
const FILE_ID = 'FILE_CONNECTOR__'

/** Whether a safe link leads to this service. */
export function isOwnLink(href: string): boolean {
  const { origin, pathname, searchParams } = new URL(href, OWN_ORIGIN)
  const id = searchParams.get('document_id') ?? searchParams.get('id') ?? ''
  return OWN_PATHS.includes(pathname) && (origin === OWN_ORIGIN || id.startsWith(FILE_ID))
}

/** The page that shows the text of a document, opened at a chunk or at a section. */
export function readerHref(id: string, at: { chunk?: number; section?: number } = {}): string {
  const place = Object.entries(at).map(([name, number]) => `&${name}=${number}`)
  return `/document?id=${encodeURIComponent(id.toWellFormed())}${place.join('')}`
}

interface LinkedDocument {
  document_id: string
  link: string | null
  chunk_ind?: number
  /** The own upload that the document is. */
  file_id?: string | null
  is_internet?: boolean
}

/** Where a document opens: its link, or its text here if it has none, as in chats that are stored for longer. */
export function documentHref({
  document_id,
  link,
  chunk_ind,
  file_id,
  is_internet,
}: LinkedDocument): string | undefined {
  if (link !== null || is_internet === true) return safeHref(link)
  if (file_id != null) return `/api/document/original?document_id=${encodeURIComponent(file_id)}`
  return readerHref(document_id, chunk_ind === undefined ? {} : { chunk: chunk_ind })
}

/** A short description of the target of a link. */
export function linkBreadcrumb(href: string): string {
  const { host, pathname, protocol } = new URL(href, OWN_ORIGIN)
  if (protocol === 'mailto:') return pathname
  const parts = pathname.split('/').filter(Boolean)
  return [host, ...parts].map((it) => decodeSegment(it)).join(' › ')
}

function decodeSegment(text: string): string {
  try {
    return decodeURIComponent(text).replace(INVISIBLE, '')
  } catch {
    return text
  }
}

/** The host as the browser resolves it; look-alike characters appear in Punycode. Empty for a page of this service. */
export function hostOf(href: string): string {
  const { origin, protocol, host, pathname } = new URL(href, OWN_ORIGIN)
  if (origin === OWN_ORIGIN) return ''
  return protocol === 'mailto:' ? pathname : host
}

/** Escapes invisible and bidirectional control characters in texts that the user approves. */
export const escapeInvisible = (text: string): string =>
  text.replace(INVISIBLE, (it) => (it === '\n' || it === '\t' ? it : `\\u{${it.codePointAt(0)!.toString(16)}}`))
