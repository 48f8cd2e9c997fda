// Addresses that others wrote: which may be followed, and where they lead, said by us.

/** What may be clicked; anything else is only text. A document's link may have been written by anybody. */
export function safeHref(link: string | null | undefined): string | undefined {
  if (link == null || !URL.canParse(link)) return undefined
  return ['http:', 'https:', 'mailto:'].includes(new URL(link).protocol) ? link : undefined
}

/** Where a link leads, in few words. */
export function placeOf(href: string): string {
  const { host, pathname, protocol } = new URL(href)
  if (protocol === 'mailto:') return pathname
  const parts = pathname.split('/').filter(Boolean)
  return [host, ...parts].map((it) => decoded(it)).join(' › ')
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** As the browser understands it: what looks like another host is written in the letters of the network. */
export function hostOf(href: string): string {
  const { protocol, host, pathname } = new URL(href)
  return protocol === 'mailto:' ? pathname : host
}

const UNSEEN = /[\p{Cc}\p{Cf}\u2028\u2029]/gu

/** For what somebody decides upon: characters that are not seen, or that turn the order of others, are named. */
export const withUnseenNamed = (text: string): string =>
  text.replace(UNSEEN, (it) => (it === '\n' || it === '\t' ? it : `\\u{${it.codePointAt(0)!.toString(16)}}`))
