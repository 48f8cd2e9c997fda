// What robots.txt of each origin allows: RFC 9309.
import * as parser from 'robots-parser'
import { type Pull, SourceError } from './connector.ts'
import { openOnce } from './once.ts'

export interface Robots {
  /** Asks the origin for its rules once. */
  isAllowed(url: string): Promise<boolean>
  sitemaps(origin: string): Promise<string[]>
  /** Seconds between two requests, if the site asks for some. */
  delayOf(origin: string): Promise<number>
}

const AGENT = 'Pharos'
const MAX_BYTES = 1 << 20
const MAX_DELAY = 30

/** Its types say that it is a module with a default, and it is one whose export is the function. */
const robotsParser = parser.default as unknown as typeof parser.default.default
type Rules = ReturnType<typeof robotsParser>

export function openRobots(fetch: Pull['fetch']): Robots {
  const once = openOnce()
  const rulesOf = (origin: string) => once(origin, () => readRules(fetch, `${origin}/robots.txt`))
  return {
    isAllowed: async (url) => (await rulesOf(new URL(url).origin)).isAllowed(url, AGENT) !== false,
    sitemaps: async (origin) => (await rulesOf(origin)).getSitemaps(),
    delayOf: async (origin) => Math.min((await rulesOf(origin)).getCrawlDelay(AGENT) ?? 0, MAX_DELAY),
  }
}

/** No rules are no restriction; rules that cannot be read now are one: section 2.3.1. */
async function readRules(fetch: Pull['fetch'], url: string): Promise<Rules> {
  const { status, body } = await fetch(url, { maxBytes: MAX_BYTES })
  if (status >= 500)
    throw new SourceError('unavailable', `${url} answers ${status}, so nothing is read there.`, { status })
  return robotsParser(url, status >= 200 && status < 300 ? body.toString('utf8') : '')
}
