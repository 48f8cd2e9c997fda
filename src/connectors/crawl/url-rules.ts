// Decides which URLs belong to a crawl and which look like crawler traps.
import { trimEndCharacters } from '../../domain/values/trim.ts'
import { SourceError } from '../connector.ts'

/** Normalizes a URL and removes fragment and credentials. Null if it is not an http(s) URL. */
export function normalizeUrl(text: string, base?: string): string | null {
  const trimmed = text.trim().replaceAll('\\', '/')
  if (!URL.canParse(trimmed, base)) return null
  const url = new URL(trimmed, base)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return null
  if (!url.hash.startsWith('#!')) url.hash = ''
  url.username = ''
  url.password = ''
  return url.href
}

/** The scheme defaults to https. */
export function parseStartUrl(text: string): string {
  const trimmed = text.trim()
  const url = normalizeUrl(/^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `https://${trimmed}`)
  if (url !== null) return url
  throw new SourceError('config', `"${trimmed}" is not a valid URL.`, {
    field: 'connector_specific_config.base_url',
  })
}

const hostWithoutWww = (url: URL) => `${url.hostname.replace(/^www\./, '')}:${url.port}`

export const isSameHost = (base: string, url: string): boolean =>
  hostWithoutWww(new URL(base)) === hostWithoutWww(new URL(url))

/** Index files such as `index.html`, `index.php` and `default.aspx` stand for their folder. */
function withoutIndexFile(path: string): string {
  const at = path.lastIndexOf('/')
  return /^(?:index|default)\.[a-z]{2,6}$/i.test(path.slice(at + 1)) ? path.slice(0, at) : path
}

/** Whether the URL has the same host, ignoring `www.`, and a path below the base. */
export function isBelow(base: string, url: string): boolean {
  const [from, to] = [new URL(base), new URL(url)]
  if (hostWithoutWww(from) !== hostWithoutWww(to)) return false
  const folder = trimEndCharacters(withoutIndexFile(from.pathname), '/')
  return folder === '' || to.pathname === folder || to.pathname.startsWith(`${folder}/`)
}

const MAX_LENGTH = 2_000
const MAX_REPETITIONS = 3
const MAX_SEGMENTS = 40

/** Why the URL looks like a crawler trap, or null. */
export function crawlTrapReason(url: string): string | null {
  if (url.length > MAX_LENGTH) return `The URL is longer than ${MAX_LENGTH} characters.`
  const segments = new URL(url).pathname.split('/').filter((it) => it !== '')
  if (segments.length > MAX_SEGMENTS) return `The URL has more than ${MAX_SEGMENTS} path segments.`
  const counts = new Map<string, number>()
  for (const it of segments) counts.set(it, (counts.get(it) ?? 0) + 1)
  const repeated = [...counts].find(([, count]) => count > MAX_REPETITIONS)
  return repeated === undefined
    ? null
    : `The path repeats "${repeated[0].slice(0, 100)}", which looks like an endless path.`
}

/** `*` matches any text. A pattern without `*` is a prefix. */
export function compilePattern(pattern: string): (url: string) => boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return (url) => url.startsWith(first)
  return (url) => {
    if (!url.startsWith(first)) return false
    let at = first.length
    for (const part of rest) {
      const found = url.indexOf(part, at)
      if (found < 0) return false
      at = found + part.length
    }
    return url.length - last.length >= at && url.endsWith(last)
  }
}
