// Jira connector: issues with comments from Jira Cloud, Server or Data Center.

import { z } from 'zod'
import type { ExternalAccess } from '../../domain/access.ts'
import { DAY_MS } from '../../wire/date-time.ts'
import { nullish, wireArray, wireBoolean, wireInteger, wireString } from '../../wire/schemas.ts'
import { stripOrderBy } from '../atlassian/strip-order-by.ts'
import {
  type ConnectorContext,
  type ConnectorItem,
  defineConnector,
  SourceError,
  type SourceGroup,
} from '../connector.ts'
import { HIDDEN, NEEDED, SECRET, usually } from '../form-hints.ts'
import { validateAnswer } from '../rest/json-response.ts'
import { createIssueAccess, listProjectGroups } from './access.ts'
import { GATEWAY, type JiraClient, JiraStatusError, openJiraClient, parseSiteUrl } from './client.ts'
import { cloudPages, type JiraPage, pagesByIds } from './cloud-pages.ts'
import { type IssueMapping, issueUrl, JiraIssue, jiraIssueItem } from './issue.ts'
import { serverPages } from './server-pages.ts'

const texts = nullish(wireArray(wireString({ max: 1_000 }), { max: 10_000 }))
const address = nullish(wireString({ min: 1, max: 2_000 }))

const JiraConfig = z
  .object({
    tracker_base_url: address.describe('The URL of the Jira site, as in a browser.').meta(NEEDED),
    jira_base_url: address.describe('Alias of `tracker_base_url`.').meta(HIDDEN),
    project_key: nullish(wireString({ max: 1_000 })).describe('Read only this project. Empty: all projects.'),
    jql_query: nullish(wireString({ max: 10_000 })).describe(
      'Read only the issues that this JQL query finds. Takes precedence over `project_key`.',
    ),
    comment_email_blacklist: texts.describe('E-mail addresses whose comments are skipped.'),
    labels_to_skip: texts.describe('Issues with one of these labels are skipped.'),
    scoped_token: nullish(wireBoolean()).describe('Whether the cloud token is scoped.').meta(usually(false)),
    batch_size: nullish(wireInteger({ min: 1 }))
      .describe('Accepted for compatibility; ignored.')
      .meta(HIDDEN),
  })
  .refine((it) => it.tracker_base_url !== null || it.jira_base_url !== null, {
    path: ['tracker_base_url'],
    message: 'Field required',
  })
type JiraConfig = z.infer<typeof JiraConfig>

const JiraCredential = z.object({
  jira_api_token: wireString({ min: 1, max: 10_000 }).meta(SECRET),
  jira_user_email: wireString({ min: 1, max: 500 })
    .nullable()
    .optional()
    .describe(
      'The user of the token on Jira Cloud. Omitted: the token is a personal access token of Jira Server or Data Center.',
    ),
})
type JiraCredential = z.infer<typeof JiraCredential>

type JiraContext = ConnectorContext<JiraConfig, JiraCredential>

export default defineConnector<JiraConfig, JiraCredential>({
  sources: ['ticket_tracker', 'jira'],
  label: 'Ticket tracker (Jira)',
  description: 'Reads the issues of Jira Cloud, Server or Data Center with their comments.',
  remarks: `The reporter and the assignee of an issue are its owners, even without an e-mail address or display name, because
Jira Cloud hides most e-mail addresses. Owners are displayed and searchable; they get no access.

Projects and epics do not become documents or hierarchy nodes. Each issue names them in its metadata instead
(\`project\`, \`project_name\`, \`parent\`).

Attachments are not read.`,
  egress: 'admin-target',
  config: JiraConfig,
  ignoredFields: ['everything', 'indexing_scope'],
  credential: JiraCredential,
  origins: (config) => [
    new URL(parseSiteUrl(siteSettings(config))).origin,
    ...(config.scoped_token === true ? [GATEWAY] : []),
  ],
  isCredentialOptional: true,
  hasAccess: true,
  check,
  load,
  listIds,
  access,
  groups,
  async count(context) {
    const jira = await openJiraFor(context)
    try {
      return await jira.count(jqlScope(context.config) || 'updated >= 0')
    } catch (error) {
      // Older versions do not support counting.
      if (error instanceof JiraStatusError) return null
      throw error
    }
  },
})

