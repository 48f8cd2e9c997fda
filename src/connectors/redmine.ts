// Issues with their notes, and the pages of wikis, with who may read them.
import { z } from 'zod'
import type { ExternalAccess } from '../domain/access.ts'
import { nullish, wireArray, wireBoolean, wireString } from '../domain/wire.ts'
import { connector, type Item, type Pull, SourceError } from './connector.ts'
import { openAccess, type Readers, type RedmineAccess } from './redmine-access.ts'
import {
  Issue,
  openRedmine,
  type PageHead,
  Project,
  type Query,
  type Redmine,
  WikiIndex,
  WikiPage,
} from './redmine-api.ts'
import { issueDocument, pageDocument } from './redmine-document.ts'

const Config = z.object({
  base_url: wireString({ min: 1, max: 2_000 }).describe('Where Redmine is.'),
  projects: nullish(wireArray(wireString({ min: 1, max: 200 }), { max: 10_000 })).describe(
    'Only these, by their identifiers, and those below them. None: all that the key may see.',
  ),
  include_issues: nullish(wireBoolean()).describe('Yes, if it is not said.'),
  include_wiki: nullish(wireBoolean()).describe('Yes, if it is not said.'),
})
type Config = z.infer<typeof Config>

const Credential = z.object({
  redmine_api_key: wireString({ min: 1, max: 500 }).describe(
    'Of an administrator where permissions are to be taken over: nobody else may see who has which role. Roles that see only some trackers are not told by Redmine.',
  ),
})
type Credential = z.infer<typeof Credential>

type RedminePull = Pull<Config, Credential>

export default connector<Config, Credential>({
  sources: ['redmine'],
  label: 'Redmine',
  description: 'Reads issues with their notes and attachments, and wikis. Private notes are left out.',
  config: Config,
  credential: Credential,
  isCredentialOptional: true,
  hasAccess: true,
  check: async (pull) => void (await projectsOf(pull, await open(pull))),
  load,
  listIds,
  access,
})

const CurrentUser = z.object({ user: z.object({ id: z.number() }) })

async function open({ config, credential, fetch }: RedminePull): Promise<Redmine> {
  const redmine = openRedmine(fetch, config.base_url, credential?.redmine_api_key ?? null)
  // Projects that are open are shown with any key, also with a wrong one.
  if (credential !== null) await named(redmine.find('/users/current.json', [], CurrentUser))
  return redmine
}

/** An address that answers something else is wrong, and not its answer. */
async function named<T>(answer: Promise<T>): Promise<T> {
  const field = 'connector_specific_config.base_url'
  const found = await answer.catch((error: unknown) => {
    if (!(error instanceof SourceError) || error.fault !== 'unexpected') throw error
    throw new SourceError('config', `No Redmine answers there: ${error.message}`, { field, cause: error })
  })
  if (found === null) throw new SourceError('config', 'No Redmine answers there (HTTP 404).', { field })
  return found
}

async function projectsOf({ config }: RedminePull, redmine: Redmine): Promise<Project[]> {
  const all = await named(redmine.all('/projects.json', 'projects', Project, [['include', 'enabled_modules']]))
  const sorted = all.toSorted((one, other) => one.id - other.id)
  if (config.projects === null || config.projects.length === 0) return sorted
  const ids = new Set<number>()
  for (const name of config.projects) {
    const project = all.find((it) => it.identifier === name.trim())
    if (project === undefined) {
      const message = `There is no project "${name}", or the key may not see it.`
      throw new SourceError('config', message, { field: 'connector_specific_config.projects' })
    }
    ids.add(project.id)
  }
  for (let before = 0; before !== ids.size; ) {
    before = ids.size
    for (const it of all) if (it.parent !== undefined && ids.has(it.parent.id)) ids.add(it.id)
  }
  return sorted.filter((it) => ids.has(it.id))
}

/** Older ones do not say which modules a project has. */
const hasModule = ({ enabled_modules }: Project, name: string): boolean =>
  enabled_modules === undefined || enabled_modules.some((it) => it.name === name)
const hasIssues = (config: Config, project: Project) =>
  config.include_issues !== false && hasModule(project, 'issue_tracking')
const hasWiki = (config: Config, project: Project) => config.include_wiki !== false && hasModule(project, 'wiki')

const issueId = ({ base }: Redmine, id: number): string => `${base}/issues/${id}`
const pageId = ({ base }: Redmine, { identifier }: Project, title: string): string =>
  `${base}/projects/${identifier}/wiki/${encodeURIComponent(title)}`

async function* listIds(pull: RedminePull): AsyncGenerator<string, void> {
  const redmine = await open(pull)
  for (const project of await projectsOf(pull, redmine)) {
    if (hasIssues(pull.config, project)) {
      for await (const issues of issueBatches(redmine, project, null, 0)) {
        for (const { id } of issues) yield issueId(redmine, id)
      }
    }
    if (!hasWiki(pull.config, project)) continue
    for (const { title } of await pagesOf(redmine, project)) yield pageId(redmine, project, title)
  }
}

