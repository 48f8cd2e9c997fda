// Issues, merge requests and files of a project on GitLab, of the vendor or self-managed.
import { z } from 'zod'
import type { ExternalAccess } from '../domain/access.ts'
import { nullish, wireBoolean, wireEnum, wireString } from '../domain/wire.ts'
import { changedPages, isoOf, Turn } from './changed-pages.ts'
import { connector, type Item, type Pull, SourceError } from './connector.ts'
import { openProjectAccess, type Part, Project, type ProjectAccess } from './gitlab-access.ts'
import { listProjectFiles, readProjectFile } from './gitlab-files.ts'
import { itemOfThread, type Kind, partOf, Thread } from './gitlab-thread.ts'
import { parsed } from './json-answer.ts'
import { addressOf, openRest, orNull, type Rest } from './source-rest.ts'

const Config = z.object({
  project_owner: wireString({ min: 1, max: 1_000 }).describe('The user or group of the project, with those above it.'),
  project_name: wireString({ min: 1, max: 1_000 }).describe('As it stands in its address.'),
  state_filter: nullish(wireEnum(['all', 'open', 'opened', 'closed'], { caseInsensitive: true })).describe(
    'Only what is open, or closed; `all`, if it is not said.',
  ),
  include_mrs: nullish(wireBoolean()).describe('Merge requests with their comments; yes, if it is not said.'),
  include_issues: nullish(wireBoolean()).describe('Issues with their comments; yes, if it is not said.'),
  include_code_files: nullish(wireBoolean()).describe('The files of the default branch; no, if it is not said.'),
})
type Config = z.infer<typeof Config>

const Credential = z.object({
  gitlab_url: nullish(wireString({ min: 1, max: 2_000 })).describe('https://gitlab.com, if it is not said.'),
  gitlab_access_token: wireString({ min: 1, max: 10_000 }),
})
type Credential = z.infer<typeof Credential>

type GitLabPull = Pull<Config, Credential>

export default connector<Config, Credential>({
  sources: ['gitlab'],
  label: 'GitLab',
  description: 'Reads issues, merge requests and files of a project on GitLab.',
  config: Config,
  credential: Credential,
  isCredentialOptional: true,
  hasAccess: true,
  async check(pull) {
    await projectOf(restOf(pull), pull.config)
  },
  load,
  async *listIds(pull) {
    for await (const { id } of listed(pull, await placeOf(pull))) yield id
  },
  access,
  async count({ config, ...pull }) {
    if (config.include_code_files === true) return null
    const rest = restOf({ config, ...pull })
    const project = await projectOf(rest, config)
    let count = 0
    for (const kind of kindsOf(config, project)) {
      const query = new URLSearchParams({ ...queryOf(config), per_page: '1' })
      // Where there are very many it does not say.
      const total = (await rest.ask(`/projects/${project.id}/${kind}?${query}`)).headers['x-total']
      if (total === undefined) return null
      count += Number(total)
    }
    return count
  },
})

const PER_PAGE = '100'

const Checkpoint = z.object({ part: z.enum(['issues', 'merge_requests', 'files']), turn: Turn.nullable() })
type Checkpoint = z.infer<typeof Checkpoint>
const PARTS: readonly Checkpoint['part'][] = ['issues', 'merge_requests', 'files']

/** https://docs.gitlab.com/api/rest/ */
const restOf = ({ fetch, credential }: GitLabPull): Rest =>
  openRest(fetch, {
    base: `${addressOf(credential?.gitlab_url ?? 'https://gitlab.com', 'credential_json.gitlab_url')}/api/v4`,
    label: 'GitLab',
    headers: credential === null ? {} : { 'private-token': credential.gitlab_access_token },
    tokenField: 'credential_json.gitlab_access_token',
    addressField: 'credential_json.gitlab_url',
  })

async function projectOf(rest: Rest, { project_owner, project_name }: Config): Promise<Project> {
  const path = `${project_owner}/${project_name}`
  const answer = await orNull(rest.ask(`/projects/${encodeURIComponent(path)}`), [404])
  if (answer === null) {
    const message = `There is no project ${path} that the token may see (HTTP 404).`
    throw new SourceError('config', message, { field: 'connector_specific_config.project_name', status: 404 })
  }
  return parsed(Project, answer.value)
}

const queryOf = ({ state_filter }: Config) => ({
  scope: 'all',
  state: state_filter === 'open' ? 'opened' : (state_filter ?? 'all'),
})