const siteSettings = ({ tracker_base_url, jira_base_url }: JiraConfig) => ({
  address: tracker_base_url ?? jira_base_url ?? '',
  addressField: `connector_specific_config.${tracker_base_url === null ? 'jira_base_url' : 'tracker_base_url'}`,
})

const openJiraFor = ({ fetch, config, credential }: JiraContext): Promise<JiraClient> =>
  openJiraClient(fetch, {
    ...siteSettings(config),
    token: credential?.jira_api_token ?? null,
    email: credential?.jira_user_email ?? null,
    isScoped: config.scoped_token === true,
  })

async function check(context: JiraContext): Promise<void> {
  const { project_key, jql_query } = context.config
  const jira = await openJiraFor(context)
  try {
    await jira.checkSignedIn()
    if (jql_query) return void (await jira.findKeys(jqlScope(context.config), { maxResults: 1 }))
    if (project_key) return void (await jira.request(`/project/${encodeURIComponent(project_key)}`))
    await jira.request('/project')
  } catch (error) {
    if (context.credential === null && isSignInRefused(error)) throw credentialNeeded(error)
    throw toCheckError(error, context.config)
  }
}

const isSignInRefused = (error: unknown): error is SourceError =>
  error instanceof SourceError && (error.status === 401 || error.status === 403)

const credentialNeeded = ({ status }: SourceError) =>
  new SourceError('credential', `Jira requires a credential (HTTP ${status}).`, {
    field: 'credential_json',
    status,
  })

function toCheckError(error: unknown, { jql_query, project_key }: JiraConfig): unknown {
  if (error instanceof SourceError && error.status === 429) {
    const message = 'Validation failed due to Jira rate-limits being exceeded. Please try again later.'
    return new SourceError('unavailable', message, { status: 429, cause: error })
  }
  if (!(error instanceof JiraStatusError)) return error
  const { status, detail } = error
  if (jql_query && status === 400) return toQueryError(error)
  const message =
    project_key && !jql_query && status === 404
      ? `Project ${project_key} does not exist or the credential cannot access it: ${detail}`
      : `Validation failed due to Jira error: ${detail}`
  const field = project_key && !jql_query ? 'connector_specific_config.project_key' : error.field
  return new SourceError('config', message, { field, status, cause: error })
}

const toQueryError = (error: JiraStatusError): SourceError =>
  new SourceError('config', `Invalid JQL query: ${error.detail}`, {
    field: 'connector_specific_config.jql_query',
    status: error.status,
    cause: error,
  })

async function* load(context: JiraContext): AsyncGenerator<ConnectorItem, void> {
  const { config, signal } = context
  const jira = await openJiraFor(context)
  await jira.checkSignedIn()
  const mapping: IssueMapping = {
    base: jira.base,
    ignoredCommenters: new Set((config.comment_email_blacklist ?? []).map((it) => it.trim())),
    labelsToSkip: new Set(config.labels_to_skip ?? []),
    listComments: (id) => jira.listComments(id),
    accessOf: createIssueAccess(jira),
  }
  const seen = new Set<string>()
  for await (const page of listJiraPages(context, jira)) {
    signal.throwIfAborted()
    for (const failure of page.failures) {
      const { id: entity_id, key: document_id = null } = failure
      const link = document_id === null ? null : issueUrl(jira.base, document_id)
      const message = `Failed to process Jira issue: ${failure.message}`
      yield { type: 'failure', document_id, link, entity_id, stage: 'fetch', message }
    }
    for (const issue of page.issues) {
      const item = await jiraIssueItem(mapping, issue)
      const key = JSON.stringify(item.type === 'document' ? item.document.id : item)
      // The issue moved to a later page during the listing.
      if (seen.has(key)) continue
      seen.add(key)
      yield item
    }
    if (page.checkpoint !== undefined) yield { type: 'checkpoint', checkpoint: page.checkpoint }
  }
}

