// GitLab connector: issues, merge requests and files of a project on gitlab.com or a self-managed server.
import { z } from 'zod'
import type { ExternalAccess } from '../../domain/access.ts'
import { nullish, wireBoolean, wireEnum, wireString } from '../../wire/schemas.ts'
import { type ConnectorContext, type ConnectorItem, defineConnector, SourceError } from '../connector.ts'
import { SECRET, usually } from '../form-hints.ts'
import { ChangeCursor, changedPages, toIsoTime } from '../rest/changed-pages.ts'
import { validateAnswer } from '../rest/json-response.ts'
import { createRestClient, nullIfStatus, parseBaseUrl, type RestClient } from '../rest/rest-client.ts'
import { createGitLabAccess, type GitLabAccess, type GitLabPart, GitLabProject } from './access.ts'
import { listGitLabFiles, readGitLabFile } from './files.ts'
import { Issuable, type IssuableKind, issuableItem, partOfIssuable } from './issuable.ts'

const GitLabConfig = z.object({
  project_owner: wireString({ min: 1, max: 1_000 }).describe('The user or full group path of the project.'),
  project_name: wireString({ min: 1, max: 1_000 }).describe("The project's name as in its URL."),
  state_filter: nullish(wireEnum(['all', 'open', 'opened', 'closed'], { caseInsensitive: true }))
    .describe('Which issues and merge requests to read. Default: `all`.')
    .meta(usually('all')),
  include_mrs: nullish(wireBoolean())
    .describe('Read merge requests with their comments. Default: true.')
    .meta(usually(true)),
  include_issues: nullish(wireBoolean())
    .describe('Read issues with their comments. Default: true.')
    .meta(usually(true)),
  include_code_files: nullish(wireBoolean())
    .describe('Read the files of the default branch. Default: false.')
    .meta(usually(false)),
})
type GitLabConfig = z.infer<typeof GitLabConfig>

const GitLabCredential = z.object({
  gitlab_url: nullish(wireString({ min: 1, max: 2_000 })).describe(
    'The URL of the server. Default: https://gitlab.com.',
  ),
  gitlab_access_token: wireString({ min: 1, max: 10_000 }).meta(SECRET),
})
type GitLabCredential = z.infer<typeof GitLabCredential>

type GitLabContext = ConnectorContext<GitLabConfig, GitLabCredential>

export default defineConnector<GitLabConfig, GitLabCredential>({
  sources: ['gitlab'],
  label: 'GitLab',
  shortLabel: 'GitLab',
  description: 'Reads issues, merge requests and files of a project on GitLab.',
  remarks: 'Wikis are not read.',
  egress: 'admin-target',
  config: GitLabConfig,
  ignoredFields: ['batch_size'],
  credential: GitLabCredential,
  origins: () => [],
  originsFromCredential: (credential) => [new URL(instanceUrl(credential)).origin],
  isCredentialOptional: true,
  hasAccess: true,
  async check(context) {
    await fetchProject(createGitLabRest(context), context.config)
  },
  load,
  async *listIds(context) {
    for await (const { id } of listProjectDocuments(context, await openProject(context))) yield id
  },
  access,
  async count({ config, ...context }) {
    if (config.include_code_files === true) return null
    const rest = createGitLabRest({ config, ...context })
    const project = await fetchProject(rest, config)
    let count = 0
    for (const kind of enabledKinds(config, project)) {
      const query = new URLSearchParams({ ...filterQuery(config), per_page: '1' })
      // GitLab omits the total for large collections.
      const total = (await rest.fetchJson(`/projects/${project.id}/${kind}?${query}`)).headers['x-total']
      if (total === undefined) return null
      count += Number(total)
    }
    return count
  },
})

const PER_PAGE = '100'

const GitLabCheckpoint = z.object({
  part: z.enum(['issues', 'merge_requests', 'files']),
  turn: ChangeCursor.nullable(),
})
type GitLabCheckpoint = z.infer<typeof GitLabCheckpoint>
const PARTS: readonly GitLabCheckpoint['part'][] = ['issues', 'merge_requests', 'files']

const instanceUrl = (credential: GitLabCredential | null): string =>
  parseBaseUrl(credential?.gitlab_url ?? 'https://gitlab.com', 'credential_json.gitlab_url')

/** https://docs.gitlab.com/api/rest/ */
const createGitLabRest = ({ fetch, credential }: GitLabContext): RestClient =>
  createRestClient(fetch, {
    base: `${instanceUrl(credential)}/api/v4`,
    label: 'GitLab',
    headers: credential === null ? {} : { 'private-token': credential.gitlab_access_token },
    tokenField: 'credential_json.gitlab_access_token',
    addressField: 'credential_json.gitlab_url',
  })

async function fetchProject(rest: RestClient, { project_owner, project_name }: GitLabConfig): Promise<GitLabProject> {
  const path = `${project_owner}/${project_name}`
  const answer = await nullIfStatus(rest.fetchJson(`/projects/${encodeURIComponent(path)}`), [404])
  if (answer === null) {
    const message = `Project ${path} does not exist or the token cannot access it (HTTP 404).`
    throw new SourceError('config', message, { field: 'connector_specific_config.project_name', status: 404 })
  }
  return validateAnswer(GitLabProject, answer.value)
}

