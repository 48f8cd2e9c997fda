// Pages of a MediaWiki as their readers see them: all of some namespaces, or those of categories and by name.
import { z } from 'zod'
import { nullish, wireArray, wireInteger, wireString } from '../domain/wire.ts'
import { connector, type Item, type Pull, SourceError } from './connector.ts'
import { type Account, openWiki, type Parameters, type Wiki, WikiFault } from './mediawiki-api.ts'
import { readFileText } from './read-file.ts'

const names = nullish(wireArray(wireString({ min: 1, max: 300 }), { max: 10_000 }))

const Config = z.object({
  hostname: wireString({ min: 1, max: 1_000 }).describe(
    'The host of the wiki, or any address of it; without a scheme it is https.',
  ),
  categories: names.describe('Only pages of these categories, and what `pages` names.'),
  pages: names.describe('Only pages of these titles, and what `categories` hold. None of both: every page.'),
  recurse_depth: nullish(wireInteger({ min: -1, max: 100 })).describe(
    'How many levels of categories below `categories` are read too; -1 for all, 0 if it is not said.',
  ),
  namespaces: nullish(wireArray(wireInteger({ min: 0, max: 10_000 }), { max: 100 })).describe(
    'The numbers of the namespaces that are read; those of the content of the wiki, if it is not said.',
  ),
  language_code: nullish(wireString({ max: 50 })).describe('Taken and not needed: the wiki knows its language.'),
})
type Config = z.infer<typeof Config>

const Credential = z.object({
  mediawiki_username: wireString({ min: 1, max: 500 }).describe('An account, better a bot password of it: `Name@bot`.'),
  mediawiki_password: wireString({ min: 1, max: 500 }),
})

type WikiPull = Pull<Config, Account>

export default connector<Config, Account>({
  sources: ['mediawiki'],
  label: 'MediaWiki',
  description: 'Reads the pages of a wiki in their newest revision, section by section.',
  config: Config,
  credential: Credential,
  isCredentialOptional: true,
  hasAccess: false,
  check,
  load,
  listIds,
})

const Page = z.object({
  pageid: z.number().optional(),
  ns: z.number().default(0),
  title: z.string().default(''),
  lastrevid: z.number().default(0),
  fullurl: z.string().optional(),
  redirect: z.boolean().default(false),
  revisions: z.array(z.object({ timestamp: z.string().optional(), user: z.string().optional() })).default([]),
  categoryinfo: z.object({ size: z.number() }).optional(),
})
type Page = z.infer<typeof Page>

const Answer = z.object({
  continue: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
  query: z
    .object({
      pages: z.array(Page).default([]),
      allpages: z.array(Page).default([]),
      categorymembers: z.array(Page).default([]),
      recentchanges: z.array(z.object({ pageid: z.number(), timestamp: z.string() })).default([]),
    })
    .prefault({}),
})

/** As many as a wiki answers at once for an account without more rights. */
const BATCH = 50
const LISTED = 500

async function check(pull: WikiPull): Promise<void> {
  const wiki = await openWiki(pull)
  const { categories, pages, namespaces } = pull.config
  const missing = (field: string, what: string) =>
    new SourceError('config', `The wiki has no ${what}.`, { field: `connector_specific_config.${field}` })
  for (const it of namespaces ?? []) if (!wiki.namespaces.has(it)) throw missing('namespaces', `namespace ${it}`)
  for (const titles of slices(
    (categories ?? []).map((it) => categoryTitle(wiki, it)),
    BATCH,
  )) {
    const { query } = await wiki.ask({ action: 'query', prop: 'categoryinfo', titles: titles.join('|') }, Answer)
    const none = query.pages.find((it) => it.pageid === undefined && it.categoryinfo === undefined)
    if (none !== undefined) throw missing('categories', `"${none.title}"`)
  }
  for (const titles of slices(pages ?? [], BATCH)) {
    const none = (await pagesOf(wiki, titlesOf(titles))).find((it) => it.pageid === undefined)
    if (none !== undefined) throw missing('pages', `page "${none.title}"`)
  }
  if (pages === null && categories === null) await wiki.ask({ action: 'query', list: 'allpages', aplimit: 1 }, Answer)
}

async function* load(pull: WikiPull): AsyncGenerator<Item, void> {
  const wiki = await openWiki(pull)
  for await (const { pages, checkpoint } of batchesOf(pull, wiki)) {
    for (const together of slices(pages.filter(isArticle), TOGETHER)) {
      for (const item of await Promise.all(together.map((it) => readOne(pull, wiki, it)))) if (item !== null) yield item
    }
    yield { type: 'checkpoint', checkpoint }
  }
}

/** As many as a host is asked at once. */
const TOGETHER = 4

