// Issues, pull requests, discussions and files of repositories on GitHub or a GitHub Enterprise server.
import { z } from 'zod'
import type { ExternalAccess } from '../domain/access.ts'
import { nullish, wireBoolean, wireEnum, wireString } from '../domain/wire.ts'
import { changedPages, isoOf, Turn } from './changed-pages.ts'
import { connector, type Item, type Pull, SourceError, type SourceGroup } from './connector.ts'
import { openRepositoryAccess, Repository } from './github-access.ts'
import {
  discussionAt,
  discussionPages,
  discussionUrls,
  type Graph,
  itemOfDiscussion,
  openGraph,
} from './github-discussion.ts'
import { listFiles, readFile, readNamedFile } from './github-files.ts'
import { Issue, isPull, itemOfIssue } from './github-issue.ts'
import { parsed } from './json-answer.ts'
import { addressOf, allOf, openRest, orNull, Refusal, type Rest } from './source-rest.ts'

const Config = z.object({
  repo_owner: wireString({ min: 1, max: 200 }).describe('The user or organization whose repositories they are.'),
  repositories: nullish(wireString({ max: 100_000 })).describe(
    'Names of repositories with commas between them; none: all that the token may see.',
  ),
  state_filter: nullish(wireEnum(['all', 'open', 'closed'], { caseInsensitive: true })).describe(
    'Only issues and pull requests that are open, or closed; `all`, if it is not said.',
  ),
  include_prs: nullish(wireBoolean()).describe('Pull requests with comments and reviews; yes, if it is not said.'),
  include_issues: nullish(wireBoolean()).describe('Issues with their comments; yes, if it is not said.'),
  include_files: nullish(wireBoolean()).describe('The files of each repository; no, if it is not said.'),
  include_discussions: nullish(wireBoolean()).describe(
    'Discussions with comments and replies; no, if it is not said. They need a token.',
  ),
  branch: nullish(wireString({ max: 500 })).describe('Of the files; the default one, if it is not said.'),
  github_base_url: nullish(wireString({ min: 1, max: 2_000 })).describe(
    'The API of a GitHub Enterprise server, as https://host/api/v3.',
  ),
})
type Config = z.infer<typeof Config>

const Credential = z.object({ github_access_token: wireString({ min: 1, max: 10_000 }) })
type Credential = z.infer<typeof Credential>

type GitHubPull = Pull<Config, Credential>

export default connector<Config, Credential>({
  sources: ['github'],
  label: 'GitHub',
  description: 'Reads issues, pull requests with their reviews, discussions and files of repositories on GitHub.',
  config: Config,
  credential: Credential,
  isCredentialOptional: true,
  hasAccess: true,
  async check(pull) {
    await listRepositories(restOf(pull), pull)
    if (pull.config.include_discussions !== true || pull.credential !== null) return
    throw new SourceError('credential', 'GitHub tells discussions to a token only.', { field: 'credential_json' })
  },
  load,
  listIds,
  access,
  groups,
})

const PER_PAGE = 100
const OWNER_FIELD = 'connector_specific_config.repo_owner'

const Checkpoint = z.object({
  repository: z.string(),
  part: z.enum(['issues', 'discussions', 'files', 'done']),
  turn: Turn.nullable(),
  /** Of discussions. */
  after: z.string().nullish(),
})
type Checkpoint = z.infer<typeof Checkpoint>

/** https://docs.github.com/en/rest/using-the-rest-api/getting-started-with-the-rest-api */
const restOf = (pull: GitHubPull): Rest => openAt(pull, (base) => base)

/** A server of one's own has it beside the other: https://docs.github.com/en/enterprise-server/graphql/guides/forming-calls-with-graphql */
const graphOf = (pull: GitHubPull): Graph => openGraph(openAt(pull, (base) => base.replace(/\/v3$/, '')))

const openAt = ({ fetch, config, credential }: GitHubPull, placeIn: (base: string) => string): Rest =>
  openRest(fetch, {
    base: placeIn(
      addressOf(config.github_base_url ?? 'https://api.github.com', 'connector_specific_config.github_base_url'),
    ),
    label: 'GitHub',
    headers: {
      ...(credential !== null && { authorization: `Bearer ${credential.github_access_token}` }),
      'x-github-api-version': '2022-11-28',
      'user-agent': 'pharos',
    },
    tokenField: 'credential_json.github_access_token',
    addressField: 'connector_specific_config.github_base_url',
  })

/** In the order of their names, which is the one of the checkpoints. */
async function listRepositories(rest: Rest, { config, credential }: GitHubPull): Promise<Repository[]> {
  const { repo_owner, repositories } = config
  const names = (repositories ?? '')
    .split(',')
    .map((it) => it.trim())
    .filter((it) => it !== '')
  const found =
    names.length > 0
      ? await named(rest, repo_owner, names)
      : await allOfOwner(rest, repo_owner, { isSignedIn: credential !== null })
  return [...new Map(found.map((it) => [it.full_name, it])).values()].sort(byName)
}

