// How a MediaWiki is asked: https://www.mediawiki.org/wiki/API:Main_page
import { z } from 'zod'
import { type Pull, type PullAnswer, SourceError } from './connector.ts'
import { readJson } from './json-answer.ts'

export interface Account {
  mediawiki_username: string
  mediawiki_password: string
}

export type Parameters = Record<string, string | number>

export interface Wiki {
  /** What every address of a page begins with that stays when the page is renamed. */
  index: string
  /** Names by number; `isContent`: what the wiki takes for its content. */
  namespaces: Map<number, { name: string; isContent: boolean }>
  ask<T>(parameters: Parameters, schema: z.ZodType<T, unknown>): Promise<T>
}

const Fault = z.object({ error: z.object({ code: z.string(), info: z.string().default('') }) })

const SiteInfo = z.object({
  query: z.object({
    general: z.object({ server: z.string(), script: z.string() }),
    namespaces: z.record(z.string(), z.object({ id: z.number(), name: z.string(), content: z.boolean().optional() })),
  }),
})
const SITE_INFO = { action: 'query', meta: 'siteinfo', siprop: 'general|namespaces' }

/** Rejects with a `SourceError` that names the field: no wiki there, or not for this account. */
export async function openWiki({
  config,
  credential,
  fetch,
}: Pick<Pull<{ hostname: string }, Account>, 'config' | 'credential' | 'fetch'>): Promise<Wiki> {
  const session: Session = { api: await findApi(fetch, config.hostname), cookies: new Map(), isKnown: false, fetch }
  if (credential !== null) await logIn(session, credential)
  const { general, namespaces } = (await ask(session, SITE_INFO, SiteInfo)).query
  const server = new URL(general.server, session.api)
  return {
    index: new URL(general.script, server).href,
    namespaces: new Map(
      Object.values(namespaces).map(({ id, name, content }) => [id, { name, isContent: content === true }]),
    ),
    ask: (parameters, schema) => ask(session, parameters, schema),
  }
}

interface Session {
  api: string
  cookies: Map<string, string>
  /** Whether the wiki has accepted an account: it is to say so when it forgets it. */
  isKnown: boolean
  fetch: Pull['fetch']
}

/** Where the scripts of a wiki lie is its own choice; these are the usual ones. */
function placesOf(hostname: string): string[] {
  const given = hostname.trim().replace(/\/+$/, '')
  const text = /^https?:\/\//i.test(given) ? given : `https://${given}`
  if (!URL.canParse(text)) throw nowhere(`"${given}" is no address of a wiki.`)
  const { origin, pathname } = new URL(text)
  const base = `${origin}${pathname === '/' ? '' : pathname}`
  if (base.endsWith('/api.php')) return [base]
  const usual = ['/w', '', '/wiki', '/mediawiki'].map((it) => `${origin}${it}/api.php`)
  return [...new Set(base === origin ? usual : [`${base}/api.php`, ...usual])]
}

const nowhere = (message: string, status: number | null = null) =>
  new SourceError('config', message, { field: 'connector_specific_config.hostname', status })

async function findApi(fetch: Pull['fetch'], hostname: string): Promise<string> {
  const places = placesOf(hostname)
  let last: PullAnswer | undefined
  for (const place of places) {
    last = await fetch(`${place}?${queryOf(SITE_INFO)}`)
    if (isApi(last)) return last.url.replace(/\?.*$/s, '')
  }
  const answer = last === undefined ? '' : ` The last one answered ${last.status}.`
  throw nowhere(`No MediaWiki answers at ${places.join(', ')}.${answer}`, last?.status)
}

/** A refusal has that shape too. */
function isApi(answer: PullAnswer): boolean {
  try {
    readJson(answer, z.union([SiteInfo, Fault]))
    return true
  } catch {
    return false
  }
}

const Token = z.object({ query: z.object({ tokens: z.object({ logintoken: z.string() }) }) })
const Login = z.object({ login: z.object({ result: z.string(), reason: z.string().optional() }) })

/** For an account, and better for a bot password: https://www.mediawiki.org/wiki/API:Login#Method_1._login */
async function logIn(session: Session, { mediawiki_username, mediawiki_password }: Account): Promise<void> {
  const { query } = await ask(session, { action: 'query', meta: 'tokens', type: 'login' }, Token)
  const names = { lgname: mediawiki_username, lgpassword: mediawiki_password, lgtoken: query.tokens.logintoken }
  const { login } = await ask(session, { action: 'login', ...names }, Login)
  if (login.result !== 'Success') {
    const reason = login.reason ?? login.result
    const field = 'credential_json.mediawiki_password'
    throw new SourceError('credential', `The wiki refuses the sign-in: ${reason}`, { field })
  }
  session.isKnown = true
}

/** Longer ones, and what must not stand in anybody's log, are posted. */
const MAX_QUERY = 1_500
const MAX_BYTES = 64 << 20

async function ask<T>(session: Session, parameters: Parameters, schema: z.ZodType<T, unknown>): Promise<T> {
  const query = queryOf({ ...parameters, ...(session.isKnown && { assert: 'user' }) })
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
  keepCookies(session.cookies, answer.headers['set-cookie'] ?? '')
  if (answer.status === 401 || answer.status === 403) {
    throw new SourceError('credential', `${new URL(session.api).host} answers ${answer.status}.`, FIELD)
  }
  const result = readJson<T | z.infer<typeof Fault>>(answer, z.union([Fault, schema]))
  if (isFault(result)) throw faultOf(session, result.error)
  return result
}

const queryOf = (parameters: Parameters): string =>
  new URLSearchParams(
    Object.entries({ ...parameters, format: 'json', formatversion: 2 }).map(
      ([name, value]) => [name, `${value}`] as [string, string],
    ),
  ).toString()

/** A repeated header comes joined by commas, and a date in it has one as well. */
function keepCookies(cookies: Map<string, string>, header: string): void {
  for (const cookie of header.split(/,(?=\s*[^;,=\s]+=)/)) {
    const [pair = ''] = cookie.split(';')
    const at = pair.indexOf('=')
    if (at > 0) cookies.set(pair.slice(0, at).trim(), pair.slice(at + 1).trim())
  }
}

const isFault = (result: unknown): result is z.infer<typeof Fault> => Fault.safeParse(result).success

const FIELD = { field: 'credential_json.mediawiki_username' }
const CLOSED = ['readapidenied', 'permissiondenied', 'assertuserfailed', 'assertnameduserfailed']
const BUSY = /^(?:ratelimited|maxlag|readonly|internal_api_error)/

function faultOf({ api, isKnown }: Session, { code, info }: z.infer<typeof Fault>['error']): SourceError {
  const said = `${new URL(api).host} answers "${code}": ${info}`
  if (CLOSED.includes(code)) {
    const way = isKnown ? '' : ' Add a credential with an account that may read.'
    return new SourceError('credential', `${said}${way}`, FIELD)
  }
  return new WikiFault(code, BUSY.test(code) ? 'unavailable' : 'unexpected', said)
}

/** An answer that says what is wrong, by a code of the API. */
export class WikiFault extends SourceError {
  readonly code: string
  constructor(code: string, fault: SourceError['fault'], message: string) {
    super(fault, message)
    this.code = code
  }
}
