// GitHub connector: issues, pull requests, discussions and files, from github.com or GitHub Enterprise Server.
import { z } from 'zod'
import type { ExternalAccess } from '../../domain/access.ts'
import { nullish, wireBoolean, wireEnum, wireString } from '../../wire/schemas.ts'
import {
  type ConnectorContext,
  type ConnectorItem,
  defineConnector,
  SourceError,
  type SourceGroup,
} from '../connector.ts'
import { SECRET, usually } from '../form-hints.ts'
import { ChangeCursor, changedPages, toIsoTime } from '../rest/changed-pages.ts'
import { validateAnswer } from '../rest/json-response.ts'
import {
  collectItems,
  createRestClient,
  nullIfStatus,
  parseBaseUrl,
  type RestClient,
  RestStatusError,
} from '../rest/rest-client.ts'
import { createGitHubAccess, GitHubRepository } from './access.ts'
import {
  createGraphQlQuery,
  discussionItem,
  discussionPages,
  discussionUrls,
  fetchDiscussion,
  type GraphQlQuery,
} from './discussions.ts'
import { listGitHubFiles, readGitHubFile, readGitHubFileById } from './files.ts'
import { GitHubIssue, gitHubIssueItem, isPullRequest } from './issues.ts'

const GitHubConfig = z.object({
  repo_owner: wireString({ min: 1, max: 200 }).describe('The user or organization that owns the repositories.'),
  repositories: nullish(wireString({ max: 100_000 })).describe(
    'Comma-separated repository names. Empty: all repositories that the token can access.',
  ),
  state_filter: nullish(wireEnum(['all', 'open', 'closed'], { caseInsensitive: true }))
    .describe('Which issues and pull requests to read. Default: `all`.')
    .meta(usually('all')),
  include_prs: nullish(wireBoolean())
    .describe('Read pull requests with their comments and reviews. Default: true.')
    .meta(usually(true)),
  include_issues: nullish(wireBoolean())
    .describe('Read issues with their comments. Default: true.')
    .meta(usually(true)),
  include_files: nullish(wireBoolean())
    .describe('Read the files of each repository. Default: false.')
    .meta(usually(false)),
  include_discussions: nullish(wireBoolean())
    .describe('Read discussions with comments and replies. Requires a token. Default: false.')
    .meta(usually(false)),
  branch: nullish(wireString({ max: 500 })).describe('The branch to read files from. Default: the default branch.'),
  github_base_url: nullish(wireString({ min: 1, max: 2_000 })).describe(
    'The API URL of a GitHub Enterprise server: https://host/api/v3.',
  ),
})
type GitHubConfig = z.infer<typeof GitHubConfig>

const GitHubCredential = z.object({ github_access_token: wireString({ min: 1, max: 10_000 }).meta(SECRET) })
type GitHubCredential = z.infer<typeof GitHubCredential>

type GitHubContext = ConnectorContext<GitHubConfig, GitHubCredential>

export default defineConnector<GitHubConfig, GitHubCredential>({
  sources: ['github'],
  label: 'GitHub',
  shortLabel: 'GitHub',
  description: 'Reads issues, pull requests with their reviews, discussions and files of repositories on GitHub.',
  remarks: 'Wikis are not read.',
  egress: 'admin-target',
  config: GitHubConfig,
  ignoredFields: ['batch_size', 'everything', 'github_mode'],
  credential: GitHubCredential,
  origins: (config) => [new URL(apiUrl(config)).origin],
  isCredentialOptional: true,
  hasAccess: true,
  async check(context) {
    await listRepositories(createGitHubRest(context), context)
    if (context.config.include_discussions !== true || context.credential !== null) return
    throw new SourceError('credential', 'Discussions require a token.', { field: 'credential_json' })
  },
  load,
  listIds,
  access,
  groups,
})

const PER_PAGE = 100
const OWNER_FIELD = 'connector_specific_config.repo_owner'

const GitHubCheckpoint = z.object({
  repository: z.string(),
  part: z.enum(['issues', 'discussions', 'files', 'done']),
  turn: ChangeCursor.nullable(),
  /** Cursor in the discussions. */
  after: z.string().nullish(),
})
type GitHubCheckpoint = z.infer<typeof GitHubCheckpoint>

