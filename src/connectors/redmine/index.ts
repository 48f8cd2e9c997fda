// Redmine connector: issues with notes and wiki pages, with their readers.
import { z } from 'zod'
import type { ExternalAccess } from '../../domain/access.ts'
import { nullish, wireArray, wireBoolean, wireString } from '../../wire/schemas.ts'
import { batchesOf } from '../batches.ts'
import { type ConnectorContext, type ConnectorItem, defineConnector, SourceError } from '../connector.ts'
import { SECRET, usually } from '../form-hints.ts'
import { createRedmineAccess, type ProjectReaders, type RedmineAccess } from './access.ts'
import {
  createRedmineClient,
  parseRedmineUrl,
  type RedmineClient,
  RedmineIssue,
  RedmineProject,
  type RedmineQuery,
  WikiIndex,
  WikiPage,
  type WikiPageHead,
} from './client.ts'
import { toRedmineIssueDocument, toRedminePageDocument } from './document.ts'

const RedmineConfig = z.object({
  base_url: wireString({ min: 1, max: 2_000 }).describe('The URL of the Redmine server.'),
  projects: nullish(wireArray(wireString({ min: 1, max: 200 }), { max: 10_000 })).describe(
    'Identifiers of the projects to read, including subprojects. Empty: all projects that the key can access.',
  ),
  include_issues: nullish(wireBoolean()).describe('Read issues. Default: true.').meta(usually(true)),
  include_wiki: nullish(wireBoolean()).describe('Read wiki pages. Default: true.').meta(usually(true)),
})
type RedmineConfig = z.infer<typeof RedmineConfig>

const RedmineCredential = z.object({
  redmine_api_key: wireString({ min: 1, max: 500 })
    .describe(
      "To synchronize permissions, use an administrator's key: only administrators may list roles. Redmine does not report roles that are restricted to some trackers.",
    )
    .meta(SECRET),
})
type RedmineCredential = z.infer<typeof RedmineCredential>

type RedmineContext = ConnectorContext<RedmineConfig, RedmineCredential>

export default defineConnector<RedmineConfig, RedmineCredential>({
  sources: ['redmine'],
  label: 'Redmine',
  description: 'Reads issues with notes and attachments, and wiki pages. Private notes are skipped.',
  egress: 'admin-target',
  config: RedmineConfig,
  credential: RedmineCredential,
  origins: ({ base_url }) => [new URL(parseRedmineUrl(base_url)).origin],
  isTestedWithRealSource: true,
  isCredentialOptional: true,
  hasAccess: true,
  check: async (context) => void (await listProjects(context, await openRedmineFor(context))),
  load,
  listIds,
  access,
})

const CurrentUser = z.object({ user: z.object({ id: z.number() }) })

async function openRedmineFor({ config, credential, fetch }: RedmineContext): Promise<RedmineClient> {
  const redmine = createRedmineClient(fetch, config.base_url, credential?.redmine_api_key ?? null)
  // Public projects are readable with any key, so an invalid key must be detected separately.
  if (credential !== null) await asConfigError(redmine.get('/users/current.json', [], CurrentUser))
  return redmine
}

/** An unexpected response means that the configured URL is wrong. */
async function asConfigError<T>(answer: Promise<T>): Promise<T> {
  const field = 'connector_specific_config.base_url'
  const found = await answer.catch((error: unknown) => {
    if (!(error instanceof SourceError) || error.kind !== 'unexpected') throw error
    throw new SourceError('config', `No Redmine found at this address: ${error.message}`, { field, cause: error })
  })
  if (found === null) throw new SourceError('config', 'No Redmine found at this address (HTTP 404).', { field })
  return found
}

