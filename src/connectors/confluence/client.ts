// Confluence REST client. Version 1 of the cloud API is also the API of Confluence Server.
// https://developer.atlassian.com/cloud/confluence/rest/v1/ and https://developer.atlassian.com/server/confluence/rest/
import { z } from 'zod'
import { type ConnectorContext, SourceError } from '../connector.ts'
import { validateAnswer } from '../rest/json-response.ts'
import { createRestClient, parseBaseUrl, type RestClient, RestStatusError } from '../rest/rest-client.ts'

export interface ConfluenceSettings {
  address: string
  isCloud: boolean
  isScoped: boolean
  username: string | null
  /** Null reads anonymously. */
  token: string | null
}

export interface ConfluenceClient {
  /** The base of links and document ids. */
  base: string
  isCloud: boolean
  isSignedIn: boolean
  rest: RestClient
}

export const BASE_FIELD = 'connector_specific_config.wiki_base'
const TOKEN_FIELD = 'credential_json.confluence_access_token'
const LIMIT = 50
/** Pages deleted during the listing shift the following ones; consecutive requests overlap by this many. */
const OVERLAP = 5

/** The vendor's gateway, for tokens with scopes. */
export const GATEWAY = 'https://api.atlassian.com'

const TenantInfo = z.object({ cloudId: z.string() })

export async function openConfluenceClient(
  fetch: ConnectorContext['fetch'],
  settings: ConfluenceSettings,
): Promise<ConfluenceClient> {
  const { isCloud, isScoped, username, token } = settings
  const entered = parseBaseUrl(settings.address, BASE_FIELD)
  const base = isCloud && new URL(entered).pathname === '/' ? `${entered}/wiki` : entered
  if (isCloud && token !== null && username === null) {
    const message = 'Confluence Cloud requires the user name of the token.'
    throw new SourceError('credential', message, { field: 'credential_json.confluence_username' })
  }
  const createRest = (root: string, headers: Record<string, string>) =>
    createRestClient(fetch, {
      base: root,
      label: 'Confluence',
      headers,
      tokenField: TOKEN_FIELD,
      addressField: BASE_FIELD,
    })
  const headers = confluenceAuthHeaders(settings)
  const isSignedIn = token !== null
  if (!isCloud || !isScoped) return { base, isCloud, isSignedIn, rest: createRest(base, headers) }
  const site = createRest(new URL(base).origin, {})
  const { cloudId } = validateAnswer(TenantInfo, (await site.fetchJson('/_edge/tenant_info')).value)
  const gateway = `${GATEWAY}/ex/confluence/${encodeURIComponent(cloudId)}/wiki`
  return { base, isCloud, isSignedIn, rest: createRest(gateway, headers) }
}

function confluenceAuthHeaders({ isCloud, username, token }: ConfluenceSettings): Record<string, string> {
  if (token === null) return {}
  if (!isCloud) return { authorization: `Bearer ${token}` }
  return { authorization: `Basic ${Buffer.from(`${username}:${token}`).toString('base64')}` }
}

/** An expired token may silently become an anonymous session. */
export async function checkSignedIn({ rest, isSignedIn }: ConfluenceClient): Promise<void> {
  if (!isSignedIn) return
  const { value } = await rest.fetchJson('/rest/api/user/current')
  if (validateAnswer(z.object({ type: z.string().nullish() }), value).type !== 'anonymous') return
  const message = 'Confluence does not accept the token. It is wrong or has expired.'
  throw new SourceError('credential', message, { field: TOKEN_FIELD, status: 401 })
}

/** The cloud pages by cursor, a server by offset. */
export const SearchCursor = z.union([z.object({ cursor: z.string() }), z.object({ start: z.number() })])
export type SearchCursor = z.infer<typeof SearchCursor>

const SearchAnswer = z.object({
  results: z.array(z.unknown()),
  _links: z.object({ next: z.string().nullish() }).default({}),
})

/** Sorted by creation time, which later changes do not affect. */
export async function* searchPages(
  { rest }: ConfluenceClient,
  { cql, expand, from }: { cql: string; expand: string; from: SearchCursor | null },
): AsyncGenerator<{ items: unknown[]; next: SearchCursor | null }, void> {
  const seen = new Set<string>()
  for (let place: SearchCursor | null = from ?? { start: 0 }; ; ) {
    const position = 'cursor' in place ? { cursor: place.cursor } : { start: String(place.start) }
    const query = new URLSearchParams({ cql: `${cql} order by created asc`, expand, limit: String(LIMIT), ...position })
    const { results, _links } = validateAnswer(
      SearchAnswer,
      (await rest.fetchJson(`/rest/api/content/search?${query}`)).value,
    )
    const next = nextSearchCursor(place, _links.next)
    const found = results.map((item) => ({ item, key: ContentKey.safeParse(item).data?.id || null }))
    yield { items: found.filter(({ key }) => key === null || !seen.has(key)).map(({ item }) => item), next }
    for (const { key } of found) if (key !== null) seen.add(key)
    if (next === null) return
    place = next
  }
}

const ContentKey = z.object({ id: z.string() })

function nextSearchCursor(current: SearchCursor, link: string | null | undefined): SearchCursor | null {
  if (!link) return null
  const { searchParams } = new URL(link, 'http://wiki')
  const cursor = searchParams.get('cursor')
  if (cursor !== null) {
    if ('cursor' in current && current.cursor === cursor) throw loopError()
    return { cursor }
  }
  const start = Number(searchParams.get('start') ?? Number.NaN) - OVERLAP
  if (!(start > ('start' in current ? current.start : -1))) throw loopError()
  return { start }
}

const loopError = () => new SourceError('unexpected', 'Confluence keeps returning the same page of search results.')

/** All comments with replies, or all attachments of a page. */
export async function listChildren<S extends z.ZodType>(
  { rest }: ConfluenceClient,
  id: string,
  { kind, expand, schema }: { kind: 'comment' | 'attachment'; expand: string; schema: S },
): Promise<z.output<S>[]> {
  const all: z.output<S>[] = []
  for (let start = 0; ; ) {
    const depth = kind === 'comment' ? { depth: 'all' } : {}
    const query = new URLSearchParams({ expand, limit: String(LIMIT), start: String(start), ...depth })
    const path = `/rest/api/content/${encodeURIComponent(id)}/child/${kind}?${query}`
    const { results, _links } = validateAnswer(SearchAnswer, (await rest.fetchJson(path)).value)
    all.push(...validateAnswer(z.array(schema), results))
    if (!_links.next || results.length === 0) return all
    start += results.length
  }
}

export const hasStatus = (error: unknown, status: number): error is RestStatusError =>
  error instanceof RestStatusError && error.status === status
