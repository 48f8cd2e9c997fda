// A Jira tracker over HTTP: where it answers, who asks, and what its refusals mean.
// https://developer.atlassian.com/cloud/jira/platform/rest/v3/ and https://docs.atlassian.com/software/jira/docs/api/REST/9.12.0/
import { z } from 'zod'
import { type Pull, type PullAnswer, SourceError } from './connector.ts'
import { jsonIn, jsonOrNull, parsed } from './json-answer.ts'

export interface TrackerSettings {
  address: string
  addressField: string
  /** Null: what everybody may see, without signing in. */
  token: string | null
  /** With one it is the cloud. */
  email: string | null
  isScoped: boolean
}

/** The tracker has answered, and means no. */
export class TrackerRefusal extends SourceError {
  readonly answer: string
  constructor(message: string, { status, field, answer }: { status: number; field: string | null; answer: string }) {
    super('unexpected', message, { status, field })
    this.answer = answer
  }
}

export interface Tracker {
  /** Of what people call, and of ids. */
  base: string
  isCloud: boolean
  /** A path below the API with its query; rejects with a `TrackerRefusal` for any answer but a good one. */
  ask(path: string, body?: unknown): Promise<unknown>
  /** A token that has expired may turn into nobody, who sees less. */
  checkSignedIn(): Promise<void>
  findKeys(jql: string, options: { maxResults: number }): Promise<string[]>
  /** Every page of the query, to its end; `fields` in the words of the tracker. */
  list(jql: string, fields: string): AsyncGenerator<{ key: string }[], void>
  count(jql: string): Promise<number>
  /** All comments of an issue: those beside it are no more than the tracker likes. */
  commentsOf(id: string): Promise<unknown[]>
}

const MAX_BYTES = 64 << 20
const LIST_PAGE = 500
const COMMENT_PAGE = 100
const LOGIN_REASONS = /AUTHENTICATED_FAILED|AUTHENTICATION_DENIED/

export const TOKEN_FIELD = 'credential_json.jira_api_token'

const TenantInfo = z.object({ cloudId: z.string() })
const KeyPage = z.object({
  issues: z.array(z.looseObject({ key: z.string() })),
  nextPageToken: z.string().nullish(),
  total: z.number().optional(),
})
const CommentPage = z.object({ comments: z.array(z.unknown()), total: z.number() })

interface Asked {
  at?: string | number
  maxResults: number
  fields: string
}

export async function openTracker(fetch: Pull['fetch'], settings: TrackerSettings): Promise<Tracker> {
  const { isScoped } = settings
  const base = baseOf(settings)
  const isCloud = isInCloud(settings, base)
  const root = isScoped && isCloud ? await gatewayOf(fetch, base) : base
  const api = `${root}/rest/api/${isCloud ? 3 : 2}`
  const signature = signatureOf(settings)
  const ask = async (path: string, body?: unknown): Promise<unknown> => {
    const answer = await fetch(`${api}${path}`, {
      headers: {
        accept: 'application/json',
        ...signature,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      maxBytes: MAX_BYTES,
    })
    return readAnswer(answer, settings.addressField)
  }
  const pageOf = async (jql: string, { at = 0, maxResults, fields }: Asked) => {
    const place = isCloud ? (at === 0 ? {} : { nextPageToken: String(at) }) : { startAt: String(at) }
    const query = new URLSearchParams({ jql, maxResults: String(maxResults), fields, ...place })
    return parsed(KeyPage, await ask(`/search${isCloud ? '/jql' : ''}?${query}`))
  }
  return {
    base,
    isCloud,
    ask,
    async checkSignedIn() {
      // A token with scopes may lack the one for this, and is refused outright when it has expired.
      // Who does not sign in is refused where nobody else may look.
      if ((isScoped && isCloud) || settings.token === null) return
      await ask('/myself')
    },
    findKeys: async (jql, { maxResults }) =>
      (await pageOf(jql, { maxResults, fields: 'key' })).issues.map((it) => it.key),
    async *list(jql, fields) {
      for (let at: string | number = 0; ; ) {
        const { issues, nextPageToken, total } = await pageOf(jql, { at, maxResults: LIST_PAGE, fields })
        yield issues
        const next: string | number | null = isCloud
          ? (nextPageToken ?? null)
          : nextOf(Number(at), issues.length, total)
        if (next === null) return
        at = next
      }
    },
    async count(jql) {
      if (isCloud) return parsed(z.object({ count: z.number() }), await ask('/search/approximate-count', { jql })).count
      const query = new URLSearchParams({ jql, maxResults: '0', fields: 'key' })
      return parsed(z.object({ total: z.number() }), await ask(`/search?${query}`)).total
    },
    async commentsOf(id) {
      const comments: unknown[] = []
      for (;;) {
        const query = new URLSearchParams({ startAt: String(comments.length), maxResults: String(COMMENT_PAGE) })
        const page = parsed(CommentPage, await ask(`/issue/${encodeURIComponent(id)}/comment?${query}`))
        comments.push(...page.comments)
        if (page.comments.length === 0 || comments.length >= page.total) return comments
      }
    },
  }
}

const isInCloud = ({ email, token }: TrackerSettings, base: string): boolean =>
  email !== null || (token === null && new URL(base).hostname.endsWith('.atlassian.net'))

function signatureOf({ email, token }: TrackerSettings): Record<string, string> {
  if (token === null) return {}
  if (email === null) return { authorization: `Bearer ${token}` }
  return { authorization: `Basic ${Buffer.from(`${email}:${token}`).toString('base64')}` }
}

/** Where a page that is not the last one ends the listing there is no way to know what is gone. */
function nextOf(at: number, count: number, total: number | undefined): number | null {
  if (count === LIST_PAGE) return at + count
  if (total === undefined || at + count >= total) return null
  if (count > 0) return at + count
  throw new SourceError('unexpected', `The tracker lists ${at} issues, and says that there are ${total}.`)
}

export async function orMissing(asked: Promise<unknown>): Promise<unknown> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof TrackerRefusal && error.status === 404) return null
    throw error
  }
}

