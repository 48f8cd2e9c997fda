// Origins of web pages (RFC 6454), as used in settings.

/** The schemes under which browsers load pages of an extension. */
const EXTENSION_SCHEMES = ['chrome-extension:', 'moz-extension:', 'safari-web-extension:']
const EXTENSION_HOST = /^[a-z0-9-]+$/i
/** Stricter than URLs allow, because an origin may become part of a content security policy. */
const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])$/

/** Splits at commas and trims the items. */
export const splitCommaList = (value: string): string[] =>
  value
    .split(',')
    .map((it) => it.trim())
    .filter((it) => it !== '')

/** The form of the `Origin` header: no path, no trailing slash, no default port. */
export function isBrowserOrigin(text: string): boolean {
  const url = URL.parse(text)
  if (url === null) return false
  if (EXTENSION_SCHEMES.includes(url.protocol))
    return text === `${url.protocol}//${url.host}` && EXTENSION_HOST.test(url.host)
  return (url.protocol === 'http:' || url.protocol === 'https:') && url.origin === text && HOST.test(url.hostname)
}

/** An origin, all subdomains of one (`https://*.example.com`), or `self`. */
export const isFrameAncestor = (text: string): boolean =>
  text === 'self' || isBrowserOrigin(text) || (WILDCARD.test(text) && isBrowserOrigin(text.replace('//*.', '//')))
const WILDCARD = /^https?:\/\/\*\./
