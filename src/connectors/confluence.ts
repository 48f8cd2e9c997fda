// Pages, comments and attachments of a Confluence: the cloud's, or a server's of its own.
import { z } from 'zod'
import type { ExternalAccess } from '../domain/access.ts'
import { nullish, wireBoolean, wireString } from '../domain/wire.ts'
import { groupsOfWiki, openPageAccess } from './confluence-access.ts'
import { checkSignedIn, isRefusal, openWiki, Place, searchPages, type Wiki } from './confluence-api.ts'
import {
  attachmentId,
  attachmentsOf,
  EXPAND,
  EXPAND_ACCESS,
  Guarded,
  itemsOfPage,
  type PageFacts,
  pageId,
} from './confluence-page.ts'
import { connector, type Item, type Pull, SourceError } from './connector.ts'
import { parsed } from './json-answer.ts'
import { orNull } from './source-rest.ts'

const Config = z.object({
  wiki_base: wireString({ min: 1, max: 2_000 }).describe(
    'The address of the wiki: https://company.atlassian.net/wiki, or of a server with its path.',
  ),
  is_cloud: wireBoolean().describe("Whether it is the vendor's cloud."),
  space: nullish(wireString({ max: 500 })).describe('The key of the only space to read; none: all of them.'),
  page_id: nullish(wireString({ max: 100, pattern: /^\d*$/ })).describe('Only this page; it comes before `space`.'),
  index_recursively: nullish(wireBoolean()).describe('With `page_id`: and all pages below it.'),
  cql_query: nullish(wireString({ max: 10_000 })).describe(
    'Only what this query of the wiki finds; it comes before `page_id` and `space`.',
  ),
  include_attachments: nullish(wireBoolean()).describe('The files of the pages; yes, if it is not said.'),
  scoped_token: nullish(wireBoolean()).describe('Whether the token of the cloud has scopes.'),
})
type Config = z.infer<typeof Config>

const Credential = z.object({
  confluence_username: nullish(wireString({ max: 500 })).describe('Whose token it is; a server does not ask for it.'),
  confluence_access_token: wireString({ min: 1, max: 10_000 }),
})
type Credential = z.infer<typeof Credential>

type WikiPull = Pull<Config, Credential>

export default connector<Config, Credential>({
  sources: ['confluence'],
  label: 'Confluence',
  description: 'Reads the pages of a wiki with their comments and attachments.',
  config: Config,
  credential: Credential,
  isCredentialOptional: true,
  hasAccess: true,
  check,
  load,
  async *listIds(pull) {
    for await (const { ids } of listed(pull, await wikiOf(pull), 'childTypes.attachment')) yield* ids
  },
  access,
  async *groups(pull) {
    const wiki = await wikiOf(pull)
    await checkSignedIn(wiki)
    yield* groupsOfWiki(wiki)
  },
})

const SPACE_FIELD = 'connector_specific_config.space'
const PAGE_FIELD = 'connector_specific_config.page_id'
const QUERY_FIELD = 'connector_specific_config.cql_query'

const wikiOf = ({ fetch, config, credential }: WikiPull): Promise<Wiki> =>
  openWiki(fetch, {
    address: config.wiki_base,
    isCloud: config.is_cloud,
    isScoped: config.scoped_token === true,
    username: credential?.confluence_username || null,
    token: credential?.confluence_access_token ?? null,
  })

async function check(pull: WikiPull): Promise<void> {
  const { cql_query, page_id, space } = pull.config
  const wiki = await wikiOf(pull)
  await checkSignedIn(wiki)
  const missing = (field: string, what: string) =>
    new SourceError('config', `There is no ${what} that the token may see (HTTP 404).`, { field, status: 404 })
  if (cql_query) {
    for await (const _ of pagesOf(pull, wiki, { cql: scopeOf(pull.config), expand: '', from: null })) return
  } else if (page_id) {
    if ((await orNull(wiki.rest.ask(`/rest/api/content/${page_id}`), [404])) === null) {
      throw missing(PAGE_FIELD, `page ${page_id}`)
    }
  } else if (space) {
    if ((await orNull(wiki.rest.ask(`/rest/api/space/${encodeURIComponent(space)}`), [404])) === null) {
      throw missing(SPACE_FIELD, `space ${space}`)
    }
  } else await wiki.rest.ask('/rest/api/space?limit=1')
}

const Checkpoint = z.object({ place: Place.nullable() })

async function* load(pull: WikiPull): AsyncGenerator<Item, void> {
  const { config, since, only } = pull
  const wiki = await wikiOf(pull)
  await checkSignedIn(wiki)
  const hasAttachments = config.include_attachments !== false
  const facts: PageFacts = { wiki, accessOf: openPageAccess(wiki), hasAttachments, only: null }
  if (only !== null) {
    yield* loadNamed(pull, { ...facts, only: new Set(only) })
    return
  }
  const changed = since === null ? '' : ` and lastmodified >= "${minuteBefore(since)}"`
  const read = new Set<string>()
  for await (const { items, next } of resumed(pull, wiki, `${scopeOf(config)}${changed}`)) {
    for (const it of items) {
      read.add(Named.safeParse(it).data?.id ?? '')
      yield* itemsOfPage(pull, facts, it)
    }
    if (next !== null) yield { type: 'checkpoint', checkpoint: { place: next } satisfies z.infer<typeof Checkpoint> }
  }
  if (since !== null) yield* loadTouched(pull, facts, { changed, read })
}

