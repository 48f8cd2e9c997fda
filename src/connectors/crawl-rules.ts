// Which addresses belong to a crawl, and which would never end.
import { SourceError } from './connector.ts'

/** As one address of a page: without the part that stays in the browser. Null where it is none that is called. */
export function pageUrl(text: string, base?: string): string | null {
  const given = text.trim().replaceAll('\\', '/')
  if (!URL.canParse(given, base)) return null
  const url = new URL(given, base)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return null
  if (!url.hash.startsWith('#!')) url.hash = ''
  url.username = ''
  url.password = ''
  return url.href
}

/** As somebody types it: without a scheme it is https. */
export function baseUrl(text: string): string {
  const given = text.trim()
  const url = pageUrl(/^[a-z][a-z0-9+.-]*:\/\//i.test(given) ? given : `https://${given}`)
  if (url !== null) return url
  throw new SourceError('config', `"${given}" is no address of a page.`, {
    field: 'connector_specific_config.base_url',
  })
}

const hostOf = (url: URL) => `${url.hostname.replace(/^www\./, '')}:${url.port}`

/** The same host, with or without `www.`, and below the path of the base. */
export function isBelow(base: string, url: string): boolean {
  const [from, to] = [new URL(base), new URL(url)]
  if (hostOf(from) !== hostOf(to)) return false
  const folder = from.pathname.replace(/\/+$/, '')
  return folder === '' || to.pathname === folder || to.pathname.startsWith(`${folder}/`)
}

const MAX_LENGTH = 2_000
const MAX_REPETITIONS = 3
const MAX_SEGMENTS = 40

/** Why the address looks like one of endlessly many, or null. */
export function trapOf(url: string): string | null {
  if (url.length > MAX_LENGTH) return `Its address is longer than ${MAX_LENGTH} characters.`
  const segments = new URL(url).pathname.split('/').filter((it) => it !== '')
  if (segments.length > MAX_SEGMENTS) return `Its path has more than ${MAX_SEGMENTS} parts.`
  const counts = new Map<string, number>()
  for (const it of segments) counts.set(it, (counts.get(it) ?? 0) + 1)
  const repeated = [...counts].find(([, count]) => count > MAX_REPETITIONS)
  return repeated === undefined ? null : `Its path repeats "${repeated[0].slice(0, 100)}", as endless paths do.`
}

/** `*` stands for anything; without one the pattern is a beginning. */
export function patternOf(pattern: string): (url: string) => boolean {
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