/** https://docs.github.com/en/rest/using-the-rest-api/getting-started-with-the-rest-api */
const createGitHubRest = (context: GitHubContext): RestClient => createGitHubClient(context, (base) => base)

/**
 * Enterprise servers have both APIs under /api:
 * https://docs.github.com/en/enterprise-server/graphql/guides/forming-calls-with-graphql
 */
const createGraphQl = (context: GitHubContext): GraphQlQuery =>
  createGraphQlQuery(createGitHubClient(context, (base) => base.replace(/\/v3$/, '')))

const BASE_FIELD = 'connector_specific_config.github_base_url'
const apiUrl = ({ github_base_url }: GitHubConfig): string =>
  parseBaseUrl(github_base_url ?? 'https://api.github.com', BASE_FIELD)

const createGitHubClient = (
  { fetch, config, credential }: GitHubContext,
  toUrl: (base: string) => string,
): RestClient =>
  createRestClient(fetch, {
    base: toUrl(apiUrl(config)),
    label: 'GitHub',
    headers: {
      ...(credential !== null && { authorization: `Bearer ${credential.github_access_token}` }),
      'x-github-api-version': '2022-11-28',
      'user-agent': 'pharos',
    },
    tokenField: 'credential_json.github_access_token',
    addressField: BASE_FIELD,
  })

/** Sorted by name, because checkpoints rely on that order. */
async function listRepositories(rest: RestClient, { config, credential }: GitHubContext): Promise<GitHubRepository[]> {
  const { repo_owner, repositories } = config
  const names = (repositories ?? '')
    .split(',')
    .map((it) => it.trim())
    .filter((it) => it !== '')
  const found =
    names.length > 0
      ? await fetchNamedRepositories(rest, repo_owner, names)
      : await listOwnerRepositories(rest, repo_owner, { isSignedIn: credential !== null })
  return [...new Map(found.map((it) => [it.full_name, it])).values()].sort(byName)
}

const byName = (a: GitHubRepository, b: GitHubRepository) => (a.full_name < b.full_name ? -1 : 1)

async function fetchNamedRepositories(
  rest: RestClient,
  owner: string,
  names: readonly string[],
): Promise<GitHubRepository[]> {
  const found: GitHubRepository[] = []
  for (const name of names) {
    const path = name.includes('/') ? name : `${owner}/${name}`
    const answer = await nullIfStatus(
      rest.fetchJson(`/repos/${path.split('/').map(encodeURIComponent).join('/')}`),
      [404],
    )
    if (answer === null) {
      const message = `Repository ${path} does not exist or the token cannot access it (HTTP 404).`
      throw new SourceError('config', message, { field: 'connector_specific_config.repositories', status: 404 })
    }
    found.push(validateAnswer(GitHubRepository, answer.value))
  }
  return found
}

/** Organizations and users have separate endpoints. Private repositories are included. */
async function listOwnerRepositories(
  rest: RestClient,
  owner: string,
  { isSignedIn }: { isSignedIn: boolean },
): Promise<GitHubRepository[]> {
  const name = encodeURIComponent(owner)
  const ofOrganization = await nullIfStatus(
    collectItems(rest, `/orgs/${name}/repos?type=all&per_page=${PER_PAGE}`, GitHubRepository),
    [404],
  )
  if (ofOrganization !== null) return ofOrganization
  const ofUser = await nullIfStatus(
    collectItems(rest, `/users/${name}/repos?type=owner&per_page=${PER_PAGE}`, GitHubRepository),
    [404],
  )
  if (ofUser === null) {
    const message = `User or organization ${owner} does not exist (HTTP 404).`
    throw new SourceError('config', message, { field: OWNER_FIELD, status: 404 })
  }
  if (!isSignedIn) return ofUser
  // An app token belongs to no user and cannot list its own repositories.
  const ownRepositories =
    (await nullIfStatus(
      collectItems(rest, `/user/repos?affiliation=owner&per_page=${PER_PAGE}`, GitHubRepository),
      [403],
    )) ?? []
  return [...ofUser, ...ownRepositories.filter((it) => it.owner.login.toLowerCase() === owner.toLowerCase())]
}