async function* listIds(pull: WikiPull): AsyncGenerator<string, void> {
  const wiki = await openWiki(pull)
  const chosen = await chosenIds(pull, wiki)
  if (chosen !== null) {
    for (const id of chosen) yield idOf(wiki, id)
    return
  }
  for (const apnamespace of namespacesOf(pull.config, wiki)) {
    const all = { action: 'query', list: 'allpages', apnamespace, apfilterredir: 'nonredirects', aplimit: LISTED }
    for await (const { query } of answers(wiki, all)) {
      for (const { pageid } of query.allpages) if (pageid !== undefined) yield idOf(wiki, pageid)
    }
  }
}

/** A page keeps it when it is renamed. */
const idOf = ({ index }: Wiki, pageid: number): string => `${index}?curid=${pageid}`

type Article = Page & { pageid: number }
const isArticle = (page: Page): page is Article => page.pageid !== undefined && !page.redirect

interface Batch {
  pages: Page[]
  checkpoint: Checkpoint
}

const Checkpoint = z.union([
  /** Of ids in their order. */
  z.object({ after: z.number() }),
  /** Of all pages, namespace by namespace. */
  z.object({ namespace: z.number(), next: z.record(z.string(), z.union([z.string(), z.number()])).nullable() }),
])
type Checkpoint = z.infer<typeof Checkpoint>

async function* batchesOf(pull: WikiPull, wiki: Wiki): AsyncGenerator<Batch> {
  const left = pull.checkpoint === null ? null : Checkpoint.parse(pull.checkpoint)
  const some = await wantedIds(pull, wiki)
  if (some === null) {
    yield* allBatches(pull, wiki, left !== null && 'namespace' in left ? left : null)
    return
  }
  const after = left !== null && 'after' in left ? left.after : -1
  for (const ids of slices([...some].filter((it) => it > after).sort(ascending), BATCH)) {
    const pages = await pagesOf(wiki, { pageids: ids.join('|') })
    yield { pages, checkpoint: { after: ids.at(-1)! } }
  }
}

const ascending = (one: number, other: number) => one - other

async function* allBatches(
  pull: WikiPull,
  wiki: Wiki,
  left: Extract<Checkpoint, { namespace: number }> | null,
): AsyncGenerator<Batch> {
  for (const namespace of namespacesOf(pull.config, wiki)) {
    if (left !== null && (namespace < left.namespace || (namespace === left.namespace && left.next === null))) continue
    const all = { generator: 'allpages', gapnamespace: namespace, gapfilterredir: 'nonredirects', gaplimit: BATCH }
    const from = left?.namespace === namespace ? left.next : null
    for await (const { query, continue: next = null } of answers(wiki, { ...all, ...PAGE }, from)) {
      yield { pages: query.pages, checkpoint: { namespace, next } }
    }
  }
}

const namespacesOf = (config: Config, { namespaces }: Wiki): number[] =>
  (config.namespaces ?? [...namespaces].filter(([, it]) => it.isContent).map(([id]) => id)).toSorted(ascending)

/** Null: all of them. */
async function wantedIds(pull: WikiPull, wiki: Wiki): Promise<ReadonlySet<number> | null> {
  const { only, since } = pull
  if (only !== null) return new Set(only.flatMap((it) => numberIn(it) ?? []))
  const chosen = await chosenIds(pull, wiki)
  return chosen === null && since !== null ? changedIds(pull, wiki, since) : chosen
}

const numberIn = (id: string): number | null => {
  const digits = /(?:[?&]curid=|^)(\d+)$/.exec(id)?.[1]
  return digits === undefined ? null : Number(digits)
}

