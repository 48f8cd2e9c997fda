// A fake Jira Cloud or Server whose issues and responses a test can change.
// Responses follow the linked pages of the vendor's documentation.
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import type { Answer } from './site.ts'

// biome-ignore lint/suspicious/noExplicitAny: responses of any shape.
type Json = any

export interface TrackerIssue {
  id: string
  key: string
  fields: Record<string, Json>
}

export interface Asked {
  method: string
  path: string
  query: URLSearchParams
  body: Json
}

export interface TrackerServer {
  url: string
  issues: Map<string, TrackerIssue>
  asked: Asked[]
  /** The issues whose fields were sent, in order, with repetitions. */
  read: string[]
  /** Valid tokens. Others are rejected. */
  tokens: Set<string>
  /** Replaces the response. Undefined: the normal response. */
  intercept: (asked: Asked) => Answer | undefined | Promise<Answer | undefined>
  /** The permission scheme response of a project. */
  schemes: Map<string, Json>
  /** The members of a security level. */
  levels: Map<string, Json[]>
  /** Other responses by path. */
  others: Map<string, Json>
  /** Maximum ids per page in the cloud. */
  idPage: number
  put(key: string, fields?: Record<string, Json>): TrackerIssue
  close(): void
}

export const EMAIL = 'mia@example.com'

/** `cloud` uses REST v3 and Basic authentication, `server` REST v2 and a bearer token. */
export async function openTracker(kind: 'cloud' | 'server', { isKept = false } = {}): Promise<TrackerServer> {
  const tracker: Omit<TrackerServer, 'url' | 'close'> = {
    issues: new Map(),
    asked: [],
    read: [],
    tokens: new Set(['token']),
    intercept: () => undefined,
    schemes: new Map(),
    levels: new Map(),
    others: new Map(),
    idPage: 5_000,
    put(key, fields = {}) {
      const id = tracker.issues.get(key)?.id ?? String(10_000 + tracker.issues.size)
      const issue = { id, key, fields: { ...fieldsOf(kind, key), ...fields } }
      tracker.issues.set(key, issue)
      return issue
    },
  }
  const server = createServer(async (request, response) => {
    const asked = await readRequest(request)
    tracker.asked.push(asked)
    const { status = 200, headers = {}, body = '' } = (await tracker.intercept(asked)) ?? answer(asked, request)
    response.writeHead(status, { 'content-type': 'application/json;charset=UTF-8', ...headers })
    response.end(body)
  })
  const answer = (asked: Asked, { headers }: IncomingMessage): Answer => {
    const allowed = [...tracker.tokens].map((it) =>
      kind === 'cloud' ? `Basic ${Buffer.from(`${EMAIL}:${it}`).toString('base64')}` : `Bearer ${it}`,
    )
    if (!allowed.includes(headers.authorization ?? '')) return UNAUTHORIZED
    const api = kind === 'cloud' ? '/rest/api/3' : '/rest/api/2'
    if (!asked.path.startsWith(`${api}/`)) return NOT_FOUND
    const path = asked.path.slice(api.length)
    return (kind === 'cloud' ? cloudAnswer(tracker, path, asked) : serverAnswer(tracker, path, asked)) ?? NOT_FOUND
  }
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  server.unref()
  const close = () => void server.close()
  if (!isKept) after(close)
  const { port } = server.address() as AddressInfo
  return Object.assign(tracker, { url: `http://127.0.0.1:${port}`, close })
}

async function readRequest(request: IncomingMessage): Promise<Asked> {
  const chunks: Buffer[] = []
  for await (const it of request) chunks.push(it)
  const text = Buffer.concat(chunks).toString()
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://tracker')
  return {
    method: request.method ?? 'GET',
    path: decodeURIComponent(pathname),
    query: searchParams,
    body: text === '' ? null : JSON.parse(text),
  }
}

const json = (body: Json, status = 200): Answer => ({ status, body: JSON.stringify(body) })

/** https://developer.atlassian.com/cloud/jira/platform/rest/v3/intro/#status-codes: the error collection. */
export const refusal = (status: number, ...errorMessages: string[]): Answer =>
  json({ errorMessages, errors: {} }, status)

/** https://developer.atlassian.com/cloud/jira/platform/basic-auth-for-rest-apis/ */
export const UNAUTHORIZED: Answer = json(
  { message: 'Client must be authenticated to access this resource.', 'status-code': 401 },
  401,
)
const NOT_FOUND = refusal(404, 'No such thing here.')

type State = Omit<TrackerServer, 'url' | 'close'>