async function* load(context: GitHubContext): AsyncGenerator<ConnectorItem, void> {
  const { config, checkpoint, only, since } = context
  const rest = createGitHubRest(context)
  const resumed = GitHubCheckpoint.safeParse(checkpoint)
  const { accessOf } = createGitHubAccess(rest)
  const resumeAt: GitHubCheckpoint | null = resumed.success && only === null ? resumed.data : null
  for (const repository of await listRepositories(rest, context)) {
    const { full_name, html_url } = repository
    if (resumeAt !== null && full_name < resumeAt.repository) continue
    const resumeHere = resumeAt?.repository === full_name ? resumeAt : null
    if (resumeHere?.part === 'done') continue
    if (only?.every((it) => !it.startsWith(`${html_url}/`))) continue
    const scope = { repository, access: await accessOf(repository) }
    if (only !== null) {
      yield* loadGitHubByIds(context, rest, { ...scope, ids: only.filter((it) => it.startsWith(`${html_url}/`)) })
      continue
    }
    const part = resumeHere?.part ?? 'issues'
    if (readsIssues(config) && part === 'issues') {
      const cursor = resumeHere?.turn ?? { since, page: 1 }
      for await (const { items, next } of listIssuePages(rest, config, repository, cursor)) {
        for (const it of items) yield* toItems(context, rest, scope, it)
        if (next !== null) yield gitHubCheckpointItem({ repository: full_name, part: 'issues', turn: next })
      }
      yield gitHubCheckpointItem({ repository: full_name, part: 'discussions', turn: null })
    }
    if (config.include_discussions === true && part !== 'files') {
      const graph = createGraphQl(context)
      for await (const { items, next } of discussionPages(graph, repository, {
        since,
        after: resumeHere?.after ?? null,
      })) {
        for (const it of items) yield await discussionItem(graph, it, scope)
        if (next !== null)
          yield gitHubCheckpointItem({ repository: full_name, part: 'discussions', turn: null, after: next })
      }
      yield gitHubCheckpointItem({ repository: full_name, part: 'files', turn: null })
    }
    if (config.include_files === true) {
      for await (const file of listGitHubFiles(rest, repository, config.branch))
        yield await readGitHubFile(context, rest, scope, file)
    }
    yield gitHubCheckpointItem({ repository: full_name, part: 'done', turn: null })
  }
}

const gitHubCheckpointItem = (checkpoint: GitHubCheckpoint): ConnectorItem => ({ type: 'checkpoint', checkpoint })

const readsIssues = ({ include_prs, include_issues }: GitHubConfig) => include_prs !== false || include_issues !== false

const matchesFilter = (
  { include_prs, include_issues, state_filter }: GitHubConfig,
  issue: { isPull: boolean; state: string },
) =>
  (issue.isPull ? include_prs : include_issues) !== false &&
  (state_filter === null || state_filter === 'all' || state_filter === issue.state)

/**
 * Pull requests are listed as issues: https://docs.github.com/en/rest/issues/issues#list-repository-issues A repository
 * with issues disabled answers 410 and lists its pull requests separately.
 */
async function* listIssuePages(
  rest: RestClient,
  config: GitHubConfig,
  { full_name }: GitHubRepository,
  start: ChangeCursor,
) {
  const query = { state: config.state_filter ?? 'all', sort: 'updated', direction: 'asc', per_page: String(PER_PAGE) }
  const fetchPage = async ({ since, page }: ChangeCursor) => {
    const range = since === null ? {} : { since: toIsoTime(since) }
    const path = `/repos/${full_name}/issues?${new URLSearchParams({ ...query, ...range, page: String(page) })}`
    const { value, next } = await rest.fetchJson(path)
    return { items: validateAnswer(z.array(z.unknown()), value), hasMore: next !== null }
  }
  try {
    yield* changedPages(start, fetchPage)
  } catch (error) {
    if (!(error instanceof RestStatusError) || error.status !== 410) throw error
    if (config.include_prs !== false) yield* listPullRequestPages(rest, full_name, query.state, start.since)
  }
}

