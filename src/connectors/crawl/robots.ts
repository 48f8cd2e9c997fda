// Evaluates robots.txt per origin (RFC 9309).
import * as parser from 'robots-parser'
import { type ConnectorContext, SourceError } from '../connector.ts'
import { createOncePerKey } from '../rest/once-per-key.ts'

export interface RobotsRules {
  /** Fetches the rules of each origin once. */
  isAllowed(url: string): Promise<boolean>
  sitemaps(origin: string): Promise<string[]>
  /** The Crawl-delay in seconds, 0 if there is none. */
  crawlDelay(origin: string): Promise<number>
}

const USER_AGENT = 'Pharos'
const MAX_BYTES = 1 << 20
const MAX_DELAY = 30

/** The package's types declare a default export, but the CommonJS export itself is the function. */
const robotsParser = parser.default as unknown as typeof parser.default.default
type ParsedRobots = ReturnType<typeof robotsParser>

export function createRobotsRules(fetch: ConnectorContext['fetch']): RobotsRules {
  const once = createOncePerKey()
  const rulesOfOrigin = (origin: string) => once(origin, () => readRules(fetch, `${origin}/robots.txt`))
  return {
    isAllowed: async (url) =>
      url.length <= MAX_URL && (await rulesOfOrigin(new URL(url).origin)).isAllowed(url, USER_AGENT) !== false,
    sitemaps: async (origin) => (await rulesOfOrigin(origin)).getSitemaps(),
    crawlDelay: async (origin) => Math.min((await rulesOfOrigin(origin)).getCrawlDelay(USER_AGENT) ?? 0, MAX_DELAY),
  }
}

/** A missing robots.txt allows everything, a server error forbids everything: section 2.3.1. */
async function readRules(fetch: ConnectorContext['fetch'], url: string): Promise<ParsedRobots> {
  const { status, body } = await fetch(url, { maxBytes: MAX_BYTES })
  if (status >= 500)
    throw new SourceError('unavailable', `${url} returned HTTP ${status}, so the site is not crawled.`, { status })
  return robotsParser(url, status >= 200 && status < 300 ? boundedRules(body.toString('utf8')) : '')
}

/** RFC 9309, section 2.5: a crawler must parse at least 500 KiB. */
const MAX_TEXT_LENGTH = 500 << 10
const MAX_LINE = 2_000
const MAX_URL = 2_000
/**
 * Total length of all rules with an asterisk. The parser compares each of their characters with every character of the
 * URL.
 */
const MAX_PATTERNS = 20_000

/** Rules that are too expensive to match are widened if they forbid and dropped if they allow. */
export function boundedRules(text: string): string {
  let remaining = MAX_PATTERNS
  return text
    .slice(0, MAX_TEXT_LENGTH)
    .split(/[\r\n]+/)
    .flatMap((line) => {
      const isLong = line.length > MAX_LINE
      if (line.includes('*')) remaining -= Math.min(line.length, MAX_LINE)
      if (!isLong && (remaining >= 0 || !line.includes('*'))) return [line]
      return /^\s*disallow\s*:/i.test(line) ? line.slice(0, MAX_LINE).split('*', 1) : []
    })
    .join('\n')
}