/** Null: the configuration chooses none. */
async function chosenIds({ config, signal }: WikiPull, wiki: Wiki): Promise<ReadonlySet<number> | null> {
  const { categories, pages, recurse_depth } = config
  if ((categories ?? []).length === 0 && (pages ?? []).length === 0) return null
  const ids = new Set<number>()
  for (const titles of slices(pages ?? [], BATCH)) {
    for (const { pageid } of await pagesOf(wiki, titlesOf(titles))) if (pageid !== undefined) ids.add(pageid)
  }
  const depth = recurse_depth === -1 ? Number.POSITIVE_INFINITY : (recurse_depth ?? 0)
  const wanted = new Set(namespacesOf(config, wiki))
  const queue = (categories ?? []).map((it) => ({ title: categoryTitle(wiki, it), level: 0 }))
  const seen = new Set(queue.map((it) => it.title))
  for (const { title, level } of queue) {
    signal.throwIfAborted()
    const members = { action: 'query', list: 'categorymembers', cmtitle: title, cmtype: 'page|subcat', cmlimit: LISTED }
    for await (const { query } of answers(wiki, members)) {
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
/** That name of the namespace is understood in every language. */
function categoryTitle({ namespaces }: Wiki, name: string): string {
  const [before = ''] = name.split(':')
  const prefixes = ['category', namespaces.get(CATEGORY)?.name.toLowerCase()]
  return before !== name && prefixes.includes(before.trim().toLowerCase()) ? name : `Category:${name}`
}

/** Clocks differ, and a change takes a moment until it is listed. */
const OVERLAP_MS = 600_000

/** Null where the list of changes does not reach so far back. */
async function changedIds(pull: WikiPull, wiki: Wiki, since: number): Promise<ReadonlySet<number> | null> {
  const from = since - OVERLAP_MS
  const changes = { action: 'query', list: 'recentchanges', rcprop: 'ids|timestamp', rctype: 'edit|new|log' }
  const { query } = await wiki.ask({ ...changes, rcdir: 'newer', rclimit: 1 }, Answer)
  const oldest = query.recentchanges[0]
  if (oldest === undefined || Date.parse(oldest.timestamp) > from) return null
  const ids = new Set<number>()
  const rcnamespace = namespacesOf(pull.config, wiki).join('|')
  const end = new Date(from).toISOString()
  for await (const it of answers(wiki, { ...changes, rcnamespace, rcend: end, rclimit: LISTED })) {
    for (const { pageid } of it.query.recentchanges) if (pageid > 0) ids.add(pageid)
  }
  return ids
}

const PAGE = { action: 'query', prop: 'info|revisions', inprop: 'url', rvprop: 'ids|timestamp|user' }

const titlesOf = (titles: readonly string[]) => ({ titles: titles.join('|'), redirects: 1 })

const pagesOf = async (wiki: Wiki, which: Parameters): Promise<Page[]> =>
  (await wiki.ask({ ...PAGE, ...which }, Answer)).query.pages

/** To the end of the list, however many answers it takes. */
async function* answers(wiki: Wiki, parameters: Parameters, from: Parameters | null = null) {
  for (let next = from ?? {}; ; ) {
    const answer = await wiki.ask({ ...parameters, ...next }, Answer)
    yield answer
    if (answer.continue === undefined) return
    next = answer.continue
  }
}

const Parsed = z.object({
  parse: z.object({
    revid: z.number().default(0),
    text: z.string(),
    sections: z.array(z.object({ line: z.string(), anchor: z.string() })).default([]),
    categories: z.array(z.object({ category: z.string(), hidden: z.boolean().default(false) })).default([]),
  }),
})

const PARSE = { action: 'parse', prop: 'text|sections|categories|revid' }
const BARE = { disableeditsection: 1, disabletoc: 1, disablelimitreport: 1 }
/** It was deleted since it was listed. */
const GONE = ['nosuchpageid', 'missingtitle']

async function readOne(pull: WikiPull, wiki: Wiki, page: Article): Promise<Item | null> {
  const id = idOf(wiki, page.pageid)
  const link = page.fullurl ?? id
  if ((await pull.recall(id)) === `${page.lastrevid}`) return { type: 'unchanged', id }
  try {
    const { parse } = await wiki.ask({ ...PARSE, ...BARE, pageid: page.pageid }, Parsed)
    const html = Buffer.from(`<html><body><main>${parse.text}</main></body></html>`)
    const read = await readFileText(html, { name: 'page.html', mediaType: 'text/html; charset=utf-8' }, pull)
    if (read.kind === 'unread') return { type: 'skipped', id, link, reason: read.reason }
    const sections = withAnchors(read.sections, parse.sections).map(({ heading, text, anchor }) => ({
      heading,
      text,
      link: anchor === null ? link : `${link}#${anchor}`,
    }))
    const document = { id, sections, ...factsOf(wiki, page, parse) }
    return { type: 'document', document, note: { key: id, value: `${parse.revid || page.lastrevid}` } }
  } catch (error) {
    pull.signal.throwIfAborted()
    if (error instanceof WikiFault && GONE.includes(error.code)) return null
    if (!(error instanceof SourceError) || error.fault !== 'unexpected') throw error
    const { message } = error
    return { type: 'failure', document_id: id, link, entity_id: `${page.pageid}`, stage: 'fetch', message }
  }
}

interface Section {
  heading: string | null
  text: string
  anchor: string | null
}

/** A heading may have several names; the one of the table of contents is its own. Both are in order. */
function withAnchors(sections: readonly Section[], contents: readonly { line: string; anchor: string }[]): Section[] {
  const plain = (text: string) => text.replace(/<[^>]*>|&[^;\s]*;|\s+/g, '')
  const named = contents.map((it) => ({ key: plain(it.line), anchor: it.anchor }))
  let next = 0
  return sections.map((section) => {
    if (section.heading === null) return section
    const key = section.heading.replace(/\s+/g, '')
    const at = named.findIndex((it, place) => place >= next && it.key === key)
    if (at < 0) return section
    next = at + 1
    return { ...section, anchor: encodeURI(named[at]!.anchor.toWellFormed()) }
  })
}

function factsOf(wiki: Wiki, { title, ns, revisions }: Page, parsed: z.infer<typeof Parsed>['parse']) {
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

function slices<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, at) => list.slice(at * size, (at + 1) * size))
}