const byName = (a: Repository, b: Repository) => (a.full_name < b.full_name ? -1 : 1)

async function named(rest: Rest, owner: string, names: readonly string[]): Promise<Repository[]> {
  const found: Repository[] = []
  for (const name of names) {
    const path = name.includes('/') ? name : `${owner}/${name}`
    const answer = await orNull(rest.ask(`/repos/${path.split('/').map(encodeURIComponent).join('/')}`), [404])
    if (answer === null) {
      const message = `There is no repository ${path} that the token may see (HTTP 404).`
      throw new SourceError('config', message, { field: 'connector_specific_config.repositories', status: 404 })
    }
    found.push(parsed(Repository, answer.value))
  }
  return found
}

/** An organization's own, private ones too; a user's by another path. */
async function allOfOwner(rest: Rest, owner: string, { isSignedIn }: { isSignedIn: boolean }): Promise<Repository[]> {
  const name = encodeURIComponent(owner)
  const ofOrganization = await orNull(
    allOf(rest, `/orgs/${name}/repos?type=all&per_page=${PER_PAGE}`, Repository),
    [404],
  )
  if (ofOrganization !== null) return ofOrganization
  const ofUser = await orNull(allOf(rest, `/users/${name}/repos?type=owner&per_page=${PER_PAGE}`, Repository), [404])
  if (ofUser === null) {
    const message = `There is no user or organization ${owner} (HTTP 404).`
    throw new SourceError('config', message, { field: OWNER_FIELD, status: 404 })
  }
  if (!isSignedIn) return ofUser
  // A token of an app is nobody's, and may not ask for its own.
  const own = (await orNull(allOf(rest, `/user/repos?affiliation=owner&per_page=${PER_PAGE}`, Repository), [403])) ?? []
  return [...ofUser, ...own.filter((it) => it.owner.login.toLowerCase() === owner.toLowerCase())]
}

async function* load(pull: GitHubPull): AsyncGenerator<Item, void> {
  const { config, checkpoint, only, since } = pull
  const rest = restOf(pull)
  const left = Checkpoint.safeParse(checkpoint)
  const { readersOf } = openRepositoryAccess(rest)
  const at: Checkpoint | null = left.success && only === null ? left.data : null
  for (const repository of await listRepositories(rest, pull)) {
    const { full_name, html_url } = repository
    if (at !== null && full_name < at.repository) continue
    const here = at?.repository === full_name ? at : null
    if (here?.part === 'done') continue
    if (only?.every((it) => !it.startsWith(`${html_url}/`))) continue
    const facts = { repository, access: await readersOf(repository) }
    if (only !== null) {
      yield* loadNamed(pull, rest, { ...facts, ids: only.filter((it) => it.startsWith(`${html_url}/`)) })
      continue
    }
    const part = here?.part ?? 'issues'
    if (hasIssues(config) && part === 'issues') {
      const turn = here?.turn ?? { since, page: 1 }
      for await (const { items, next } of issuePages(rest, config, repository, turn)) {
        for (const it of items) yield* itemsOf(pull, rest, facts, it)
        if (next !== null) yield checkpointOf({ repository: full_name, part: 'issues', turn: next })
      }
      yield checkpointOf({ repository: full_name, part: 'discussions', turn: null })
    }
    if (config.include_discussions === true && part !== 'files') {
      const graph = graphOf(pull)
      for await (const { items, next } of discussionPages(graph, repository, { since, after: here?.after ?? null })) {
        for (const it of items) yield await itemOfDiscussion(graph, it, facts)
        if (next !== null) yield checkpointOf({ repository: full_name, part: 'discussions', turn: null, after: next })
      }
      yield checkpointOf({ repository: full_name, part: 'files', turn: null })
    }
    if (config.include_files === true) {
      for await (const file of listFiles(rest, repository, config.branch)) yield await readFile(pull, rest, facts, file)
    }
    yield checkpointOf({ repository: full_name, part: 'done', turn: null })
  }
}

const checkpointOf = (checkpoint: Checkpoint): Item => ({ type: 'checkpoint', checkpoint })

const hasIssues = ({ include_prs, include_issues }: Config) => include_prs !== false || include_issues !== false

const isWanted = ({ include_prs, include_issues, state_filter }: Config, issue: { isPull: boolean; state: string }) =>
  (issue.isPull ? include_prs : include_issues) !== false &&
  (state_filter === null || state_filter === 'all' || state_filter === issue.state)

