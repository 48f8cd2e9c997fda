// Jira REST client: base URLs, authentication and error mapping.
// https://developer.atlassian.com/cloud/jira/platform/rest/v3/ and https://docs.atlassian.com/software/jira/docs/api/REST/9.12.0/

import { z } from 'zod'
import { trimEndCharacters } from '../../domain/values/trim.ts'
import { type ConnectorContext, SourceError, type SourceResponse } from '../connector.ts'
import { parseJsonBody, parseJsonOrNull, validateAnswer } from '../rest/json-response.ts'

export interface JiraSettings {
  address: string
  addressField: string
  /** Null reads anonymously. */
  token: string | null
  /** Set for Jira Cloud. */
  email: string | null
  isScoped: boolean
}

/** Jira answered with a status outside 2xx. */
export class JiraStatusError extends SourceError {
  readonly detail: string
  constructor(message: string, { status, field, answer }: { status: number; field: string | null; answer: string }) {
    super('unexpected', message, { status, field })
    this.detail = answer
  }
}

export interface JiraClient {
  /** The base of links and document ids. */
  base: string
  isCloud: boolean
  /** `path` is relative to the API. Rejects with a `JiraStatusError` for any status outside 2xx. */
  request(path: string, body?: unknown): Promise<unknown>
  /** Rejects if an expired token has silently become an anonymous session. */
  checkSignedIn(): Promise<void>
  findKeys(jql: string, options: { maxResults: number }): Promise<string[]>
  /** All pages of a query. `fields` uses Jira's syntax. */
  list(jql: string, fields: string): AsyncGenerator<{ key: string }[], void>
  count(jql: string): Promise<number>
  /** All comments of an issue. The issue itself contains only some of them. */
  listComments(id: string): Promise<unknown[]>
}

const MAX_BYTES = 64 << 20
const LIST_PAGE = 500
const COMMENT_PAGE = 100
const LOGIN_REASONS = /AUTHENTICATED_FAILED|AUTHENTICATION_DENIED/

export const TOKEN_FIELD = 'credential_json.jira_api_token'

/** The vendor's gateway, for tokens with scopes. */
export const GATEWAY = 'https://api.atlassian.com'

const TenantInfo = z.object({ cloudId: z.string() })
const KeyPage = z.object({
  issues: z.array(z.looseObject({ key: z.string() })),
  nextPageToken: z.string().nullish(),
  total: z.number().optional(),
})
const CommentPage = z.object({ comments: z.array(z.unknown()), total: z.number() })

interface JiraSearch {
  after?: string | number
  maxResults: number
  fields: string
}

