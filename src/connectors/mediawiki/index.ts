// MediaWiki connector: rendered pages of namespaces, or of categories and titles.
import { z } from 'zod'
import { nullish, wireArray, wireInteger, wireString } from '../../wire/schemas.ts'
import { batchesOf } from '../batches.ts'
import { type ConnectorContext, type ConnectorItem, defineConnector, SourceError } from '../connector.ts'
import { readFileText } from '../files/read-file-text.ts'
import { HIDDEN, SECRET, usually } from '../form-hints.ts'
import {
  MediaWikiApiError,
  type MediaWikiClient,
  type MediaWikiCredential,
  openMediaWikiClient,
  parseWikiUrl,
  type QueryParameters,
} from './client.ts'

const names = nullish(wireArray(wireString({ min: 1, max: 300 }), { max: 10_000 }))

const MediaWikiConfig = z.object({
  hostname: wireString({ min: 1, max: 1_000 }).describe(
    'The host name of the wiki, or any of its URLs. The scheme defaults to https.',
  ),
  categories: names.describe('Read only the pages in these categories, and those listed in `pages`.'),
  pages: names.describe(
    'Read only the pages with these titles, and those in `categories`. If both are empty, every page is read.',
  ),
  recurse_depth: nullish(wireInteger({ min: -1, max: 100 }))
    .describe('Levels of subcategories to include; -1 for all. Default: 0.')
    .meta(usually(0)),
  namespaces: nullish(wireArray(wireInteger({ min: 0, max: 10_000 }), { max: 100 })).describe(
    "Numbers of the namespaces to read. Default: the wiki's content namespaces.",
  ),
  language_code: nullish(wireString({ max: 50 }))
    .describe('Accepted for compatibility; ignored. The wiki reports its language.')
    .meta(HIDDEN),
})
type MediaWikiConfig = z.infer<typeof MediaWikiConfig>

const MediaWikiCredentialSchema = z.object({
  mediawiki_username: wireString({ min: 1, max: 500 }).describe(
    'An account, or preferably a bot password: `Name@bot`.',
  ),
  mediawiki_password: wireString({ min: 1, max: 500 }).meta(SECRET),
})

type MediaWikiContext = ConnectorContext<MediaWikiConfig, MediaWikiCredential>

export default defineConnector<MediaWikiConfig, MediaWikiCredential>({
  sources: ['mediawiki'],
  label: 'MediaWiki',
  shortLabel: 'MediaWiki',
  description: 'Reads the latest revision of each page, section by section.',
  egress: 'admin-target',
  config: MediaWikiConfig,
  ignoredFields: ['batch_size'],
  credential: MediaWikiCredentialSchema,
  origins: ({ hostname }) => [parseWikiUrl(hostname).origin],
  isTestedWithRealSource: true,
  isCredentialOptional: true,
  hasAccess: false,
  check,
  load,
  listIds,
})

const MediaWikiPage = z.object({
  pageid: z.number().optional(),
  ns: z.number().default(0),
  title: z.string().default(''),
  lastrevid: z.number().default(0),
  fullurl: z.string().optional(),
  redirect: z.boolean().default(false),
  revisions: z.array(z.object({ timestamp: z.string().optional(), user: z.string().optional() })).default([]),
  categoryinfo: z.object({ size: z.number() }).optional(),
})
type MediaWikiPage = z.infer<typeof MediaWikiPage>

const QueryAnswer = z.object({
  continue: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
  query: z
    .object({
      pages: z.array(MediaWikiPage).default([]),
      allpages: z.array(MediaWikiPage).default([]),
      categorymembers: z.array(MediaWikiPage).default([]),
      recentchanges: z.array(z.object({ pageid: z.number(), timestamp: z.string() })).default([]),
    })
    .prefault({}),
})

/** The API's limit for accounts without the apihighlimits right. */
const BATCH = 50
const LIST_LIMIT = 500

