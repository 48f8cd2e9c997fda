// Issues of a Jira tracker with their comments: the cloud's, or a server's of its own.
import { z } from 'zod'
import type { ExternalAccess } from '../domain/access.ts'
import { DAY_MS } from '../domain/date-time.ts'
import { nullish, wireArray, wireBoolean, wireInteger, wireString } from '../domain/wire.ts'
import { connector, type Item, type Pull, SourceError, type SourceGroup } from './connector.ts'
import { parsed } from './json-answer.ts'
import { groupsOfProjects, openIssueAccess } from './ticket-tracker-access.ts'
import { openTracker, type Tracker, TrackerRefusal } from './ticket-tracker-api.ts'
import { documentIdOf, Issue, itemOf, type Mapping } from './ticket-tracker-issue.ts'
import { type Page, pagesOfCloud, pagesOfNamed } from './ticket-tracker-pages.ts'
import { pagesOfServer } from './ticket-tracker-server-pages.ts'

const texts = nullish(wireArray(wireString({ max: 1_000 }), { max: 10_000 }))
const address = nullish(wireString({ min: 1, max: 2_000 }))

const Config = z
  .object({
    tracker_base_url: address.describe('The address of the tracker, as it is called in a browser.'),
    jira_base_url: address.describe('The same, under its other name.'),
    project_key: nullish(wireString({ max: 1_000 })).describe('Only this project; none: all of them.'),
    jql_query: nullish(wireString({ max: 10_000 })).describe(
      'Only the issues that this query of the tracker finds; it comes before `project_key`.',
    ),
    comment_email_blacklist: texts.describe('Comments of these addresses are left out.'),
    labels_to_skip: texts.describe('Issues with one of these labels are left out.'),
    scoped_token: nullish(wireBoolean()).describe('Whether the token of the cloud has scopes.'),
    batch_size: nullish(wireInteger({ min: 1 })).describe('Taken and not needed: how many are kept at once is known.'),
  })
  .refine((it) => it.tracker_base_url !== null || it.jira_base_url !== null, {
    path: ['tracker_base_url'],
    message: 'Field required',
  })
type Config = z.infer<typeof Config>

const Credential = z.object({
  jira_api_token: wireString({ min: 1, max: 10_000 }),
  jira_user_email: wireString({ min: 1, max: 500 })
    .nullable()
    .optional()
    .describe('Whose token it is in the cloud. Left out: the token is a personal one of a server or data center.'),
})
type Credential = z.infer<typeof Credential>

type TrackerPull = Pull<Config, Credential>

export default connector<Config, Credential>({
  sources: ['ticket_tracker', 'jira'],
  label: 'Ticket tracker (Jira)',
  description: 'Reads the issues of a Jira cloud, server or data center, with their comments.',
  config: Config,
  credential: Credential,
  isCredentialOptional: true,
  hasAccess: true,
  check,
  load,
  listIds,
  access,
  groups,
  async count(pull) {
    const tracker = await trackerOf(pull)
    try {
      return await tracker.count(scopeOf(pull.config) || 'updated >= 0')
    } catch (error) {
      // Older ones do not count.
      if (error instanceof TrackerRefusal) return null
      throw error
    }
  },
})

const trackerOf = ({ fetch, config, credential }: TrackerPull): Promise<Tracker> =>
  openTracker(fetch, {
    address: config.tracker_base_url ?? config.jira_base_url ?? '',
    addressField: `connector_specific_config.${config.tracker_base_url === null ? 'jira_base_url' : 'tracker_base_url'}`,
    token: credential?.jira_api_token ?? null,
    email: credential?.jira_user_email ?? null,
    isScoped: config.scoped_token === true,
  })

async function check(pull: TrackerPull): Promise<void> {
  const { project_key, jql_query } = pull.config
  const tracker = await trackerOf(pull)
  try {
    await tracker.checkSignedIn()
    if (jql_query) return void (await tracker.findKeys(scopeOf(pull.config), { maxResults: 1 }))
    if (project_key) return void (await tracker.ask(`/project/${encodeURIComponent(project_key)}`))
    await tracker.ask('/project')
  } catch (error) {
    if (pull.credential === null && isRefusedLogin(error)) throw needed(error)
    throw checkError(error, pull.config)
  }
}

const isRefusedLogin = (error: unknown): error is SourceError =>
  error instanceof SourceError && (error.status === 401 || error.status === 403)

const needed = ({ status }: SourceError) =>
  new SourceError(
    'credential',
    `The tracker shows nothing without signing in (HTTP ${status}): it needs a credential.`,
    {
      field: 'credential_json',
      status,
    },
  )

function checkError(error: unknown, { jql_query, project_key }: Config): unknown {
  if (error instanceof SourceError && error.status === 429) {
    const message = 'Validation failed due to Jira rate-limits being exceeded. Please try again later.'
    return new SourceError('unavailable', message, { status: 429, cause: error })
  }
  if (!(error instanceof TrackerRefusal)) return error
  const { status, answer } = error
  if (jql_query && status === 400) return queryError(error)
  const message =
    project_key && !jql_query && status === 404
      ? `There is no project ${project_key} that the credential may see: ${answer}`
      : `Validation failed due to Jira error: ${answer}`
  const field = project_key && !jql_query ? 'connector_specific_config.project_key' : error.field
  return new SourceError('config', message, { field, status, cause: error })
}