async function listProjects({ config }: RedmineContext, redmine: RedmineClient): Promise<RedmineProject[]> {
  const all = await asConfigError(
    redmine.list('/projects.json', 'projects', RedmineProject, [['include', 'enabled_modules']]),
  )
  const sorted = all.toSorted((one, other) => one.id - other.id)
  if (config.projects === null || config.projects.length === 0) return sorted
  const ids = new Set<number>()
  for (const name of config.projects) {
    const project = all.find((it) => it.identifier === name.trim())
    if (project === undefined) {
      const message = `Project "${name}" does not exist or the key cannot access it.`
      throw new SourceError('config', message, { field: 'connector_specific_config.projects' })
    }
    ids.add(project.id)
  }
  for (let previousSize = 0; previousSize !== ids.size; ) {
    previousSize = ids.size
    for (const it of all) if (it.parent !== undefined && ids.has(it.parent.id)) ids.add(it.id)
  }
  return sorted.filter((it) => ids.has(it.id))
}

/** Older servers do not list a project's modules. */
const hasModule = ({ enabled_modules }: RedmineProject, name: string): boolean =>
  enabled_modules === undefined || enabled_modules.some((it) => it.name === name)
const hasIssues = (config: RedmineConfig, project: RedmineProject) =>
  config.include_issues !== false && hasModule(project, 'issue_tracking')
const hasWiki = (config: RedmineConfig, project: RedmineProject) =>
  config.include_wiki !== false && hasModule(project, 'wiki')

const issueId = ({ base }: RedmineClient, id: number): string => `${base}/issues/${id}`
const pageId = ({ base }: RedmineClient, { identifier }: RedmineProject, title: string): string =>
  `${base}/projects/${identifier}/wiki/${encodeURIComponent(title)}`

async function* listIds(context: RedmineContext): AsyncGenerator<string, void> {
  const redmine = await openRedmineFor(context)
  for (const project of await listProjects(context, redmine)) {
    if (hasIssues(context.config, project)) {
      for await (const { issues } of listIssueBatches(redmine, project, null, 0)) {
        for (const { id } of issues) yield issueId(redmine, id)
      }
    }
    if (!hasWiki(context.config, project)) continue
    for (const { title } of await listWikiPages(redmine, project)) yield pageId(redmine, project, title)
  }
}

async function* access(context: RedmineContext): AsyncGenerator<{ id: string; external_access: ExternalAccess }, void> {
  const redmine = await openRedmineFor(context)
  const redmineAccess = await createRedmineAccess(redmine)
  for (const project of await listProjects(context, redmine)) {
    const readers = await redmineAccess.readersOf(project)
    if (readers === null) throw adminKeyNeeded
    if (hasIssues(context.config, project)) {
      for await (const { issues } of listIssueBatches(redmine, project, null, 0)) {
        const publicIssues = await findPublicIssues({ redmine, readers }, issues)
        for (const it of issues) {
          yield {
            id: issueId(redmine, it.id),
            external_access: redmineExternalAccess(readers.issue(it), publicIssues.has(it.id)),
          }
        }
      }
    }
    if (!hasWiki(context.config, project)) continue
    const external_access = redmineExternalAccess(readers.wiki, readers.isPublic.wiki)
    for (const { title } of await listWikiPages(redmine, project)) {
      yield { id: pageId(redmine, project, title), external_access }
    }
  }
}

const adminKeyNeeded = new SourceError('credential', "Synchronizing permissions requires an administrator's key.", {
  field: 'credential_json.redmine_api_key',
})

const Issues = z.object({ issues: z.array(RedmineIssue) })
const PAGE = 100

const issueFilter = (name: string, operator: string, value?: string): RedmineQuery => [
  ['f[]', name],
  [`op[${name}]`, operator],
  ...(value === undefined ? [] : ([[`v[${name}][]`, value]] as const)),
]