const Named = z.object({ id: z.string() })

/** What a run has left that was too old for the wiki to go on with is begun anew. */
async function* resumed(pull: WikiPull, wiki: Wiki, cql: string) {
  const left = Checkpoint.safeParse(pull.checkpoint)
  const from = left.success ? left.data.place : null
  let isBegun = false
  try {
    for await (const page of pagesOf(pull, wiki, { cql, expand: EXPAND, from })) {
      isBegun = true
      yield page
    }
  } catch (error) {
    if (from === null || isBegun || !(error instanceof SourceError) || error.fault !== 'config') throw error
    yield* pagesOf(pull, wiki, { cql, expand: EXPAND, from: null })
  }
}

async function* pagesOf({ config }: WikiPull, wiki: Wiki, search: Parameters<typeof searchPages>[1]) {
  try {
    yield* searchPages(wiki, search)
  } catch (error) {
    if (!isRefusal(error, 400)) throw error
    const { status, answer } = error
    const field = config.cql_query ? QUERY_FIELD : config.page_id ? PAGE_FIELD : SPACE_FIELD
    throw new SourceError('config', `The wiki does not take the query: ${answer}`, { field, status, cause: error })
  }
}

const Touched = z.object({ container: z.object({ id: z.string(), type: z.string().nullish() }).nullish() })

/** A comment or a file leaves the time of its page as it is. */
async function* loadTouched(
  pull: WikiPull,
  facts: PageFacts,
  { changed, read }: { changed: string; read: Set<string> },
): AsyncGenerator<Item, void> {
  const { cql_query, page_id, space } = pull.config
  // Who asks for single pages, or in words of the wiki, has not said what would hang on them.
  if (cql_query || page_id) return
  const cql = `type in (comment, attachment)${space ? ` and ${inSpace(space)}` : ''}${changed}`
  for await (const { items } of pagesOf(pull, facts.wiki, { cql, expand: 'container', from: null })) {
    for (const it of items) {
      const id = Touched.safeParse(it).data?.container?.id
      if (id === undefined || read.has(id)) continue
      read.add(id)
      yield* loadPage(pull, facts, id)
    }
  }
}

async function* loadPage(pull: WikiPull, facts: PageFacts, id: string): AsyncGenerator<Item, void> {
  const path = `/rest/api/content/${encodeURIComponent(id)}?expand=${EXPAND}`
  const answer = await orNull(facts.wiki.rest.ask(path), [404])
  if (answer !== null) yield* itemsOfPage(pull, facts, answer.value)
}

async function* loadNamed(pull: WikiPull, facts: PageFacts): AsyncGenerator<Item, void> {
  const ids = [...(facts.only ?? [])].flatMap(
    (it) => /[?&]pageId=(\d+)|\/download\/attachments\/(\d+)\//.exec(it)?.slice(1) ?? [],
  )
  for (const id of new Set(ids.filter((it) => it !== undefined))) yield* loadPage(pull, facts, id)
}

const Listed = z.object({
  id: z.string(),
  childTypes: z.object({ attachment: z.object({ value: z.boolean() }).nullish() }).nullish(),
})

/** Every page there is, with the ids of the documents that it is. */
async function* listed(pull: WikiPull, wiki: Wiki, expand: string): AsyncGenerator<{ page: unknown; ids: string[] }> {
  await checkSignedIn(wiki)
  for await (const { items } of pagesOf(pull, wiki, { cql: scopeOf(pull.config), expand, from: null })) {
    for (const page of items) {
      const { id, childTypes } = parsed(Listed, page)
      const isBare = pull.config.include_attachments === false || childTypes?.attachment?.value === false
      const files = isBare ? [] : await attachmentsOf(wiki, id)
      yield { page, ids: [pageId(wiki, id), ...files.map((it) => attachmentId(wiki, it))] }
    }
  }
  // Whoever is not known any more is shown what is public, and that looks like an end.
  await checkSignedIn(wiki)
}

async function* access(pull: WikiPull): AsyncGenerator<{ id: string; external_access: ExternalAccess }, void> {
  const wiki = await wikiOf(pull)
  const accessOf = openPageAccess(wiki)
  for await (const { page, ids } of listed(pull, wiki, `childTypes.attachment,${EXPAND_ACCESS}`)) {
    const guarded = Guarded.safeParse(page)
    // Nobody reads what cannot be told from.
    if (!guarded.success) continue
    const { space, ancestors, ...own } = guarded.data
    const external_access = await accessOf(space.key, own, ancestors ?? [])
    for (const id of ids) yield { id, external_access }
  }
}

const PAGES = 'type in (page, blogpost)'
const ORDER = /\border\s+by\s+[^"'()]*$/i

function scopeOf({ cql_query, page_id, index_recursively, space }: Config): string {
  if (cql_query) return `(${cql_query.replace(ORDER, '').trim()}) and ${PAGES}`
  if (page_id)
    return `${index_recursively === true ? `(id = ${page_id} or ancestor = ${page_id})` : `id = ${page_id}`} and ${PAGES}`
  return space ? `${inSpace(space)} and ${PAGES}` : PAGES
}

const inSpace = (space: string) => `space = "${space.replace(/["\\]/g, '\\$&')}"`

/** The wiki reads times in the zone of the user, of which nobody knows: none is further behind than this. */
const BEHIND_MS = 12 * 3_600_000
const minuteBefore = (time: number) => new Date(time - BEHIND_MS).toISOString().slice(0, 16).replace('T', ' ')