const queryError = (error: TrackerRefusal): SourceError =>
  new SourceError('config', `Invalid JQL query: ${error.answer}`, {
    field: 'connector_specific_config.jql_query',
    status: error.status,
    cause: error,
  })

async function* load(pull: TrackerPull): AsyncGenerator<Item, void> {
  const { config, signal } = pull
  const tracker = await trackerOf(pull)
  await tracker.checkSignedIn()
  const mapping: Mapping = {
    base: tracker.base,
    blacklist: new Set((config.comment_email_blacklist ?? []).map((it) => it.trim())),
    labelsToSkip: new Set(config.labels_to_skip ?? []),
    commentsOf: (id) => tracker.commentsOf(id),
    accessOf: openIssueAccess(tracker),
  }
  const seen = new Set<string>()
  for await (const page of pagesOf(pull, tracker)) {
    signal.throwIfAborted()
    for (const failure of page.failures) {
      const { id: entity_id, key: document_id = null } = failure
      const link = document_id === null ? null : documentIdOf(tracker.base, document_id)
      const message = `Failed to process Jira issue: ${failure.message}`
      yield { type: 'failure', document_id, link, entity_id, stage: 'fetch', message }
    }
    for (const issue of page.issues) {
      const item = await itemOf(mapping, issue)
      const key = JSON.stringify(item.type === 'document' ? item.document.id : item)
      // It has moved to a later page while they were read.
      if (seen.has(key)) continue
      seen.add(key)
      yield item
    }
    if (page.checkpoint !== undefined) yield { type: 'checkpoint', checkpoint: page.checkpoint }
  }
}

async function* pagesOf(pull: TrackerPull, tracker: Tracker): AsyncGenerator<Page, void> {
  const { config, only, since, until, checkpoint } = pull
  if (only !== null) {
    yield* pagesOfNamed(
      tracker,
      only.map((it) => it.slice(it.lastIndexOf('/') + 1)),
    )
    return
  }
  const range = { start: since ?? 0, queryOf: (start: number) => windowOf(config, start, until), checkpoint }
  const pages = tracker.isCloud ? pagesOfCloud : pagesOfServer
  try {
    yield* pages(tracker, range)
  } catch (error) {
    throw searchError(error, config)
  }
}

/** What a search is refused with, said of the field that it comes from. */
function searchError(error: unknown, { jql_query, project_key }: Config): unknown {
  if (!(error instanceof TrackerRefusal) || error.status !== 400) return error
  const { status, answer } = error
  if (answer.includes("does not exist for the field 'project'") && !jql_query) {
    const message = `There is no project ${project_key} that the credential may see: ${answer}`
    return new SourceError('config', message, { field: 'connector_specific_config.project_key', status, cause: error })
  }
  return queryError(error)
}

/** Everything there is, whether it would be left out or not. */
async function* listIds(pull: TrackerPull): AsyncGenerator<string, void> {
  const tracker = await trackerOf(pull)
  await tracker.checkSignedIn()
  for await (const { key } of listed(pull, tracker, 'key')) yield documentIdOf(tracker.base, key)
  // Whoever is not known any more is shown what is public, and that looks like an end.
  await tracker.checkSignedIn()
}

async function* listed({ config, until }: TrackerPull, tracker: Tracker, fields: string) {
  try {
    for await (const issues of tracker.list(windowOf(config, 0, until + DAY_MS), fields)) yield* issues
  } catch (error) {
    throw searchError(error, config)
  }
}

/** People and groups may stand in any field; what is long in an issue names nobody. */
const WITHOUT_TEXTS = '*all,-comment,-description,-environment,-attachment,-worklog'

async function* access(pull: TrackerPull): AsyncGenerator<{ id: string; external_access: ExternalAccess }, void> {
  const tracker = await trackerOf(pull)
  await tracker.checkSignedIn()
  const accessOf = openIssueAccess(tracker)
  for await (const it of listed(pull, tracker, WITHOUT_TEXTS)) {
    const issue = Issue.safeParse(it)
    if (issue.success) yield { id: documentIdOf(tracker.base, it.key), external_access: await accessOf(issue.data) }
  }
  await tracker.checkSignedIn()
}

const Projects = z.array(z.object({ key: z.string() }))

/** Of the projects that the credential sees, whether or not issues of them are read. */
async function* groups(pull: TrackerPull): AsyncGenerator<SourceGroup, void> {
  const tracker = await trackerOf(pull)
  await tracker.checkSignedIn()
  yield* groupsOfProjects(
    tracker,
    parsed(Projects, await tracker.ask('/project')).map((it) => it.key),
  )
}

/** Times are epoch milliseconds, which no time zone of the tracker's user changes. */
function windowOf(config: Config, start: number, end: number): string {
  const scope = scopeOf(config)
  return `${scope === '' ? '' : `${scope} AND `}updated >= ${start} AND updated <= ${end}`
}

const ORDER = /\border\s+by\s+[^"'()]*$/i

/** An order would end the query, and there is none among conditions. */
function scopeOf({ jql_query, project_key }: Config): string {
  if (jql_query) return `(${jql_query.replace(ORDER, '').trim()})`
  return project_key ? `project = "${project_key.replace(/["\\]/g, '\\$&')}"` : ''
}