export async function openJiraClient(fetch: ConnectorContext['fetch'], settings: JiraSettings): Promise<JiraClient> {
  const { isScoped } = settings
  const base = parseSiteUrl(settings)
  const isCloud = isCloudSite(settings, base)
  const root = isScoped && isCloud ? await gatewayUrl(fetch, base) : base
  const api = `${root}/rest/api/${isCloud ? 3 : 2}`
  const signature = jiraAuthHeaders(settings)
  const send = async (path: string, body?: unknown): Promise<unknown> => {
    const answer = await fetch(`${api}${path}`, {
      headers: {
        accept: 'application/json',
        ...signature,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      maxBytes: MAX_BYTES,
    })
    return parseJiraResponse(answer, settings.addressField)
  }
  const searchPage = async (jql: string, { after = 0, maxResults, fields }: JiraSearch) => {
    const position = isCloud ? (after === 0 ? {} : { nextPageToken: String(after) }) : { startAt: String(after) }
    const query = new URLSearchParams({ jql, maxResults: String(maxResults), fields, ...position })
    return validateAnswer(KeyPage, await send(`/search${isCloud ? '/jql' : ''}?${query}`))
  }
  return {
    base,
    isCloud,
    request: send,
    async checkSignedIn() {
      // A scoped token may lack the scope for /myself. An expired one is rejected with 401 anyway.
      // Anonymous requests are rejected where a login is required.
      if ((isScoped && isCloud) || settings.token === null) return
      await send('/myself')
    },
    findKeys: async (jql, { maxResults }) =>
      (await searchPage(jql, { maxResults, fields: 'key' })).issues.map((it) => it.key),
    async *list(jql, fields) {
      for (let at: string | number = 0; ; ) {
        const { issues, nextPageToken, total } = await searchPage(jql, { after: at, maxResults: LIST_PAGE, fields })
        yield issues
        const next: string | number | null = isCloud
          ? (nextPageToken ?? null)
          : nextOffset(Number(at), issues.length, total)
        if (next === null) return
        at = next
      }
    },
    async count(jql) {
      if (isCloud)
        return validateAnswer(z.object({ count: z.number() }), await send('/search/approximate-count', { jql })).count
      const query = new URLSearchParams({ jql, maxResults: '0', fields: 'key' })
      return validateAnswer(z.object({ total: z.number() }), await send(`/search?${query}`)).total
    },
    async listComments(id) {
      const comments: unknown[] = []
      for (;;) {
        const query = new URLSearchParams({ startAt: String(comments.length), maxResults: String(COMMENT_PAGE) })
        const page = validateAnswer(CommentPage, await send(`/issue/${encodeURIComponent(id)}/comment?${query}`))
        comments.push(...page.comments)
        if (page.comments.length === 0 || comments.length >= page.total) return comments
      }
    },
  }
}

const isCloudSite = ({ email, token }: JiraSettings, base: string): boolean =>
  email !== null || (token === null && new URL(base).hostname.endsWith('.atlassian.net'))

function jiraAuthHeaders({ email, token }: JiraSettings): Record<string, string> {
  if (token === null) return {}
  if (email === null) return { authorization: `Bearer ${token}` }
  return { authorization: `Basic ${Buffer.from(`${email}:${token}`).toString('base64')}` }
}

/** A listing that ends early must fail, or pruning would delete the missing issues. */
function nextOffset(at: number, count: number, total: number | undefined): number | null {
  if (count === LIST_PAGE) return at + count
  if (total === undefined || at + count >= total) return null
  if (count > 0) return at + count
  throw new SourceError('unexpected', `Jira listed ${at} issues but reports ${total}.`)
}

export async function nullIfMissing(request: Promise<unknown>): Promise<unknown> {
  try {
    return await request
  } catch (error) {
    if (error instanceof JiraStatusError && error.status === 404) return null
    throw error
  }
}

export function parseSiteUrl({ address, addressField: field }: Pick<JiraSettings, 'address' | 'addressField'>): string {
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(address.trim()) ? address.trim() : `https://${address.trim()}`
  if (!/^https?:/i.test(url) || !URL.canParse(url)) {
    throw new SourceError('config', `${address} is not a valid address. Enter it as https://host.`, { field })
  }
  return trimEndCharacters(url, '/')
}

/** https://support.atlassian.com/atlassian-account/docs/manage-api-tokens-for-your-atlassian-account/ */
async function gatewayUrl(fetch: ConnectorContext['fetch'], base: string): Promise<string> {
  const answer = await fetch(`${base}/_edge/tenant_info`, { headers: { accept: 'application/json' } })
  const { cloudId } = validateAnswer(TenantInfo, parseJiraResponse(answer, 'connector_specific_config.scoped_token'))
  return `${GATEWAY}/ex/jira/${encodeURIComponent(cloudId)}`
}

function parseJiraResponse(answer: SourceResponse, addressField: string): unknown {
  const { status, headers, url } = answer
  const isLoginRejected = LOGIN_REASONS.test(headers['x-seraph-loginreason'] ?? '')
  if (status === 401 || isLoginRejected) {
    const message = 'Jira credential appears to be expired or invalid (HTTP 401).'
    throw new SourceError('credential', message, { field: TOKEN_FIELD, status: 401 })
  }
  if (status === 403) {
    const message = 'Your Jira token does not have sufficient permissions for this configuration (HTTP 403).'
    throw new SourceError('credential', message, { field: TOKEN_FIELD, status })
  }
  if (status < 200 || status >= 300) {
    const detail = jiraErrorDetail(answer)
    const message = `${new URL(url).host} returned HTTP ${status}: ${detail}`
    throw new JiraStatusError(message, { status, field: addressField, answer: detail })
  }
  return parseJsonBody(answer, addressField)
}

const JiraErrorBody = z.object({
  errorMessages: z.array(z.string()).default([]),
  errors: z.record(z.string(), z.unknown()).default({}),
  message: z.string().optional(),
})

const MAX_DETAIL_LENGTH = 500

function jiraErrorDetail({ body, status }: SourceResponse): string {
  const text = body.toString('utf8')
  const said = JiraErrorBody.safeParse(parseJsonOrNull(text))
  const { errorMessages = [], errors = {}, message } = said.success ? said.data : {}
  const parts = [...errorMessages, ...Object.entries(errors).map(([field, it]) => `${field}: ${it}`), message ?? '']
  return (parts.filter((it) => it !== '').join(' ') || `HTTP ${status}`).slice(0, MAX_DETAIL_LENGTH)
}
