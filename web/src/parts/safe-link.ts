// Decides which links from documents and models are safe to follow, and describes where they lead.

const INVISIBLE = /[\p{Cc}\p{Cf}\u2028\u2029]/gu

/** Returns a link that is safe to click, otherwise undefined. Links in documents are untrusted. */
export function safeHref(link: string | null | undefined): string | undefined {
  const url = link == null ? null : URL.parse(link)
  // A user name in the URL can pose as the host.
  if (link == null || url === null || url.username !== '' || url.password !== '') return undefined
  return ['http:', 'https:', 'mailto:'].includes(url.protocol) ? link : undefined
}

/** A short description of the target of a link. */
export function linkBreadcrumb(href: string): string {
  const { host, pathname, protocol } = new URL(href)
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

/** The host as the browser resolves it; look-alike characters appear in Punycode. */
export function hostOf(href: string): string {
  const { protocol, host, pathname } = new URL(href)
  return protocol === 'mailto:' ? pathname : host
}

/** Escapes invisible and bidirectional control characters in texts that the user approves. */
export const escapeInvisible = (text: string): string =>
  text.replace(INVISIBLE, (it) => (it === '\n' || it === '\t' ? it : `\\u{${it.codePointAt(0)!.toString(16)}}`))