/** Pages by issue number instead of offset, so concurrent changes shift nothing. */
async function* listIssueBatches(
  redmine: RedmineClient,
  project: RedmineProject,
  since: number | null,
  after: number,
): AsyncGenerator<{ issues: RedmineIssue[]; last: number }> {
  for (let last = after; ; ) {
    const when = since === null ? [] : issueFilter('updated_on', '>=', `${new Date(since).toISOString().slice(0, 19)}Z`)
    const answer = await redmine.get(
      '/issues.json',
      [
        ...issueFilter('project_id', '=', `${project.id}`),
        ...issueFilter('status_id', '*'),
        ...issueFilter('issue_id', '>=', `${last + 1}`),
        ...when,
        ['sort', 'id'],
        ['limit', `${PAGE}`],
      ],
      Issues,
    )
    const issues = answer?.issues ?? []
    if (issues.some((it) => it.id <= last || it.project.id !== project.id)) {
      throw new SourceError('unexpected', 'This Redmine version is too old: it cannot filter issues by number.')
    }
    const newest = issues.at(-1)
    if (newest === undefined) return
    last = newest.id
    yield { issues, last }
    if (issues.length < PAGE) return
  }
}

async function listWikiPages(redmine: RedmineClient, { identifier }: RedmineProject): Promise<WikiPageHead[]> {
  const index = await redmine.get(`/projects/${identifier}/wiki/index.json`, [], WikiIndex)
  // A wiki without pages may answer 404.
  return (index?.wiki_pages ?? []).toSorted((one, other) => (one.title < other.title ? -1 : 1))
}

/** `issue` is the last issue read, null after the last one. `page` is the last wiki page read. */
const RedmineCheckpoint = z.object({ project: z.number(), issue: z.number().nullable(), page: z.string() })
type RedmineCheckpoint = z.infer<typeof RedmineCheckpoint>

interface RedmineRun {
  context: RedmineContext
  redmine: RedmineClient
  access: RedmineAccess
  project: RedmineProject
  readers: ProjectReaders | null
}

async function* load(context: RedmineContext): AsyncGenerator<ConnectorItem, void> {
  const redmine = await openRedmineFor(context)
  const access = await createRedmineAccess(redmine)
  const resumed = context.checkpoint === null ? null : RedmineCheckpoint.parse(context.checkpoint)
  for (const project of await listProjects(context, redmine)) {
    if (resumed !== null && project.id < resumed.project) continue
    const run = { context, redmine, access, project, readers: await access.readersOf(project) }
    const position = resumed?.project === project.id ? resumed : { issue: 0, page: '' }
    if (hasIssues(context.config, project) && position.issue !== null) {
      const since = context.since === null ? null : context.since - OVERLAP_MS
      for await (const { issues, last } of listIssueBatches(redmine, project, since, position.issue)) {
        yield* readIssues(run, issues)
        yield { type: 'checkpoint', checkpoint: toCheckpoint(project, last) }
      }
    }
    if (hasWiki(context.config, project)) yield* readWiki(run, position.page)
  }
}

/** Allows for clock skew. */
const OVERLAP_MS = 600_000

const toCheckpoint = ({ id }: RedmineProject, issue: number | null, page = ''): RedmineCheckpoint => ({
  project: id,
  issue,
  page,
})

const CONCURRENT_READS = 4

async function* readIssues(run: RedmineRun, issues: readonly RedmineIssue[]): AsyncGenerator<ConnectorItem> {
  const { context, redmine } = run
  const wanted = issues.filter((it) => context.only === null || context.only.includes(issueId(redmine, it.id)))
  const publicIssues = await findPublicIssues(run, wanted)
  for (let at = 0; at < wanted.length; at += CONCURRENT_READS) {
    const together = wanted.slice(at, at + CONCURRENT_READS)
    for (const item of await Promise.all(together.map((it) => readIssue(run, it, publicIssues))))
      if (item !== null) yield item
  }
}

/** Which of these issues anonymous users can see. */
async function findPublicIssues(
  { redmine, readers }: Pick<RedmineRun, 'redmine' | 'readers'>,
  issues: readonly RedmineIssue[],
): Promise<ReadonlySet<number>> {
  if (readers?.isPublic.issues !== true || issues.length === 0) return new Set()
  const ids = issues.map((it) => it.id).join(',')
  const query = [...issueFilter('issue_id', '=', ids), ...issueFilter('status_id', '*'), ['limit', `${PAGE}`]] as const
  const found = await redmine.getAnonymously('/issues.json', query, Issues)
  const requested = new Set(issues.map((it) => it.id))
  return new Set(found?.issues.map((it) => it.id).filter((it) => requested.has(it)))
}

