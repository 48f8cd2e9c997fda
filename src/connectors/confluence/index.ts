// Confluence connector: pages, comments and attachments of Confluence Cloud or Server.

import { z } from 'zod'
import type { ExternalAccess } from '../../domain/access.ts'
import { nullish, wireBoolean, wireString } from '../../wire/schemas.ts'
import { stripOrderBy } from '../atlassian/strip-order-by.ts'
import { type ConnectorContext, type ConnectorItem, defineConnector, SourceError } from '../connector.ts'
import { SECRET, usually } from '../form-hints.ts'
import { validateAnswer } from '../rest/json-response.ts'
import { nullIfStatus, parseBaseUrl } from '../rest/rest-client.ts'
import { createPageAccess, listConfluenceGroups } from './access.ts'
import {
  BASE_FIELD,
  type ConfluenceClient,
  checkSignedIn,
  GATEWAY,
  hasStatus,
  openConfluenceClient,
  SearchCursor,
  searchPages,
} from './client.ts'
import {
  attachmentId,
  ContentAccess,
  EXPAND,
  EXPAND_ACCESS,
  listAttachments,
  type PageContext,
  pageId,
  pageItems,
} from './page.ts'

const ConfluenceConfig = z.object({
  wiki_base: wireString({ min: 1, max: 2_000 }).describe(
    'The URL of the wiki: https://company.atlassian.net/wiki, or the URL of a server with its path.',
  ),
  is_cloud: wireBoolean().describe('Whether the wiki is on Confluence Cloud.'),
  space: nullish(wireString({ max: 500 })).describe('The key of the space to read. Empty: all spaces.'),
  page_id: nullish(wireString({ max: 100, pattern: /^\d*$/ })).describe(
    'Read only this page. Takes precedence over `space`.',
  ),
  index_recursively: nullish(wireBoolean())
    .describe('With `page_id`: also read the pages below it.')
    .meta(usually(false)),
  cql_query: nullish(wireString({ max: 10_000 })).describe(
    'Read only the pages that this CQL query finds. Takes precedence over `page_id` and `space`.',
  ),
  include_attachments: nullish(wireBoolean()).describe('Read attachments. Default: true.').meta(usually(true)),
  scoped_token: nullish(wireBoolean()).describe('Whether the cloud token is scoped.').meta(usually(false)),
})
type ConfluenceConfig = z.infer<typeof ConfluenceConfig>

const ConfluenceCredential = z.object({
  confluence_username: nullish(wireString({ max: 500 })).describe(
    'The user of the token. Not needed for Confluence Server.',
  ),
  confluence_access_token: wireString({ min: 1, max: 10_000 }).meta(SECRET),
})
type ConfluenceCredential = z.infer<typeof ConfluenceCredential>

type ConfluenceContext = ConnectorContext<ConfluenceConfig, ConfluenceCredential>

export default defineConnector<ConfluenceConfig, ConfluenceCredential>({
  sources: ['confluence'],
  label: 'Confluence',
  description: 'Reads the pages of a wiki with their comments and attachments.',
  remarks: 'Drafts are not read.',
  egress: 'admin-target',
  config: ConfluenceConfig,
  ignoredFields: ['batch_size', 'everything', 'indexing_scope'],
  credential: ConfluenceCredential,
  origins: ({ wiki_base, is_cloud, scoped_token }) => [
    new URL(parseBaseUrl(wiki_base, BASE_FIELD)).origin,
    ...(is_cloud && scoped_token === true ? [GATEWAY] : []),
  ],
  isCredentialOptional: true,
  hasAccess: true,
  check,
  load,
  async *listIds(context) {
    for await (const { ids } of listPageDocuments(context, await openConfluenceFor(context), 'childTypes.attachment'))
      yield* ids
  },
  access,
  async *groups(context) {
    const wiki = await openConfluenceFor(context)
    await checkSignedIn(wiki)
    yield* listConfluenceGroups(wiki)
  },
})

const SPACE_FIELD = 'connector_specific_config.space'
const PAGE_FIELD = 'connector_specific_config.page_id'
const QUERY_FIELD = 'connector_specific_config.cql_query'