async function check(context: MediaWikiContext): Promise<void> {
  const wiki = await openMediaWikiClient(context)
  const { categories, pages, namespaces } = context.config
  const missing = (field: string, what: string) =>
    new SourceError('config', `The wiki has no ${what}.`, { field: `connector_specific_config.${field}` })
  for (const it of namespaces ?? []) if (!wiki.namespaces.has(it)) throw missing('namespaces', `namespace ${it}`)
  for (const { batch: titles } of batchesOf(
    (categories ?? []).map((it) => categoryTitle(wiki, it)),
    BATCH,
  )) {
    const { query } = await wiki.query({ action: 'query', prop: 'categoryinfo', titles: titles.join('|') }, QueryAnswer)
    const absent = query.pages.find((it) => it.pageid === undefined && it.categoryinfo === undefined)
    if (absent !== undefined) throw missing('categories', `"${absent.title}"`)
  }
  for (const { batch: titles } of batchesOf(pages ?? [], BATCH)) {
    const absent = (await fetchPages(wiki, titlesQuery(titles))).find((it) => it.pageid === undefined)
    if (absent !== undefined) throw missing('pages', `page "${absent.title}"`)
  }
  if (pages === null && categories === null)
    await wiki.query({ action: 'query', list: 'allpages', aplimit: 1 }, QueryAnswer)
}

async function* load(context: MediaWikiContext): AsyncGenerator<ConnectorItem, void> {
  const wiki = await openMediaWikiClient(context)
  for await (const { pages, checkpoint } of listBatches(context, wiki)) {
    for (const { batch: group } of batchesOf(pages.filter(isArticle), CONCURRENT_PAGES)) {
      for (const item of await Promise.all(group.map((it) => readMediaWikiPage(context, wiki, it))))
        if (item !== null) yield item
    }
    yield { type: 'checkpoint', checkpoint }
  }
}

/** Equals the limit of concurrent requests per host. */
const CONCURRENT_PAGES = 4

async function* listIds(context: MediaWikiContext): AsyncGenerator<string, void> {
  const wiki = await openMediaWikiClient(context)
  const chosen = await configuredIds(context, wiki)
  if (chosen !== null) {
    for (const id of chosen) yield pageDocumentId(wiki, id)
    return
  }
  for (const apnamespace of namespacesOf(context.config, wiki)) {
    const all = { action: 'query', list: 'allpages', apnamespace, apfilterredir: 'nonredirects', aplimit: LIST_LIMIT }
    for await (const { query } of queryAll(wiki, all)) {
      for (const { pageid } of query.allpages) if (pageid !== undefined) yield pageDocumentId(wiki, pageid)
    }
  }
}

/** The page id survives a rename. */
const pageDocumentId = ({ index }: MediaWikiClient, pageid: number): string => `${index}?curid=${pageid}`

type Article = MediaWikiPage & { pageid: number }
const isArticle = (page: MediaWikiPage): page is Article => page.pageid !== undefined && !page.redirect

interface PageBatch {
  pages: MediaWikiPage[]
  checkpoint: MediaWikiCheckpoint
}

const MediaWikiCheckpoint = z.union([
  /** Position in the sorted page ids. */
  z.object({ after: z.number() }),
  /** Position in the listing of a namespace. */
  z.object({ namespace: z.number(), next: z.record(z.string(), z.union([z.string(), z.number()])).nullable() }),
])
type MediaWikiCheckpoint = z.infer<typeof MediaWikiCheckpoint>

async function* listBatches(context: MediaWikiContext, wiki: MediaWikiClient): AsyncGenerator<PageBatch> {
  const resumed = context.checkpoint === null ? null : MediaWikiCheckpoint.parse(context.checkpoint)
  const wantedPageIds = await idsToRead(context, wiki)
  if (wantedPageIds === null) {
    yield* allBatches(context, wiki, resumed !== null && 'namespace' in resumed ? resumed : null)
    return
  }
  const after = resumed !== null && 'after' in resumed ? resumed.after : -1
  for (const { batch, last } of batchesOf([...wantedPageIds].filter((it) => it > after).sort(ascending), BATCH)) {
    const pages = await fetchPages(wiki, { pageids: batch.join('|') })
    yield { pages, checkpoint: { after: last } }
  }
}

const ascending = (one: number, other: number) => one - other

async function* allBatches(
  context: MediaWikiContext,
  wiki: MediaWikiClient,
  resumed: Extract<MediaWikiCheckpoint, { namespace: number }> | null,
): AsyncGenerator<PageBatch> {
  for (const namespace of namespacesOf(context.config, wiki)) {
    if (
      resumed !== null &&
      (namespace < resumed.namespace || (namespace === resumed.namespace && resumed.next === null))
    )
      continue
    const all = { generator: 'allpages', gapnamespace: namespace, gapfilterredir: 'nonredirects', gaplimit: BATCH }
    const from = resumed?.namespace === namespace ? resumed.next : null
    for await (const { query, continue: next = null } of queryAll(wiki, { ...all, ...PAGE_QUERY }, from)) {
      yield { pages: query.pages, checkpoint: { namespace, next } }
    }
  }
}