async function* access(pull: RedminePull): AsyncGenerator<{ id: string; external_access: ExternalAccess }, void> {
  const redmine = await open(pull)
  const people = await openAccess(redmine)
  for (const project of await projectsOf(pull, redmine)) {
    const readers = await people.readersOf(project)
    if (readers === null) throw unknownPeople
    if (hasIssues(pull.config, project)) {
      for await (const issues of issueBatches(redmine, project, null, 0)) {
        const open = await openIssues({ redmine, readers }, issues)
        for (const it of issues) {
          yield { id: issueId(redmine, it.id), external_access: accessOf(readers.issue(it), open.has(it.id)) }
        }
      }
    }
    if (!hasWiki(pull.config, project)) continue
    const external_access = accessOf(readers.wiki, readers.isOpen.wiki)
    for (const { title } of await pagesOf(redmine, project)) {
      yield { id: pageId(redmine, project, title), external_access }
    }
  }
}

const unknownPeople = new SourceError('credential', 'Only the key of an administrator may see who may read what.', {
  field: 'credential_json.redmine_api_key',
})

const Issues = z.object({ issues: z.array(Issue) })
const PAGE = 100

const filter = (name: string, operator: string, value?: string): Query => [
  ['f[]', name],
  [`op[${name}]`, operator],
  ...(value === undefined ? [] : ([[`v[${name}][]`, value]] as const)),
]

/** By number and not by place: what comes, goes or changes meanwhile moves nothing. */
async function* issueBatches(
  redmine: Redmine,
  project: Project,
  since: number | null,
  after: number,
): AsyncGenerator<Issue[]> {
  for (let last = after; ; ) {
    const when = since === null ? [] : filter('updated_on', '>=', `${new Date(since).toISOString().slice(0, 19)}Z`)
    const answer = await redmine.find(
      '/issues.json',
      [
        ...filter('project_id', '=', `${project.id}`),
        ...filter('status_id', '*'),
        ...filter('issue_id', '>=', `${last + 1}`),
        ...when,
        ['sort', 'id'],
        ['limit', `${PAGE}`],
      ],
      Issues,
    )
    const issues = answer?.issues ?? []
    if (issues.some((it) => it.id <= last || it.project.id !== project.id)) {
      throw new SourceError('unexpected', 'This Redmine is too old: it does not filter issues by their numbers.')
    }
    if (issues.length > 0) yield issues
    if (issues.length < PAGE) return
    last = issues.at(-1)!.id
  }
}

async function pagesOf(redmine: Redmine, { identifier }: Project): Promise<PageHead[]> {
  const index = await redmine.find(`/projects/${identifier}/wiki/index.json`, [], WikiIndex)
  // A wiki without a page may be none.
  return (index?.wiki_pages ?? []).toSorted((one, other) => (one.title < other.title ? -1 : 1))
}

/** `issue`: up to this one they are read; null: all of the project. `page` as well. */
const Checkpoint = z.object({ project: z.number(), issue: z.number().nullable(), page: z.string() })
type Checkpoint = z.infer<typeof Checkpoint>

interface Reading {
  pull: RedminePull
  redmine: Redmine
  access: RedmineAccess
  project: Project
  readers: Readers | null
}

async function* load(pull: RedminePull): AsyncGenerator<Item, void> {
  const redmine = await open(pull)
  const access = await openAccess(redmine)
  const left = pull.checkpoint === null ? null : Checkpoint.parse(pull.checkpoint)
  for (const project of await projectsOf(pull, redmine)) {
    if (left !== null && project.id < left.project) continue
    const reading = { pull, redmine, access, project, readers: await access.readersOf(project) }
    const at = left?.project === project.id ? left : { issue: 0, page: '' }
    if (hasIssues(pull.config, project) && at.issue !== null) {
      const since = pull.since === null ? null : pull.since - OVERLAP_MS
      for await (const issues of issueBatches(redmine, project, since, at.issue)) {
        yield* readIssues(reading, issues)
        yield { type: 'checkpoint', checkpoint: checkpointOf(project, issues.at(-1)!.id) }
      }
    }
    if (hasWiki(pull.config, project)) yield* readWiki(reading, at.page)
  }
}

/** Clocks differ. */
const OVERLAP_MS = 600_000

const checkpointOf = ({ id }: Project, issue: number | null, page = ''): Checkpoint => ({ project: id, issue, page })

const TOGETHER = 4