const openConfluenceFor = ({ fetch, config, credential }: ConfluenceContext): Promise<ConfluenceClient> =>
  openConfluenceClient(fetch, {
    address: config.wiki_base,
    isCloud: config.is_cloud,
    isScoped: config.scoped_token === true,
    username: credential?.confluence_username || null,
    token: credential?.confluence_access_token ?? null,
  })

async function check(context: ConfluenceContext): Promise<void> {
  const { cql_query, page_id, space } = context.config
  const wiki = await openConfluenceFor(context)
  await checkSignedIn(wiki)
  const notFound = (field: string, what: string) =>
    new SourceError('config', `The ${what} does not exist or the token cannot access it (HTTP 404).`, {
      field,
      status: 404,
    })
  if (cql_query) {
    for await (const _ of searchOrConfigError(context, wiki, { cql: cqlScope(context.config), expand: '', from: null }))
      return
  } else if (page_id) {
    if ((await nullIfStatus(wiki.rest.fetchJson(`/rest/api/content/${page_id}`), [404])) === null) {
      throw notFound(PAGE_FIELD, `page ${page_id}`)
    }
  } else if (space) {
    if ((await nullIfStatus(wiki.rest.fetchJson(`/rest/api/space/${encodeURIComponent(space)}`), [404])) === null) {
      throw notFound(SPACE_FIELD, `space ${space}`)
    }
  } else await wiki.rest.fetchJson('/rest/api/space?limit=1')
}

const ConfluenceCheckpoint = z.object({ place: SearchCursor.nullable() })

async function* load(context: ConfluenceContext): AsyncGenerator<ConnectorItem, void> {
  const { config, since, only } = context
  const wiki = await openConfluenceFor(context)
  await checkSignedIn(wiki)
  const hasAttachments = config.include_attachments !== false
  const facts: PageContext = { wiki, accessOf: createPageAccess(wiki), hasAttachments, only: null }
  if (only !== null) {
    yield* loadPagesByIds(context, { ...facts, only: new Set(only) })
    return
  }
  const changed = since === null ? '' : ` and lastmodified >= "${toQueryTime(since)}"`
  const seenIds = new Set<string>()
  for await (const { items, next } of resumeSearch(context, wiki, `${cqlScope(config)}${changed}`)) {
    for (const it of items) {
      seenIds.add(ContentKey.safeParse(it).data?.id ?? '')
      yield* pageItems(context, facts, it)
    }
    if (next !== null)
      yield { type: 'checkpoint', checkpoint: { place: next } satisfies z.infer<typeof ConfluenceCheckpoint> }
  }
  if (since !== null) yield* loadPagesOfChangedChildren(context, facts, { changed, read: seenIds })
}

const ContentKey = z.object({ id: z.string() })

/** Restarts the search if its cursor has expired. */
async function* resumeSearch(context: ConfluenceContext, wiki: ConfluenceClient, cql: string) {
  const left = ConfluenceCheckpoint.safeParse(context.checkpoint)
  const from = left.success ? left.data.place : null
  let hasStarted = false
  try {
    for await (const page of searchOrConfigError(context, wiki, { cql, expand: EXPAND, from })) {
      hasStarted = true
      yield page
    }
  } catch (error) {
    if (from === null || hasStarted || !(error instanceof SourceError) || error.kind !== 'config') throw error
    yield* searchOrConfigError(context, wiki, { cql, expand: EXPAND, from: null })
  }
}

async function* searchOrConfigError(
  { config }: ConfluenceContext,
  wiki: ConfluenceClient,
  search: Parameters<typeof searchPages>[1],
) {
  try {
    yield* searchPages(wiki, search)
  } catch (error) {
    if (!hasStatus(error, 400)) throw error
    const { status, detail } = error
    const field = config.cql_query ? QUERY_FIELD : config.page_id ? PAGE_FIELD : SPACE_FIELD
    throw new SourceError('config', `Confluence rejects the query: ${detail}`, { field, status, cause: error })
  }
}

const ChangedChild = z.object({ container: z.object({ id: z.string(), type: z.string().nullish() }).nullish() })

