// Configuration of the web connector.
import { z } from 'zod'
import { nullish, wireArray, wireBoolean, wireEnum, wireInteger, wireString } from '../../wire/schemas.ts'
import { HIDDEN, usually } from '../form-hints.ts'

export const MAX_PAGES = 10_000
export const MAX_DEPTH = 32

const urlRewrite = z.object({ source: wireString({ min: 1, max: 2_000 }), target: wireString({ max: 2_000 }) })
const patterns = nullish(wireArray(wireString({ min: 1, max: 2_000 }), { max: 1_000 }))

export const WebConfig = z.object({
  base_url: wireString({ min: 1, max: 2_000 }).describe(
    'The start URL. The scheme defaults to https. A URL that ends in `index.html` or another `index.` or `default.` file stands for its folder.',
  ),
  web_connector_type: nullish(wireEnum(['recursive', 'single', 'sitemap'], { caseInsensitive: true }))
    .describe(
      '`recursive` (default) reads every linked page below `base_url`, `single` reads only that page, `sitemap` reads the pages that its sitemap lists.',
    )
    .meta(usually('recursive')),
  include_patterns: patterns.describe(
    'Read only URLs that match one of these patterns: prefixes, or patterns in which * matches any text.',
  ),
  exclude_patterns: patterns.describe('Skip URLs that match one of these patterns.'),
  max_pages: nullish(wireInteger({ min: 1, max: 1_000_000 }))
    .describe(`Maximum number of pages. Default: ${MAX_PAGES}.`)
    .meta(usually(MAX_PAGES)),
  max_depth: nullish(wireInteger({ min: 0, max: 1_000 }))
    .describe(`Maximum number of links between \`base_url\` and a page, on the shortest path. Default: ${MAX_DEPTH}.`)
    .meta(usually(MAX_DEPTH)),
  url_rewrites: nullish(wireArray(urlRewrite, { max: 100 })).describe(
    'Rewrites document ids and links: the first `source` that is a prefix of the URL is replaced by `target`.',
  ),
  mintlify_cleanup: nullish(wireBoolean())
    .describe('Accepted for compatibility; ignored. The main content of a page is always detected.')
    .meta(HIDDEN),
  scroll_before_scraping: nullish(wireBoolean())
    .describe('Accepted for compatibility; ignored. Page scripts are not executed.')
    .meta(HIDDEN),
})
export type WebConfig = z.infer<typeof WebConfig>