function cloudAnswer(tracker: State, path: string, { method, query, body }: Asked): Answer | undefined {
  if (path === '/search/jql') return searchCloud(tracker, query)
  if (method === 'POST' && path === '/issue/bulkfetch') return bulkFetch(tracker, body)
  // https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-search/#api-rest-api-3-search-approximate-count-post
  if (path === '/search/approximate-count') return json({ count: found(tracker, body.jql).length })
  const [, scheme] = /^\/issuesecurityschemes\/(\d+)\/members$/.exec(path) ?? []
  if (scheme !== undefined) return levelMembers(tracker, query)
  return commonAnswer(tracker, path, query)
}

/**
 * https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-search/#api-rest-api-3-search-jql-get
 * The last page has no `nextPageToken`: https://jira.atlassian.com/browse/JRACLOUD-92184
 */
function searchCloud(tracker: State, query: URLSearchParams): Answer {
  const after = Number(query.get('nextPageToken') ?? Number.POSITIVE_INFINITY)
  const rest = found(tracker, query.get('jql') ?? '').filter((it) => Number(it.id) < after)
  const size = Math.min(Number(query.get('maxResults') ?? 50), tracker.idPage)
  const page = rest.slice(0, size)
  const isLast = page.length === rest.length
  const issues = page.map(({ id, key, fields }) =>
    query.get('fields') === 'id' ? { id } : { expand: '', id, self: '', key, ...fieldsAsked(query, fields) },
  )
  return json({ issues, isLast, ...(!isLast && { nextPageToken: page.at(-1)!.id }) })
}

/** `*all,-comment`: https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-search/ */
function fieldsAsked(query: URLSearchParams, fields: TrackerIssue['fields']): Partial<TrackerIssue> {
  const [first, ...without] = (query.get('fields') ?? '').split(',')
  if (first !== '*all') return {}
  return { fields: Object.fromEntries(Object.entries(fields).filter(([name]) => !without.includes(`-${name}`))) }
}

/** https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issues/#api-rest-api-3-issue-bulkfetch-post */
function bulkFetch(tracker: State, { issueIdsOrKeys }: { issueIdsOrKeys: string[] }): Answer {
  if (issueIdsOrKeys.length > 100) return refusal(400, 'More than 100 issues were asked for.')
  const wanted = new Set(issueIdsOrKeys)
  const issues = [...tracker.issues.values()].filter((it) => wanted.has(it.id) || wanted.has(it.key))
  tracker.read.push(...issues.map((it) => it.key))
  return json({ expand: 'schema,names', issueErrors: [], issues: issues.sort((a, b) => Number(a.id) - Number(b.id)) })
}

/**
 * https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-security-level/#api-rest-api-3-issuesecurityschemes-issuesecurityschemeid-members-get
 */
function levelMembers(tracker: State, query: URLSearchParams): Answer {
  const level = query.get('issueSecurityLevelId')
  const members = level === null ? [...tracker.levels.values()].flat() : tracker.levels.get(level)
  if (members === undefined) return refusal(403, 'Administer Jira is required.')
  const startAt = Number(query.get('startAt') ?? 0)
  // Two per page, so that paging occurs.
  const values = members
    .slice(startAt, startAt + 2)
    .map((holder, at) => ({ id: 10_000 + startAt + at, issueSecurityLevelId: Number(level), holder }))
  return json({
    isLast: startAt + values.length >= members.length,
    maxResults: 2,
    startAt,
    total: members.length,
    values,
  })
}

function serverAnswer(tracker: State, path: string, { query }: Asked): Answer | undefined {
  if (path === '/search') return searchServer(tracker, query)
  const [, key] = /^\/issue\/([^/]+)$/.exec(path) ?? []
  const issue = key === undefined ? undefined : tracker.issues.get(key)
  if (issue !== undefined) {
    tracker.read.push(issue.key)
    return json(issue)
  }
  return commonAnswer(tracker, path, query)
}

/** https://developer.atlassian.com/server/jira/platform/rest/v10000/api-group-search/#api-api-2-search-get */
function searchServer(tracker: State, query: URLSearchParams): Answer {
  const all = found(tracker, query.get('jql') ?? '')
  const startAt = Number(query.get('startAt') ?? 0)
  const maxResults = Number(query.get('maxResults') ?? 50)
  const page = all.slice(startAt, startAt + maxResults)
  const isWhole = query.get('fields') === '*all'
  if (isWhole) tracker.read.push(...page.map((it) => it.key))
  const issues = isWhole
    ? page
    : page.map(({ id, key, fields }) => ({ expand: '', id, self: '', key, ...fieldsAsked(query, fields) }))
  return json({ expand: 'names,schema', startAt, maxResults, total: all.length, issues })
}