const namespacesOf = (config: MediaWikiConfig, { namespaces }: MediaWikiClient): number[] =>
  (config.namespaces ?? [...namespaces].filter(([, it]) => it.isContent).map(([id]) => id)).toSorted(ascending)

/** Null means all pages. */
async function idsToRead(context: MediaWikiContext, wiki: MediaWikiClient): Promise<ReadonlySet<number> | null> {
  const { only, since } = context
  if (only !== null) return new Set(only.flatMap((it) => pageIdIn(it) ?? []))
  const chosen = await configuredIds(context, wiki)
  return chosen === null && since !== null ? recentlyChangedIds(context, wiki, since) : chosen
}

const pageIdIn = (id: string): number | null => {
  const digits = /(?:[?&]curid=|^)(\d+)$/.exec(id)?.[1]
  return digits === undefined ? null : Number(digits)
}

/** Null if the configuration lists neither categories nor pages. */
async function configuredIds(
  { config, signal }: MediaWikiContext,
  wiki: MediaWikiClient,
): Promise<ReadonlySet<number> | null> {
  const { categories, pages, recurse_depth } = config
  if ((categories ?? []).length === 0 && (pages ?? []).length === 0) return null
  const ids = new Set<number>()
  for (const { batch: titles } of batchesOf(pages ?? [], BATCH)) {
    for (const { pageid } of await fetchPages(wiki, titlesQuery(titles))) if (pageid !== undefined) ids.add(pageid)
  }
  const depth = recurse_depth === -1 ? Number.POSITIVE_INFINITY : (recurse_depth ?? 0)
  const wanted = new Set(namespacesOf(config, wiki))
  const queue = (categories ?? []).map((it) => ({ title: categoryTitle(wiki, it), level: 0 }))
  const seen = new Set(queue.map((it) => it.title))
  for (const { title, level } of queue) {
    signal.throwIfAborted()
    const members = {
      action: 'query',
      list: 'categorymembers',
      cmtitle: title,
      cmtype: 'page|subcat',
      cmlimit: LIST_LIMIT,
    }
    for await (const { query } of queryAll(wiki, members)) {
      for (const it of query.categorymembers) {
        if (it.pageid !== undefined && wanted.has(it.ns)) ids.add(it.pageid)
        if (it.ns !== CATEGORY || level >= depth || seen.has(it.title)) continue
        seen.add(it.title)
        queue.push({ title: it.title, level: level + 1 })
      }
    }
  }
  return ids
}

const CATEGORY = 14
/** The English namespace name works in every language. */
function categoryTitle({ namespaces }: MediaWikiClient, name: string): string {
  const [before = ''] = name.split(':')
  const prefixes = ['category', namespaces.get(CATEGORY)?.name.toLowerCase()]
  return before !== name && prefixes.includes(before.trim().toLowerCase()) ? name : `Category:${name}`
}

/** Allows for clock skew and for the delay of the recent changes list. */
const OVERLAP_MS = 600_000

/** Null if the recent changes list does not reach back to `since`. */
async function recentlyChangedIds(
  context: MediaWikiContext,
  wiki: MediaWikiClient,
  since: number,
): Promise<ReadonlySet<number> | null> {
  const from = since - OVERLAP_MS
  const changes = { action: 'query', list: 'recentchanges', rcprop: 'ids|timestamp', rctype: 'edit|new|log' }
  const { query } = await wiki.query({ ...changes, rcdir: 'newer', rclimit: 1 }, QueryAnswer)
  const oldest = query.recentchanges[0]
  if (oldest === undefined || Date.parse(oldest.timestamp) > from) return null
  const ids = new Set<number>()
  const rcnamespace = namespacesOf(context.config, wiki).join('|')
  const end = new Date(from).toISOString()
  for await (const it of queryAll(wiki, { ...changes, rcnamespace, rcend: end, rclimit: LIST_LIMIT })) {
    for (const { pageid } of it.query.recentchanges) if (pageid > 0) ids.add(pageid)
  }
  return ids
}

const PAGE_QUERY = { action: 'query', prop: 'info|revisions', inprop: 'url', rvprop: 'ids|timestamp|user' }

const titlesQuery = (titles: readonly string[]) => ({ titles: titles.join('|'), redirects: 1 })

const fetchPages = async (wiki: MediaWikiClient, which: QueryParameters): Promise<MediaWikiPage[]> =>
  (await wiki.query({ ...PAGE_QUERY, ...which }, QueryAnswer)).query.pages