/**
 * Pull requests are issues too: https://docs.github.com/en/rest/issues/issues#list-repository-issues
 * A repository without issues answers 410, and lists its pull requests elsewhere.
 */
async function* issuePages(rest: Rest, config: Config, { full_name }: Repository, turn: Turn) {
  const query = { state: config.state_filter ?? 'all', sort: 'updated', direction: 'asc', per_page: String(PER_PAGE) }
  const ask = async ({ since, page }: Turn) => {
    const range = since === null ? {} : { since: isoOf(since) }
    const path = `/repos/${full_name}/issues?${new URLSearchParams({ ...query, ...range, page: String(page) })}`
    const { value, next } = await rest.ask(path)
    return { items: parsed(z.array(z.unknown()), value), hasMore: next !== null }
  }
  try {
    yield* changedPages(turn, ask)
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 410) throw error
    if (config.include_prs !== false) yield* pullPages(rest, full_name, query.state, turn.since)
  }
}

/** Newest first, as it has no beginning to ask for: what is changed meanwhile comes twice, and nothing is passed over. */
async function* pullPages(rest: Rest, fullName: string, state: string, since: number | null) {
  const query = new URLSearchParams({ state, sort: 'updated', direction: 'desc', per_page: String(PER_PAGE) })
  for (let path: string | null = `/repos/${fullName}/pulls?${query}`; path !== null; ) {
    const { value, next } = await rest.ask(path)
    const items = parsed(z.array(z.looseObject({ updated_at: z.string() })), value)
    const isOld = since !== null && items.some((it) => Date.parse(it.updated_at) < since)
    yield { items: items.map((it) => ({ ...it, pull_request: {}, comments: null })), next: null }
    path = isOld ? null : next
  }
}

type Facts = Parameters<typeof itemOfIssue>[2]

async function* itemsOf(pull: GitHubPull, rest: Rest, facts: Facts, value: unknown): AsyncGenerator<Item> {
  const issue = Issue.safeParse(value)
  if (issue.success && !isWanted(pull.config, { isPull: isPull(issue.data), state: issue.data.state })) return
  yield await itemOfIssue(rest, value, facts)
}

async function* loadNamed(
  pull: GitHubPull,
  rest: Rest,
  { ids, ...facts }: Facts & { ids: readonly string[] },
): AsyncGenerator<Item> {
  const { full_name, html_url } = facts.repository
  for (const id of ids) {
    const [, discussion] = /\/discussions\/(\d+)$/.exec(id) ?? []
    if (discussion !== undefined) {
      const item = await discussionAt(graphOf(pull), Number(discussion), facts)
      if (item !== null) yield item
      continue
    }
    const [, number] = /^(?:issues|pull)\/(\d+)$/.exec(id.slice(html_url.length + 1)) ?? []
    if (number === undefined) {
      const item = await readNamedFile(pull, rest, facts, id)
      if (item !== null) yield item
      continue
    }
    const answer = await orNull(rest.ask(`/repos/${full_name}/issues/${number}`), [404, 410])
    if (answer !== null) yield await itemOfIssue(rest, answer.value, facts)
  }
}

const Listed = Issue.pick({ html_url: true, state: true, pull_request: true })

async function* listIds(pull: GitHubPull): AsyncGenerator<string, void> {
  const rest = restOf(pull)
  for (const repository of await listRepositories(rest, pull)) yield* idsIn(pull, rest, repository)
}

async function* idsIn(pull: GitHubPull, rest: Rest, repository: Repository): AsyncGenerator<string, void> {
  const { config } = pull
  if (hasIssues(config)) {
    for await (const { items } of issuePages(rest, config, repository, { since: null, page: 1 })) {
      const issues = parsed(z.array(Listed), items)
      for (const it of issues) if (isWanted(config, { isPull: isPull(it), state: it.state })) yield it.html_url
    }
  }
  if (config.include_discussions === true) yield* discussionUrls(graphOf(pull), repository)
  if (config.include_files !== true) return
  for await (const { id } of listFiles(rest, repository, config.branch)) yield id
}

async function* access(pull: GitHubPull): AsyncGenerator<{ id: string; external_access: ExternalAccess }, void> {
  const rest = restOf(pull)
  const { readersOf } = openRepositoryAccess(rest)
  for (const repository of await listRepositories(rest, pull)) {
    const external_access = await readersOf(repository)
    for await (const id of idsIn(pull, rest, repository)) yield { id, external_access }
  }
}

async function* groups(pull: GitHubPull): AsyncGenerator<SourceGroup, void> {
  const rest = restOf(pull)
  const { newGroupsOf } = openRepositoryAccess(rest)
  for (const repository of await listRepositories(rest, pull)) yield* newGroupsOf(repository)
}