const redmineExternalAccess = (emails: readonly string[], is_public: boolean): ExternalAccess => ({
  is_public,
  external_user_emails: [...new Set(emails)].slice(0, 10_000),
  external_user_group_ids: [],
})

const IssueDetail = z.object({ issue: RedmineIssue })

async function readIssue(
  run: RedmineRun,
  listed: RedmineIssue,
  publicIssues: ReadonlySet<number>,
): Promise<ConnectorItem | null> {
  const { context, redmine, readers } = run
  const id = issueId(redmine, listed.id)
  if ((await context.recall(id)) === listed.updated_on) return { type: 'unchanged', id }
  return await asFailureItem(context, id, async () => {
    const found = await redmine.get(`/issues/${listed.id}.json`, [['include', 'journals,attachments']], IssueDetail)
    if (found === null) return null
    const { issue } = found
    const external_access =
      readers === null ? null : redmineExternalAccess(readers.issue(issue), publicIssues.has(issue.id))
    const document = { ...(await toRedmineIssueDocument(run, id, issue)), external_access }
    const note = { key: id, value: issue.updated_on }
    return { type: 'document', document, ...(isSafeToRemember(context, issue.updated_on) && { note }) }
  })
}

const SETTLED_MS = 60_000

/**
 * Redmine's timestamps have a resolution of one second, so a very recent issue may change again with the same
 * timestamp.
 */
const isSafeToRemember = ({ until }: RedmineContext, updatedOn: string): boolean =>
  Date.parse(updatedOn) < until - SETTLED_MS

/** Errors of a single item become failure items. An unreachable source or a rejected key ends the run. */
async function asFailureItem(
  context: RedmineContext,
  id: string,
  read: () => Promise<ConnectorItem | null>,
): Promise<ConnectorItem | null> {
  try {
    return await read()
  } catch (error) {
    context.signal.throwIfAborted()
    const isOfThis = error instanceof SourceError && (error.kind === 'unexpected' || error.status === 403)
    if (!isOfThis) throw error
    return { type: 'failure', document_id: id, link: id, stage: 'fetch', message: error.message }
  }
}

async function* readWiki(run: RedmineRun, after: string): AsyncGenerator<ConnectorItem> {
  const { context, redmine, project } = run
  let pages: WikiPageHead[] = []
  try {
    pages = await listWikiPages(redmine, project)
  } catch (error) {
    if (!(error instanceof SourceError) || error.status !== 403) throw error
    const link = `${redmine.base}/projects/${project.identifier}/wiki`
    yield { type: 'failure', document_id: null, entity_id: link, link, stage: 'list', message: error.message }
  }
  const wanted = pages.filter(
    ({ title }) => title > after && (context.only === null || context.only.includes(pageId(redmine, project, title))),
  )
  for (const { batch, last } of batchesOf(wanted, CONCURRENT_READS)) {
    for (const item of await Promise.all(batch.map((it) => readWikiPage(run, it)))) if (item !== null) yield item
    yield { type: 'checkpoint', checkpoint: toCheckpoint(project, null, last.title) }
  }
}

async function readWikiPage(run: RedmineRun, { title, version }: WikiPageHead): Promise<ConnectorItem | null> {
  const { context, redmine, project, readers } = run
  const id = pageId(redmine, project, title)
  if ((await context.recall(id)) === `${version}`) return { type: 'unchanged', id }
  return await asFailureItem(context, id, async () => {
    const path = `/projects/${project.identifier}/wiki/${encodeURIComponent(title)}.json`
    const found = await redmine.get(path, [['include', 'attachments']], WikiPage)
    if (found === null) return null
    const page = found.wiki_page
    const external_access = readers === null ? null : redmineExternalAccess(readers.wiki, readers.isPublic.wiki)
    const document = { ...(await toRedminePageDocument(run, id, page)), external_access }
    return { type: 'document', document, note: { key: id, value: `${page.version}` } }
  })
}