/** Follows the `continue` parameter to the end of the list. */
async function* queryAll(wiki: MediaWikiClient, parameters: QueryParameters, from: QueryParameters | null = null) {
  for (let next = from ?? {}; ; ) {
    const answer = await wiki.query({ ...parameters, ...next }, QueryAnswer)
    yield answer
    if (answer.continue === undefined) return
    next = answer.continue
  }
}

const ParseAnswer = z.object({
  parse: z.object({
    revid: z.number().default(0),
    text: z.string(),
    sections: z.array(z.object({ line: z.string(), anchor: z.string() })).default([]),
    categories: z.array(z.object({ category: z.string(), hidden: z.boolean().default(false) })).default([]),
  }),
})

const PARSE_QUERY = { action: 'parse', prop: 'text|sections|categories|revid' }
const WITHOUT_CHROME = { disableeditsection: 1, disabletoc: 1, disablelimitreport: 1 }
/** Deleted after it was listed. */
const GONE_ERRORS = ['nosuchpageid', 'missingtitle']

async function readMediaWikiPage(
  context: MediaWikiContext,
  wiki: MediaWikiClient,
  page: Article,
): Promise<ConnectorItem | null> {
  const id = pageDocumentId(wiki, page.pageid)
  const link = page.fullurl ?? id
  if ((await context.recall(id)) === `${page.lastrevid}`) return { type: 'unchanged', id }
  try {
    const { parse } = await wiki.query({ ...PARSE_QUERY, ...WITHOUT_CHROME, pageid: page.pageid }, ParseAnswer)
    const html = Buffer.from(`<html><body><main>${parse.text}</main></body></html>`)
    const read = await readFileText(html, { name: 'page.html', mediaType: 'text/html; charset=utf-8' }, context)
    if (read.kind === 'unread') return { type: 'skipped', id, link, reason: read.reason }
    const sections = assignAnchors(read.sections, parse.sections).map(({ heading, text, anchor }) => ({
      heading,
      text,
      link: anchor === null ? link : `${link}#${anchor}`,
    }))
    const document = { id, sections, report: read.report, ...pageProperties(wiki, page, parse) }
    return { type: 'document', document, note: { key: id, value: `${parse.revid || page.lastrevid}` } }
  } catch (error) {
    context.signal.throwIfAborted()
    if (error instanceof MediaWikiApiError && GONE_ERRORS.includes(error.code)) return null
    if (!(error instanceof SourceError) || error.kind !== 'unexpected') throw error
    const { message } = error
    return { type: 'failure', document_id: id, link, entity_id: `${page.pageid}`, stage: 'fetch', message }
  }
}

interface MediaWikiSection {
  heading: string | null
  text: string
  anchor: string | null
}

/**
 * Replaces anchors by those of the table of contents, which are the permanent ones. Both lists are in document order.
 */
export function assignAnchors(
  sections: readonly MediaWikiSection[],
  tableOfContents: readonly { line: string; anchor: string }[],
): MediaWikiSection[] {
  const normalize = (text: string) => text.replace(/<[^<>]*>|&[^&;\s]*;|\s+/g, '')
  const entries = tableOfContents.map((it, at) => ({ ...it, at }))
  const entriesByTitle = Map.groupBy(entries, (it) => normalize(it.line))
  let next = 0
  return sections.map((section) => {
    if (section.heading === null) return section
    const key = section.heading.replace(/\s+/g, '')
    const sameTitle = entriesByTitle.get(key) ?? []
    while (sameTitle[0] !== undefined && sameTitle[0].at < next) sameTitle.shift()
    const entry = sameTitle.shift()
    if (entry === undefined) return section
    next = entry.at + 1
    return { ...section, anchor: encodeURI(entry.anchor.toWellFormed()) }
  })
}

function pageProperties(
  wiki: MediaWikiClient,
  { title, ns, revisions }: MediaWikiPage,
  parsed: z.infer<typeof ParseAnswer>['parse'],
) {
  const [{ timestamp, user } = {}] = revisions
  const namespace = wiki.namespaces.get(ns)?.name ?? ''
  const categories = parsed.categories.filter((it) => !it.hidden).map((it) => it.category.replaceAll('_', ' '))
  return {
    semantic_identifier: title,
    doc_updated_at: timestamp === undefined ? null : Date.parse(timestamp),
    primary_owners: user === undefined || user === '' ? [] : [{ display_name: user }],
    metadata: {
      ...(namespace !== '' && { namespace }),
      ...(categories.length > 0 && { categories }),
      ...(parsed.revid > 0 && { revision: `${parsed.revid}` }),
    },
  }
}
