// MediaWiki API client: https://www.mediawiki.org/wiki/API:Main_page

import { z } from 'zod'
import { trimEndCharacters } from '../../domain/values/trim.ts'
import { type ConnectorContext, SourceError, type SourceResponse } from '../connector.ts'
import { parseJsonAnswer } from '../rest/json-response.ts'

export interface MediaWikiCredential {
  mediawiki_username: string
  mediawiki_password: string
}

export type QueryParameters = Record<string, string | number>

export interface MediaWikiClient {
  /** URL of index.php, the base of page links that survive a rename. */
  index: string
  /** Namespaces by number. `isContent` marks the wiki's content namespaces. */
  namespaces: Map<number, { name: string; isContent: boolean }>
  query<T>(parameters: QueryParameters, schema: z.ZodType<T, unknown>): Promise<T>
}

const ApiError = z.object({ error: z.object({ code: z.string(), info: z.string().default('') }) })

const SiteInfo = z.object({
  query: z.object({
    general: z.object({ server: z.string(), script: z.string() }),
    namespaces: z.record(z.string(), z.object({ id: z.number(), name: z.string(), content: z.boolean().optional() })),
  }),
})
const SITE_INFO = { action: 'query', meta: 'siteinfo', siprop: 'general|namespaces' }

/** Rejects with a `SourceError` if there is no wiki at the address or the login fails. */
export async function openMediaWikiClient({
  config,
  credential,
  fetch,
}: Pick<
  ConnectorContext<{ hostname: string }, MediaWikiCredential>,
  'config' | 'credential' | 'fetch'
>): Promise<MediaWikiClient> {
  const session: MediaWikiSession = {
    api: await findApi(fetch, config.hostname),
    cookies: new Map(),
    isSignedIn: false,
    fetch,
  }
  if (credential !== null) await logIn(session, credential)
  const { general, namespaces } = (await sendQuery(session, SITE_INFO, SiteInfo)).query
  const server = new URL(general.server, session.api)
  return {
    index: new URL(general.script, server).href,
    namespaces: new Map(
      Object.values(namespaces).map(({ id, name, content }) => [id, { name, isContent: content === true }]),
    ),
    query: (parameters, schema) => sendQuery(session, parameters, schema),
  }
}

interface MediaWikiSession {
  api: string
  cookies: Map<string, string>
  /** Set after login. Requests then assert the login, so that an expired session is an error. */
  isSignedIn: boolean
  fetch: ConnectorContext['fetch']
}

/** Wikis choose their script path; these are the common ones. */
function candidateApiUrls(hostname: string): string[] {
  const { origin, pathname } = parseWikiUrl(hostname)
  const base = `${origin}${pathname === '/' ? '' : pathname}`
  if (base.endsWith('/api.php')) return [base]
  const usual = ['/w', '', '/wiki', '/mediawiki'].map((it) => `${origin}${it}/api.php`)
  return [...new Set(base === origin ? usual : [`${base}/api.php`, ...usual])]
}

/** The scheme defaults to https. */
export function parseWikiUrl(hostname: string): URL {
  const given = trimEndCharacters(hostname.trim(), '/')
  const text = /^https?:\/\//i.test(given) ? given : `https://${given}`
  if (!URL.canParse(text)) throw hostnameError(`"${given}" is not a valid wiki address.`)
  return new URL(text)
}

const hostnameError = (message: string, status: number | null = null) =>
  new SourceError('config', message, { field: 'connector_specific_config.hostname', status })

async function findApi(fetch: ConnectorContext['fetch'], hostname: string): Promise<string> {
  const places = candidateApiUrls(hostname)
  let last: SourceResponse | undefined
  for (const place of places) {
    last = await fetch(`${place}?${encodeQuery(SITE_INFO)}`)
    if (isMediaWikiApi(last)) return last.url.replace(/\?.*$/s, '')
  }
  const answer = last === undefined ? '' : ` The last one returned HTTP ${last.status}.`
  throw hostnameError(`No MediaWiki found at ${places.join(', ')}.${answer}`, last?.status)
}

/** An API error also proves that this is the API. */
function isMediaWikiApi(answer: SourceResponse): boolean {
  try {
    parseJsonAnswer(answer, z.union([SiteInfo, ApiError]))
    return true
  } catch {
    return false
  }
}