async function* readIssues(reading: Reading, issues: readonly Issue[]): AsyncGenerator<Item> {
  const { pull, redmine } = reading
  const wanted = issues.filter((it) => pull.only === null || pull.only.includes(issueId(redmine, it.id)))
  const open = await openIssues(reading, wanted)
  for (let at = 0; at < wanted.length; at += TOGETHER) {
    const together = wanted.slice(at, at + TOGETHER)
    for (const item of await Promise.all(together.map((it) => readIssue(reading, it, open))))
      if (item !== null) yield item
  }
}

/** Those that anybody sees who has not signed in. */
async function openIssues(
  { redmine, readers }: Pick<Reading, 'redmine' | 'readers'>,
  issues: readonly Issue[],
): Promise<ReadonlySet<number>> {
  if (readers?.isOpen.issues !== true || issues.length === 0) return new Set()
  const ids = issues.map((it) => it.id).join(',')
  const query = [...filter('issue_id', '=', ids), ...filter('status_id', '*'), ['limit', `${PAGE}`]] as const
  const found = await redmine.findOpen('/issues.json', query, Issues)
  const asked = new Set(issues.map((it) => it.id))
  return new Set(found?.issues.map((it) => it.id).filter((it) => asked.has(it)))
}

const accessOf = (emails: readonly string[], is_public: boolean): ExternalAccess => ({
  is_public,
  external_user_emails: [...new Set(emails)].slice(0, 10_000),
  external_user_group_ids: [],
})

const Detail = z.object({ issue: Issue })

async function readIssue(reading: Reading, listed: Issue, open: ReadonlySet<number>): Promise<Item | null> {
  const { pull, redmine, readers } = reading
  const id = issueId(redmine, listed.id)
  if ((await pull.recall(id)) === listed.updated_on) return { type: 'unchanged', id }
  return await reported(pull, id, async () => {
    const found = await redmine.find(`/issues/${listed.id}.json`, [['include', 'journals,attachments']], Detail)
    if (found === null) return null
    const { issue } = found
    const external_access = readers === null ? null : accessOf(readers.issue(issue), open.has(issue.id))
    const document = { ...(await issueDocument(reading, id, issue)), external_access }
    const note = { key: id, value: issue.updated_on }
    return { type: 'document', document, ...(isSettled(pull, issue.updated_on) && { note }) }
  })
}

const SETTLED_MS = 60_000

/** Times are told in seconds: what is so fresh may change once more within its second, so it is read again. */
const isSettled = ({ until }: RedminePull, updatedOn: string): boolean => Date.parse(updatedOn) < until - SETTLED_MS

/** What is wrong with one does not end the run; a source that is gone does, or one that accepts the key no more. */
async function reported(pull: RedminePull, id: string, read: () => Promise<Item | null>): Promise<Item | null> {
  try {
    return await read()
  } catch (error) {
    pull.signal.throwIfAborted()
    const isOfThis = error instanceof SourceError && (error.fault === 'unexpected' || error.status === 403)
    if (!isOfThis) throw error
    return { type: 'failure', document_id: id, link: id, stage: 'fetch', message: error.message }
  }
}

async function* readWiki(reading: Reading, after: string): AsyncGenerator<Item> {
  const { pull, redmine, project } = reading
  let pages: PageHead[] = []
  try {
    pages = await pagesOf(redmine, project)
  } catch (error) {
    if (!(error instanceof SourceError) || error.status !== 403) throw error
    const link = `${redmine.base}/projects/${project.identifier}/wiki`
    yield { type: 'failure', document_id: null, entity_id: link, link, stage: 'list', message: error.message }
  }
  const wanted = pages.filter(
    ({ title }) => title > after && (pull.only === null || pull.only.includes(pageId(redmine, project, title))),
  )
  for (let at = 0; at < wanted.length; at += TOGETHER) {
    const together = wanted.slice(at, at + TOGETHER)
    for (const item of await Promise.all(together.map((it) => readWikiPage(reading, it)))) if (item !== null) yield item
    yield { type: 'checkpoint', checkpoint: checkpointOf(project, null, together.at(-1)!.title) }
  }
}

async function readWikiPage(reading: Reading, { title, version }: PageHead): Promise<Item | null> {
  const { pull, redmine, project, readers } = reading
  const id = pageId(redmine, project, title)
  if ((await pull.recall(id)) === `${version}`) return { type: 'unchanged', id }
  return await reported(pull, id, async () => {
    const path = `/projects/${project.identifier}/wiki/${encodeURIComponent(title)}.json`
    const found = await redmine.find(path, [['include', 'attachments']], WikiPage)
    if (found === null) return null
    const page = found.wiki_page
    const external_access = readers === null ? null : accessOf(readers.wiki, readers.isOpen.wiki)
    const document = { ...(await pageDocument(reading, id, page)), external_access }
    return { type: 'document', document, note: { key: id, value: `${page.version}` } }
  })
}