async function* listJiraPages(context: JiraContext, jira: JiraClient): AsyncGenerator<JiraPage, void> {
  const { config, only, since, until, checkpoint } = context
  if (only !== null) {
    yield* pagesByIds(
      jira,
      only.map((it) => it.slice(it.lastIndexOf('/') + 1)),
    )
    return
  }
  const window = { start: since ?? 0, queryOf: (start: number) => windowQuery(config, start, until), checkpoint }
  const pages = jira.isCloud ? cloudPages : serverPages
  try {
    yield* pages(jira, window)
  } catch (error) {
    throw toSearchError(error, config)
  }
}

/** Attributes a rejected search to the config field that caused it. */
function toSearchError(error: unknown, { jql_query, project_key }: JiraConfig): unknown {
  if (!(error instanceof JiraStatusError) || error.status !== 400) return error
  const { status, detail } = error
  if (detail.includes("does not exist for the field 'project'") && !jql_query) {
    const message = `Project ${project_key} does not exist or the credential cannot access it: ${detail}`
    return new SourceError('config', message, { field: 'connector_specific_config.project_key', status, cause: error })
  }
  return toQueryError(error)
}

/** Lists every issue, including those that `load` skips. */
async function* listIds(context: JiraContext): AsyncGenerator<string, void> {
  const jira = await openJiraFor(context)
  await jira.checkSignedIn()
  for await (const { key } of listIssues(context, jira, 'key')) yield issueUrl(jira.base, key)
  // An expired token silently turns into an anonymous session, whose shorter listing would look complete.
  await jira.checkSignedIn()
}

async function* listIssues({ config, until }: JiraContext, jira: JiraClient, fields: string) {
  try {
    for await (const issues of jira.list(windowQuery(config, 0, until + DAY_MS), fields)) yield* issues
  } catch (error) {
    throw toSearchError(error, config)
  }
}

/** Any field may name users and groups, except the long text fields. */
const FIELDS_WITHOUT_TEXTS = '*all,-comment,-description,-environment,-attachment,-worklog'

async function* access(context: JiraContext): AsyncGenerator<{ id: string; external_access: ExternalAccess }, void> {
  const jira = await openJiraFor(context)
  await jira.checkSignedIn()
  const accessOf = createIssueAccess(jira)
  for await (const it of listIssues(context, jira, FIELDS_WITHOUT_TEXTS)) {
    const issue = JiraIssue.safeParse(it)
    if (issue.success) yield { id: issueUrl(jira.base, it.key), external_access: await accessOf(issue.data) }
  }
  await jira.checkSignedIn()
}

const Projects = z.array(z.object({ key: z.string() }))

/** Includes projects whose issues are not read. */
async function* groups(context: JiraContext): AsyncGenerator<SourceGroup, void> {
  const jira = await openJiraFor(context)
  await jira.checkSignedIn()
  yield* listProjectGroups(
    jira,
    validateAnswer(Projects, await jira.request('/project')).map((it) => it.key),
  )
}

/** Epoch milliseconds, because formatted times depend on the user's time zone. */
function windowQuery(config: JiraConfig, start: number, end: number): string {
  const scope = jqlScope(config)
  return `${scope === '' ? '' : `${scope} AND `}updated >= ${start} AND updated <= ${end}`
}

/** ORDER BY is not allowed inside a condition. */
function jqlScope({ jql_query, project_key }: JiraConfig): string {
  if (jql_query) return `(${stripOrderBy(jql_query).trim()})`
  return project_key ? `project = "${project_key.replace(/["\\]/g, '\\$&')}"` : ''
}
