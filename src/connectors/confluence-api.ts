// A Confluence over HTTP: searches in pages, and what hangs on a page. The cloud's first API is a server's one too.
// https://developer.atlassian.com/cloud/confluence/rest/v1/ and https://developer.atlassian.com/server/confluence/rest/
import { z } from 'zod'
import { type Pull, SourceError } from './connector.ts'
import { parsed } from './json-answer.ts'
import { addressOf, openRest, Refusal, type Rest } from './source-rest.ts'

export interface WikiSettings {
  address: string
  isCloud: boolean
  isScoped: boolean
  username: string | null
  /** Null: what everybody may see, without signing in. */
  token: string | null
}

export interface Wiki {
  /** Of what people call, and of ids. */
  base: string
  isCloud: boolean
  isSignedIn: boolean
  rest: Rest
}

export const BASE_FIELD = 'connector_specific_config.wiki_base'
const TOKEN_FIELD = 'credential_json.confluence_access_token'
const LIMIT = 50
/** Where a page is gone meanwhile the others move up: this many may be. */
const OVERLAP = 5

const TenantInfo = z.object({ cloudId: z.string() })

export async function openWiki(fetch: Pull['fetch'], settings: WikiSettings): Promise<Wiki> {
  const { isCloud, isScoped, username, token } = settings
  const typed = addressOf(settings.address, BASE_FIELD)
  const base = isCloud && new URL(typed).pathname === '/' ? `${typed}/wiki` : typed
  if (isCloud && token !== null && username === null) {
    const message = 'The cloud wants to know whose token it is.'
    throw new SourceError('credential', message, { field: 'credential_json.confluence_username' })
  }
  const restAt = (root: string, headers: Record<string, string>) =>
    openRest(fetch, { base: root, label: 'Confluence', headers, tokenField: TOKEN_FIELD, addressField: BASE_FIELD })
  const headers = signatureOf(settings)
  const isSignedIn = token !== null
  if (!isCloud || !isScoped) return { base, isCloud, isSignedIn, rest: restAt(base, headers) }
  const site = restAt(new URL(base).origin, {})
  const { cloudId } = parsed(TenantInfo, (await site.ask('/_edge/tenant_info')).value)
  const gateway = `https://api.atlassian.com/ex/confluence/${encodeURIComponent(cloudId)}/wiki`
  return { base, isCloud, isSignedIn, rest: restAt(gateway, headers) }
}

function signatureOf({ isCloud, username, token }: WikiSettings): Record<string, string> {
  if (token === null) return {}
  if (!isCloud) return { authorization: `Bearer ${token}` }
  return { authorization: `Basic ${Buffer.from(`${username}:${token}`).toString('base64')}` }
}

/** A token that has expired may turn into nobody, who sees what is public. */
export async function checkSignedIn({ rest, isSignedIn }: Wiki): Promise<void> {
  if (!isSignedIn) return
  const { value } = await rest.ask('/rest/api/user/current')
  if (parsed(z.object({ type: z.string().nullish() }), value).type !== 'anonymous') return
  const message = 'Confluence does not know whose token it is: it is wrong or has expired.'
  throw new SourceError('credential', message, { field: TOKEN_FIELD, status: 401 })
}

/** A cloud goes on by a cursor, a server by a number. */
export const Place = z.union([z.object({ cursor: z.string() }), z.object({ start: z.number() })])
export type Place = z.infer<typeof Place>

const Found = z.object({
  results: z.array(z.unknown()),
  _links: z.object({ next: z.string().nullish() }).default({}),
})

/** In the order in which they were made, which no change of theirs disturbs. */
export async function* searchPages(
  { rest }: Wiki,
  { cql, expand, from }: { cql: string; expand: string; from: Place | null },
): AsyncGenerator<{ items: unknown[]; next: Place | null }, void> {
  const seen = new Set<string>()
  for (let place: Place | null = from ?? { start: 0 }; ; ) {
    const at = 'cursor' in place ? { cursor: place.cursor } : { start: String(place.start) }
    const query = new URLSearchParams({ cql: `${cql} order by created asc`, expand, limit: String(LIMIT), ...at })
    const { results, _links } = parsed(Found, (await rest.ask(`/rest/api/content/search?${query}`)).value)
    const next = nextOf(place, _links.next)
    const keys = results.map((it) => Named.safeParse(it).data?.id ?? '')
    yield { items: results.filter((_, at) => keys[at] === '' || !seen.has(keys[at]!)), next }
    for (const it of keys) seen.add(it)
    if (next === null) return
    place = next
  }
}

const Named = z.object({ id: z.string() })

function nextOf(place: Place, link: string | null | undefined): Place | null {
  if (!link) return null
  const { searchParams } = new URL(link, 'http://wiki')
  const cursor = searchParams.get('cursor')
  if (cursor !== null) {
    if ('cursor' in place && place.cursor === cursor) throw stuck()
    return { cursor }
  }
  const start = Number(searchParams.get('start') ?? Number.NaN) - OVERLAP
  if (!(start > ('start' in place ? place.start : -1))) throw stuck()
  return { start }
}

const stuck = () => new SourceError('unexpected', 'The wiki answers the same page of its search again and again.')

/** All of what hangs on a page: its comments with their replies, or its attachments. */
export async function childrenOf<S extends z.ZodType>(
  { rest }: Wiki,
  id: string,
  { kind, expand, schema }: { kind: 'comment' | 'attachment'; expand: string; schema: S },
): Promise<z.output<S>[]> {
  const all: z.output<S>[] = []
  for (let start = 0; ; ) {
    const depth = kind === 'comment' ? { depth: 'all' } : {}
    const query = new URLSearchParams({ expand, limit: String(LIMIT), start: String(start), ...depth })
    const path = `/rest/api/content/${encodeURIComponent(id)}/child/${kind}?${query}`
    const { results, _links } = parsed(Found, (await rest.ask(path)).value)
    all.push(...parsed(z.array(schema), results))
    if (!_links.next || results.length === 0) return all
    start += results.length
  }
}

export const isRefusal = (error: unknown, status: number): error is Refusal =>
  error instanceof Refusal && error.status === status