function baseOf({ address, addressField: field }: TrackerSettings): string {
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(address.trim()) ? address.trim() : `https://${address.trim()}`
  if (!/^https?:/i.test(url) || !URL.canParse(url)) {
    throw new SourceError('config', `${address} is no address: give it as https://host.`, { field })
  }
  return url.replace(/\/+$/, '')
}

/** https://support.atlassian.com/atlassian-account/docs/manage-api-tokens-for-your-atlassian-account/ */
async function gatewayOf(fetch: Pull['fetch'], base: string): Promise<string> {
  const answer = await fetch(`${base}/_edge/tenant_info`, { headers: { accept: 'application/json' } })
  const { cloudId } = parsed(TenantInfo, readAnswer(answer, 'connector_specific_config.scoped_token'))
  return `https://api.atlassian.com/ex/jira/${encodeURIComponent(cloudId)}`
}

function readAnswer(answer: PullAnswer, addressField: string): unknown {
  const { status, headers, url } = answer
  const isNobody = LOGIN_REASONS.test(headers['x-seraph-loginreason'] ?? '')
  if (status === 401 || isNobody) {
    const message = 'Jira credential appears to be expired or invalid (HTTP 401).'
    throw new SourceError('credential', message, { field: TOKEN_FIELD, status: 401 })
  }
  if (status === 403) {
    const message = 'Your Jira token does not have sufficient permissions for this configuration (HTTP 403).'
    throw new SourceError('credential', message, { field: TOKEN_FIELD, status })
  }
  if (status < 200 || status >= 300) {
    const answered = sentenceOf(answer)
    const message = `${new URL(url).host} answers ${status}: ${answered}`
    throw new TrackerRefusal(message, { status, field: addressField, answer: answered })
  }
  return jsonIn(answer, addressField)
}

const ErrorAnswer = z.object({
  errorMessages: z.array(z.string()).default([]),
  errors: z.record(z.string(), z.unknown()).default({}),
  message: z.string().optional(),
})

const MAX_SENTENCE = 500

function sentenceOf({ body, status }: PullAnswer): string {
  const text = body.toString('utf8')
  const said = ErrorAnswer.safeParse(jsonOrNull(text))
  const { errorMessages = [], errors = {}, message } = said.success ? said.data : {}
  const parts = [...errorMessages, ...Object.entries(errors).map(([field, it]) => `${field}: ${it}`), message ?? '']
  return (parts.filter((it) => it !== '').join(' ') || `HTTP ${status}`).slice(0, MAX_SENTENCE)
}