/**
 * Sorted by latest update, because this endpoint has no `since`. Items that change during the listing may appear twice
 * but are never missed.
 */
async function* listPullRequestPages(rest: RestClient, fullName: string, state: string, since: number | null) {
  const query = new URLSearchParams({ state, sort: 'updated', direction: 'desc', per_page: String(PER_PAGE) })
  for (let path: string | null = `/repos/${fullName}/pulls?${query}`; path !== null; ) {
    const { value, next } = await rest.fetchJson(path)
    const items = validateAnswer(z.array(z.looseObject({ updated_at: z.string() })), value)
    const isOld = since !== null && items.some((it) => Date.parse(it.updated_at) < since)
    yield { items: items.map((it) => ({ ...it, pull_request: {}, comments: null })), next: null }
    path = isOld ? null : next
  }
}

type IssueScope = Parameters<typeof gitHubIssueItem>[2]

async function* toItems(
  context: GitHubContext,
  rest: RestClient,
  scope: IssueScope,
  value: unknown,
): AsyncGenerator<ConnectorItem> {
  const issue = GitHubIssue.safeParse(value)
  if (issue.success && !matchesFilter(context.config, { isPull: isPullRequest(issue.data), state: issue.data.state }))
    return
  yield await gitHubIssueItem(rest, value, scope)
}

async function* loadGitHubByIds(
  context: GitHubContext,
  rest: RestClient,
  { ids, ...scope }: IssueScope & { ids: readonly string[] },
): AsyncGenerator<ConnectorItem> {
  const { full_name, html_url } = scope.repository
  for (const id of ids) {
    const [, discussion] = /\/discussions\/(\d+)$/.exec(id) ?? []
    if (discussion !== undefined) {
      const item = await fetchDiscussion(createGraphQl(context), Number(discussion), scope)
      if (item !== null) yield item
      continue
    }
    const [, number] = /^(?:issues|pull)\/(\d+)$/.exec(id.slice(html_url.length + 1)) ?? []
    if (number === undefined) {
      const item = await readGitHubFileById(context, rest, scope, id)
      if (item !== null) yield item
      continue
    }
    const answer = await nullIfStatus(rest.fetchJson(`/repos/${full_name}/issues/${number}`), [404, 410])
    if (answer !== null) yield await gitHubIssueItem(rest, answer.value, scope)
  }
}

const ListedIssue = GitHubIssue.pick({ html_url: true, state: true, pull_request: true })

async function* listIds(context: GitHubContext): AsyncGenerator<string, void> {
  const rest = createGitHubRest(context)
  for (const repository of await listRepositories(rest, context)) yield* listRepositoryIds(context, rest, repository)
}

async function* listRepositoryIds(
  context: GitHubContext,
  rest: RestClient,
  repository: GitHubRepository,
): AsyncGenerator<string, void> {
  const { config } = context
  if (readsIssues(config)) {
    for await (const { items } of listIssuePages(rest, config, repository, { since: null, page: 1 })) {
      const issues = validateAnswer(z.array(ListedIssue), items)
      for (const it of issues)
        if (matchesFilter(config, { isPull: isPullRequest(it), state: it.state })) yield it.html_url
    }
  }
  if (config.include_discussions === true) yield* discussionUrls(createGraphQl(context), repository)
  if (config.include_files !== true) return
  for await (const { id } of listGitHubFiles(rest, repository, config.branch)) yield id
}

async function* access(context: GitHubContext): AsyncGenerator<{ id: string; external_access: ExternalAccess }, void> {
  const rest = createGitHubRest(context)
  const { accessOf } = createGitHubAccess(rest)
  for (const repository of await listRepositories(rest, context)) {
    const external_access = await accessOf(repository)
    for await (const id of listRepositoryIds(context, rest, repository)) yield { id, external_access }
  }
}

async function* groups(context: GitHubContext): AsyncGenerator<SourceGroup, void> {
  const rest = createGitHubRest(context)
  const { unseenGroupsOf } = createGitHubAccess(rest)
  for (const repository of await listRepositories(rest, context)) yield* unseenGroupsOf(repository)
}