const Token = z.object({ query: z.object({ tokens: z.object({ logintoken: z.string() }) }) })
const Login = z.object({ login: z.object({ result: z.string(), reason: z.string().optional() }) })

/** Supports accounts and, preferably, bot passwords: https://www.mediawiki.org/wiki/API:Login#Method_1._login */
async function logIn(
  session: MediaWikiSession,
  { mediawiki_username, mediawiki_password }: MediaWikiCredential,
): Promise<void> {
  const { query } = await sendQuery(session, { action: 'query', meta: 'tokens', type: 'login' }, Token)
  const names = { lgname: mediawiki_username, lgpassword: mediawiki_password, lgtoken: query.tokens.logintoken }
  const { login } = await sendQuery(session, { action: 'login', ...names }, Login)
  if (login.result !== 'Success') {
    const reason = login.reason ?? login.result
    const field = 'credential_json.mediawiki_password'
    throw new SourceError('credential', `The wiki rejected the login: ${reason}`, { field })
  }
  session.isSignedIn = true
}

/** Longer queries are sent with POST. So are logins, to keep them out of access logs. */
const MAX_QUERY = 1_500
const MAX_BYTES = 64 << 20

async function sendQuery<T>(
  session: MediaWikiSession,
  parameters: QueryParameters,
  schema: z.ZodType<T, unknown>,
): Promise<T> {
  const query = encodeQuery({ ...parameters, ...(session.isSignedIn && { assert: 'user' }) })
  const cookie = [...session.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const headers = cookie === '' ? {} : { cookie }
  const isPosted = query.length > MAX_QUERY || parameters.action === 'login'
  const answer = isPosted
    ? await session.fetch(session.api, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
        body: query,
        maxBytes: MAX_BYTES,
      })
    : await session.fetch(`${session.api}?${query}`, { headers, maxBytes: MAX_BYTES })
  storeCookies(session.cookies, answer.headers['set-cookie'] ?? '')
  if (answer.status === 401 || answer.status === 403) {
    throw new SourceError('credential', `${new URL(session.api).host} returned HTTP ${answer.status}.`, USERNAME_FIELD)
  }
  const result = parseJsonAnswer<T | z.infer<typeof ApiError>>(answer, z.union([ApiError, schema]))
  if (isApiError(result)) throw toMediaWikiError(session, result.error)
  return result
}

const encodeQuery = (parameters: QueryParameters): string =>
  new URLSearchParams(
    Object.entries({ ...parameters, format: 'json', formatversion: 2 }).map(([name, value]): [string, string] => [
      name,
      `${value}`,
    ]),
  ).toString()

/** Repeated headers are joined by commas, and cookie dates contain commas too. */
function storeCookies(cookies: Map<string, string>, header: string): void {
  for (const cookie of header.split(/,(?=\s*[^;,=\s]+=)/)) {
    const [pair = ''] = cookie.split(';')
    const at = pair.indexOf('=')
    if (at > 0) cookies.set(pair.slice(0, at).trim(), pair.slice(at + 1).trim())
  }
}

const isApiError = (result: unknown): result is z.infer<typeof ApiError> => ApiError.safeParse(result).success

const USERNAME_FIELD = { field: 'credential_json.mediawiki_username' }
const ACCESS_ERRORS = ['readapidenied', 'permissiondenied', 'assertuserfailed', 'assertnameduserfailed']
const BUSY_ERRORS = /^(?:ratelimited|maxlag|readonly|internal_api_error)/

function toMediaWikiError(
  { api, isSignedIn }: MediaWikiSession,
  { code, info }: z.infer<typeof ApiError>['error'],
): SourceError {
  const said = `${new URL(api).host} returned "${code}": ${info}`
  if (ACCESS_ERRORS.includes(code)) {
    const hint = isSignedIn ? '' : ' Add a credential with read access.'
    return new SourceError('credential', `${said}${hint}`, USERNAME_FIELD)
  }
  return new MediaWikiApiError(code, BUSY_ERRORS.test(code) ? 'unavailable' : 'unexpected', said)
}

/** An error reported by the API, with its code. */
export class MediaWikiApiError extends SourceError {
  readonly code: string
  constructor(code: string, kind: SourceError['kind'], message: string) {
    super(kind, message)
    this.code = code
  }
}