/** New comments and attachments do not change the time of their page. */
async function* loadPagesOfChangedChildren(
  context: ConfluenceContext,
  facts: PageContext,
  { changed, read }: { changed: string; read: Set<string> },
): AsyncGenerator<ConnectorItem, void> {
  const { cql_query, page_id, space } = context.config
  // For a CQL query or a single page there is no condition that matches its comments and attachments.
  if (cql_query || page_id) return
  const cql = `type in (comment, attachment)${space ? ` and ${spaceCondition(space)}` : ''}${changed}`
  for await (const { items } of searchOrConfigError(context, facts.wiki, { cql, expand: 'container', from: null })) {
    for (const it of items) {
      const id = ChangedChild.safeParse(it).data?.container?.id
      if (id === undefined || read.has(id)) continue
      read.add(id)
      yield* loadPage(context, facts, id)
    }
  }
}

async function* loadPage(
  context: ConfluenceContext,
  facts: PageContext,
  id: string,
): AsyncGenerator<ConnectorItem, void> {
  const path = `/rest/api/content/${encodeURIComponent(id)}?expand=${EXPAND}`
  const answer = await nullIfStatus(facts.wiki.rest.fetchJson(path), [404])
  if (answer !== null) yield* pageItems(context, facts, answer.value)
}

async function* loadPagesByIds(context: ConfluenceContext, facts: PageContext): AsyncGenerator<ConnectorItem, void> {
  const ids = [...(facts.only ?? [])].flatMap(
    (it) => /[?&]pageId=(\d+)|\/download\/attachments\/(\d+)\//.exec(it)?.slice(1) ?? [],
  )
  for (const id of new Set(ids.filter((it) => it !== undefined))) yield* loadPage(context, facts, id)
}

const ListedPage = z.object({
  id: z.string(),
  childTypes: z.object({ attachment: z.object({ value: z.boolean() }).nullish() }).nullish(),
})

/** Lists every page with the ids of its documents. */
async function* listPageDocuments(
  context: ConfluenceContext,
  wiki: ConfluenceClient,
  expand: string,
): AsyncGenerator<{ page: unknown; ids: string[] }> {
  await checkSignedIn(wiki)
  for await (const { items } of searchOrConfigError(context, wiki, {
    cql: cqlScope(context.config),
    expand,
    from: null,
  })) {
    for (const page of items) {
      const { id, childTypes } = validateAnswer(ListedPage, page)
      const hasNoAttachments = context.config.include_attachments === false || childTypes?.attachment?.value === false
      const files = hasNoAttachments ? [] : await listAttachments(wiki, id)
      yield { page, ids: [pageId(wiki, id), ...files.map((it) => attachmentId(wiki, it))] }
    }
  }
  // An expired token silently turns into an anonymous session, whose shorter listing would look complete.
  await checkSignedIn(wiki)
}

async function* access(
  context: ConfluenceContext,
): AsyncGenerator<{ id: string; external_access: ExternalAccess }, void> {
  const wiki = await openConfluenceFor(context)
  const accessOf = createPageAccess(wiki)
  for await (const { page, ids } of listPageDocuments(context, wiki, `childTypes.attachment,${EXPAND_ACCESS}`)) {
    const guarded = ContentAccess.safeParse(page)
    // A page that is not listed becomes readable by nobody.
    if (!guarded.success) continue
    const { space, ancestors, ...own } = guarded.data
    const external_access = await accessOf(space.key, own, ancestors ?? [])
    for (const id of ids) yield { id, external_access }
  }
}

const PAGES = 'type in (page, blogpost)'

function cqlScope({ cql_query, page_id, index_recursively, space }: ConfluenceConfig): string {
  if (cql_query) return `(${stripOrderBy(cql_query).trim()}) and ${PAGES}`
  if (page_id)
    return `${index_recursively === true ? `(id = ${page_id} or ancestor = ${page_id})` : `id = ${page_id}`} and ${PAGES}`
  return space ? `${spaceCondition(space)} and ${PAGES}` : PAGES
}

const spaceCondition = (space: string) => `space = "${space.replace(/["\\]/g, '\\$&')}"`

/** CQL interprets times in the user's time zone, which is unknown. No zone is further behind UTC. */
const TIME_ZONE_MARGIN_MS = 12 * 3_600_000
const toQueryTime = (time: number) => new Date(time - TIME_ZONE_MARGIN_MS).toISOString().slice(0, 16).replace('T', ' ')