const filterQuery = ({ state_filter }: GitLabConfig) => ({
  scope: 'all',
  state: state_filter === 'open' ? 'opened' : (state_filter ?? 'all'),
})

const enabledKinds = ({ include_issues, include_mrs }: GitLabConfig, project: GitLabProject): IssuableKind[] => [
  ...(include_issues !== false && project.issues_access_level !== 'disabled' ? (['issues'] as const) : []),
  ...(include_mrs !== false && project.merge_requests_access_level !== 'disabled' ? (['merge_requests'] as const) : []),
]

async function* load(context: GitLabContext): AsyncGenerator<ConnectorItem, void> {
  const { config, checkpoint, only, since } = context
  const rest = createGitLabRest(context)
  const project = await fetchProject(rest, config)
  const access = createGitLabAccess(rest, project)
  if (only !== null) {
    for (const id of only) yield* loadById(context, rest, { project, access, id })
    return
  }
  const resumed = GitLabCheckpoint.safeParse(checkpoint)
  const resumeAt: GitLabCheckpoint = resumed.success ? resumed.data : { part: 'issues', turn: null }
  for (const kind of enabledKinds(config, project)) {
    if (PARTS.indexOf(kind) < PARTS.indexOf(resumeAt.part)) continue
    const cursor = resumeAt.part === kind && resumeAt.turn !== null ? resumeAt.turn : { since, page: 1 }
    for await (const { items, next } of listIssuablePages(rest, config, { project, kind }, cursor)) {
      for (const it of items) yield await issuableItem(rest, it, { project, kind, access })
      if (next !== null) yield gitLabCheckpointItem({ part: kind, turn: next })
    }
    yield gitLabCheckpointItem({ part: kind === 'issues' ? 'merge_requests' : 'files', turn: null })
  }
  if (!readsFiles(config, project)) return
  for await (const file of listGitLabFiles(rest, project)) {
    yield await readGitLabFile(context, rest, { project, access }, file)
  }
}

const gitLabCheckpointItem = (checkpoint: GitLabCheckpoint): ConnectorItem => ({ type: 'checkpoint', checkpoint })

const readsFiles = ({ include_code_files }: GitLabConfig, { empty_repo, repository_access_level }: GitLabProject) =>
  include_code_files === true && empty_repo !== true && repository_access_level !== 'disabled'

/**
 * https://docs.gitlab.com/api/issues/#list-project-issues and
 * https://docs.gitlab.com/api/merge_requests/#list-project-merge-requests
 */
function listIssuablePages(
  rest: RestClient,
  config: GitLabConfig,
  { project, kind }: { project: GitLabProject; kind: IssuableKind },
  start: ChangeCursor,
) {
  return changedPages(start, async ({ since, page }) => {
    const query = new URLSearchParams({
      ...filterQuery(config),
      order_by: 'updated_at',
      sort: 'asc',
      per_page: PER_PAGE,
      page: String(page),
      ...(since !== null && { updated_after: toIsoTime(since) }),
    })
    const { value, next } = await rest.fetchJson(`/projects/${project.id}/${kind}?${query}`)
    return { items: validateAnswer(z.array(z.unknown()), value), hasMore: next !== null }
  })
}

async function* loadById(
  context: GitLabContext,
  rest: RestClient,
  { project, access, id }: { project: GitLabProject; access: GitLabAccess; id: string },
): AsyncGenerator<ConnectorItem> {
  const [, kind, iid] = /\/-\/(issues|work_items|merge_requests)\/(\d+)$/.exec(id) ?? []
  if (kind !== undefined) {
    const issuableKind = kind === 'merge_requests' ? kind : 'issues'
    const answer = await nullIfStatus(rest.fetchJson(`/projects/${project.id}/${issuableKind}/${iid}`), [404])
    if (answer !== null) yield await issuableItem(rest, answer.value, { project, kind: issuableKind, access })
    return
  }
  if (!readsFiles(context.config, project)) return
  for await (const file of listGitLabFiles(rest, project)) {
    if (file.id === id) yield await readGitLabFile(context, rest, { project, access }, file)
  }
}

interface ProjectClient {
  rest: RestClient
  project: GitLabProject
}

async function openProject(context: GitLabContext): Promise<ProjectClient> {
  const rest = createGitLabRest(context)
  return { rest, project: await fetchProject(rest, context.config) }
}

const ListedIssuables = z.array(Issuable.pick({ web_url: true, confidential: true }))

/** Lists every document id with the part of the project it belongs to. */
async function* listProjectDocuments(
  { config }: GitLabContext,
  { rest, project }: ProjectClient,
): AsyncGenerator<{ id: string; part: GitLabPart }> {
  for (const kind of enabledKinds(config, project)) {
    for await (const { items } of listIssuablePages(rest, config, { project, kind }, { since: null, page: 1 })) {
      for (const it of validateAnswer(ListedIssuables, items)) yield { id: it.web_url, part: partOfIssuable(it, kind) }
    }
  }
  if (!readsFiles(config, project)) return
  for await (const { id } of listGitLabFiles(rest, project)) yield { id, part: 'files' }
}

async function* access(context: GitLabContext): AsyncGenerator<{ id: string; external_access: ExternalAccess }, void> {
  const client = await openProject(context)
  const accessOf = createGitLabAccess(client.rest, client.project)
  for await (const { id, part } of listProjectDocuments(context, client))
    yield { id, external_access: await accessOf(part) }
}