const kindsOf = ({ include_issues, include_mrs }: Config, project: Project): Kind[] => [
  ...(include_issues !== false && project.issues_access_level !== 'disabled' ? (['issues'] as const) : []),
  ...(include_mrs !== false && project.merge_requests_access_level !== 'disabled' ? (['merge_requests'] as const) : []),
]

async function* load(pull: GitLabPull): AsyncGenerator<Item, void> {
  const { config, checkpoint, only, since } = pull
  const rest = restOf(pull)
  const project = await projectOf(rest, config)
  const access = openProjectAccess(rest, project)
  if (only !== null) {
    for (const id of only) yield* loadNamed(pull, rest, { project, access, id })
    return
  }
  const left = Checkpoint.safeParse(checkpoint)
  const at: Checkpoint = left.success ? left.data : { part: 'issues', turn: null }
  for (const kind of kindsOf(config, project)) {
    if (PARTS.indexOf(kind) < PARTS.indexOf(at.part)) continue
    const turn = at.part === kind && at.turn !== null ? at.turn : { since, page: 1 }
    for await (const { items, next } of threadPages(rest, config, { project, kind }, turn)) {
      for (const it of items) yield await itemOfThread(rest, it, { project, kind, access })
      if (next !== null) yield checkpointOf({ part: kind, turn: next })
    }
    yield checkpointOf({ part: kind === 'issues' ? 'merge_requests' : 'files', turn: null })
  }
  if (!hasFiles(config, project)) return
  for await (const file of listProjectFiles(rest, project)) {
    yield await readProjectFile(pull, rest, { project, access }, file)
  }
}

const checkpointOf = (checkpoint: Checkpoint): Item => ({ type: 'checkpoint', checkpoint })

const hasFiles = ({ include_code_files }: Config, { empty_repo, repository_access_level }: Project) =>
  include_code_files === true && empty_repo !== true && repository_access_level !== 'disabled'

/** https://docs.gitlab.com/api/issues/#list-project-issues and https://docs.gitlab.com/api/merge_requests/#list-project-merge-requests */
function threadPages(rest: Rest, config: Config, { project, kind }: { project: Project; kind: Kind }, begin: Turn) {
  return changedPages(begin, async ({ since, page }) => {
    const query = new URLSearchParams({
      ...queryOf(config),
      order_by: 'updated_at',
      sort: 'asc',
      per_page: PER_PAGE,
      page: String(page),
      ...(since !== null && { updated_after: isoOf(since) }),
    })
    const { value, next } = await rest.ask(`/projects/${project.id}/${kind}?${query}`)
    return { items: parsed(z.array(z.unknown()), value), hasMore: next !== null }
  })
}

async function* loadNamed(
  pull: GitLabPull,
  rest: Rest,
  { project, access, id }: { project: Project; access: ProjectAccess; id: string },
): AsyncGenerator<Item> {
  const [, kind, iid] = /\/-\/(issues|work_items|merge_requests)\/(\d+)$/.exec(id) ?? []
  if (kind !== undefined) {
    const own = kind === 'merge_requests' ? kind : 'issues'
    const answer = await orNull(rest.ask(`/projects/${project.id}/${own}/${iid}`), [404])
    if (answer !== null) yield await itemOfThread(rest, answer.value, { project, kind: own, access })
    return
  }
  if (!hasFiles(pull.config, project)) return
  for await (const file of listProjectFiles(rest, project)) {
    if (file.id === id) yield await readProjectFile(pull, rest, { project, access }, file)
  }
}

interface Place {
  rest: Rest
  project: Project
}

async function placeOf(pull: GitLabPull): Promise<Place> {
  const rest = restOf(pull)
  return { rest, project: await projectOf(rest, pull.config) }
}

const Threads = z.array(Thread.pick({ web_url: true, confidential: true }))

/** Everything there is, and of which part of the project it is. */
async function* listed({ config }: GitLabPull, { rest, project }: Place): AsyncGenerator<{ id: string; part: Part }> {
  for (const kind of kindsOf(config, project)) {
    for await (const { items } of threadPages(rest, config, { project, kind }, { since: null, page: 1 })) {
      for (const it of parsed(Threads, items)) yield { id: it.web_url, part: partOf(it, kind) }
    }
  }
  if (!hasFiles(config, project)) return
  for await (const { id } of listProjectFiles(rest, project)) yield { id, part: 'files' }
}

async function* access(pull: GitLabPull): AsyncGenerator<{ id: string; external_access: ExternalAccess }, void> {
  const place = await placeOf(pull)
  const accessOf = openProjectAccess(place.rest, place.project)
  for await (const { id, part } of listed(pull, place)) yield { id, external_access: await accessOf(part) }
}