function commonAnswer(tracker: State, path: string, query: URLSearchParams): Answer | undefined {
  // https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-myself/#api-rest-api-3-myself-get
  if (path === '/myself') return json({ accountId: '5b10a2844c20165700ede21g', emailAddress: EMAIL, active: true })
  const projects = new Set([...tracker.issues.values()].map((it) => it.fields.project?.key))
  // https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-projects/#api-rest-api-3-project-get
  if (path === '/project') return json([...projects].map((key) => ({ id: '10000', key, name: `Project ${key}` })))
  const [, project, rest = ''] = /^\/project\/([^/]+)(\/.*)?$/.exec(path) ?? []
  if (project !== undefined && rest === '' && !tracker.others.has(path)) {
    return projects.has(project)
      ? json({ id: '10000', key: project, name: `Project ${project}` })
      : refusal(404, `No project could be found with key '${project}'.`)
  }
  if (rest === '/permissionscheme') {
    const scheme = tracker.schemes.get(project ?? '')
    return scheme === undefined ? refusal(403, 'You cannot edit the configuration of this project.') : json(scheme)
  }
  const [, id] = /^\/issue\/([^/]+)\/comment$/.exec(path) ?? []
  if (id !== undefined) return commentPage(tracker, id, query)
  const other = tracker.others.get(query.size === 0 ? path : `${path}?${query}`) ?? tracker.others.get(path)
  return other === undefined ? undefined : json(other)
}

/**
 * https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-comments/#api-rest-api-3-issue-issueidorkey-comment-get
 */
function commentPage(tracker: State, id: string, query: URLSearchParams): Answer {
  const issue = [...tracker.issues.values()].find((it) => it.id === id || it.key === id)
  const all: Json[] = issue?.fields.allComments ?? issue?.fields.comment?.comments ?? []
  const startAt = Number(query.get('startAt') ?? 0)
  const maxResults = Number(query.get('maxResults') ?? 50)
  return json({ startAt, maxResults, total: all.length, comments: all.slice(startAt, startAt + maxResults) })
}

/** The subset of JQL that the connector uses: a project, a parenthesized query with a project, and the window. */
function found(tracker: State, jql: string): TrackerIssue[] {
  const [, project] = /project = "?([A-Z]+)"?/.exec(jql) ?? []
  const from = Number(/updated >= (\d+)/.exec(jql)?.[1] ?? 0)
  const until = Number(/updated <= (\d+)/.exec(jql)?.[1] ?? Number.POSITIVE_INFINITY)
  return [...tracker.issues.values()]
    .filter(({ fields }) => project === undefined || fields.project?.key === project)
    .filter(({ fields }) => {
      const updated = Date.parse(fields.updated)
      // Issues with an invalid time always match.
      return Number.isNaN(updated) || (updated >= from && updated <= until)
    })
    .sort((a, b) => Number(b.id) - Number(a.id))
}

/** https://developer.atlassian.com/cloud/jira/platform/apis/document/structure/ */
export const adf = (...paragraphs: string[][]): Json => ({
  type: 'doc',
  version: 1,
  content: paragraphs.map((texts) => ({ type: 'paragraph', content: texts.map((text) => ({ type: 'text', text })) })),
})

/** The user in the vendor's examples: https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-users/ */
export const person = (displayName: string, emailAddress?: string): Json => ({
  accountId: `id-${displayName}`,
  accountType: 'atlassian',
  active: true,
  displayName,
  ...(emailAddress && { emailAddress }),
  self: `https://your-domain.atlassian.net/rest/api/3/user?accountId=id-${displayName}`,
})

export const comment = (body: Json, author: Json = person('Mia Krystof', EMAIL)): Json => ({
  id: '10000',
  self: 'https://your-domain.atlassian.net/rest/api/3/issue/10010/comment/10000',
  author,
  body,
  created: '2021-01-17T12:34:00.000+0000',
  updated: '2021-01-18T23:45:00.000+0000',
})

/** The cloud uses document trees, a server plain text. */
function fieldsOf(kind: 'cloud' | 'server', key: string): Record<string, Json> {
  const project = key.replace(/-\d+$/, '')
  const text = `What is to be done about ${key}`
  return {
    summary: `Summary of ${key}`,
    description: kind === 'cloud' ? adf([text]) : text,
    comment: { comments: [], maxResults: 0, total: 0, startAt: 0 },
    project: { id: '10000', key: project, name: `Project ${project}` },
    issuetype: { id: '10001', name: 'Task', subtask: false },
    status: { id: '10000', name: 'In Progress' },
    labels: [],
    created: '2021-01-17T12:34:00.000+0000',
    updated: '2021-01-18T23:45:00.000+0000',
  }
}
