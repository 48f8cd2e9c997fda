// Converts an issue into a document, a skipped item or a failure item.
import { z } from 'zod'
import type { ExternalAccess } from '../../domain/access.ts'
import type { DocumentOwner } from '../../domain/document.ts'
import { isPlainObject } from '../../wire/containers.ts'
import { type ConnectorItem, SourceError } from '../connector.ts'

const MAX_TEXT_BYTES = 102_400

const JiraPerson = z.object({
  displayName: z.string().nullish(),
  emailAddress: z.string().nullish(),
})
type JiraPerson = z.infer<typeof JiraPerson>

const namedValue = z.object({ name: z.string().nullish() }).nullish()
const JiraComment = z.object({ body: z.unknown().optional(), author: JiraPerson.nullish() })

const JiraFields = z.looseObject({
  summary: z.string().nullish(),
  description: z.unknown().optional(),
  comment: z.object({ comments: z.array(JiraComment), total: z.number().optional() }).nullish(),
  reporter: JiraPerson.nullish(),
  assignee: JiraPerson.nullish(),
  priority: namedValue,
  status: namedValue,
  resolution: namedValue,
  issuetype: namedValue,
  labels: z.array(z.string()).nullish(),
  created: z.string().nullish(),
  updated: z.string().nullish(),
  duedate: z.string().nullish(),
  resolutiondate: z.string().nullish(),
  parent: z.object({ key: z.string() }).nullish(),
  project: z.object({ key: z.string(), name: z.string().nullish() }).nullish(),
  security: z.object({ id: z.union([z.string(), z.number()]).transform(String) }).nullish(),
})
export type Fields = z.infer<typeof JiraFields>

export const JiraIssue = z.object({
  id: z.union([z.string(), z.number()]).transform(String),
  key: z.string().min(1),
  fields: JiraFields,
})
export type JiraIssue = z.infer<typeof JiraIssue>

/** The fields that identify the issue. */
const IssueKey = z.object({ key: z.string().optional(), id: z.union([z.string(), z.number()]).optional() })

export interface IssueMapping {
  base: string
  /** E-mail addresses whose comments are skipped. */
  ignoredCommenters: ReadonlySet<string>
  labelsToSkip: ReadonlySet<string>
  listComments: (id: string) => Promise<unknown[]>
  accessOf: (issue: JiraIssue) => Promise<ExternalAccess>
}

export const issueUrl = (base: string, key: string): string => `${base}/browse/${key}`

/** An error in one issue becomes a failure item; the run continues. */
export async function jiraIssueItem(mapping: IssueMapping, value: unknown): Promise<ConnectorItem> {
  const result = JiraIssue.safeParse(value)
  if (!result.success) {
    const [issue] = result.error.issues
    return failureItem(mapping, value, `${issue?.path.join('.') || 'the issue'}: ${issue?.message}`)
  }
  try {
    return await readIssue(mapping, result.data)
  } catch (error) {
    if (!(error instanceof SourceError) || error.kind !== 'unexpected') throw error
    return failureItem(mapping, value, error.message)
  }
}

function failureItem({ base }: IssueMapping, value: unknown, reason: string): ConnectorItem {
  const named = IssueKey.safeParse(value)
  const { key = null, id = null } = named.success ? named.data : {}
  return {
    type: 'failure',
    document_id: key,
    link: key === null ? null : issueUrl(base, key),
    entity_id: id === null ? null : String(id),
    stage: 'extract',
    message: `Failed to process Jira issue: ${reason}`,
  }
}

async function readIssue(mapping: IssueMapping, issue: JiraIssue): Promise<ConnectorItem> {
  const { key, fields } = issue
  const id = issueUrl(mapping.base, key)
  const label = fields.labels?.find((it) => mapping.labelsToSkip.has(it))
  if (label !== undefined) return { type: 'skipped', id, link: id, reason: `The issue has the label ${label}.` }
  const text = await issueText(mapping, issue)
  const bytes = Buffer.byteLength(text)
  if (bytes > MAX_TEXT_BYTES) {
    const reason = `The text has ${bytes} bytes. The limit is ${MAX_TEXT_BYTES}.`
    return { type: 'skipped', id, link: id, reason }
  }
  const summary = fields.summary ?? ''
  return {
    type: 'document',
    document: {
      id,
      semantic_identifier: `${key}: ${summary}`,
      title: `${key} ${summary}`,
      sections: [{ text, link: id }],
      metadata: jiraIssueMetadata(issue),
      doc_updated_at: parseJiraTime(fields.updated, 'updated'),
      primary_owners: issueOwners(fields),
      external_access: await mapping.accessOf(issue),
    },
  }
}

async function issueText(mapping: IssueMapping, { id, fields }: JiraIssue): Promise<string> {
  const comments = (await loadComments(mapping, id, fields.comment))
    .filter(({ author }) => !mapping.ignoredCommenters.has(author?.emailAddress ?? ''))
    .map((it) => textOfBody(it.body))
    .filter((it) => it.trim() !== '')
  return `${textOfBody(fields.description)}\n${comments.map((it) => `Comment: ${it}`).join('\n')}`
}

const Comments = z.array(JiraComment)

/** An issue embeds only some of its comments. */
async function loadComments(
  mapping: IssueMapping,
  id: string,
  embedded: Fields['comment'],
): Promise<z.infer<typeof JiraComment>[]> {
  if (!embedded) return []
  if ((embedded.total ?? 0) <= embedded.comments.length) return embedded.comments
  const result = Comments.safeParse(await mapping.listComments(id))
  if (!result.success)
    throw new SourceError('unexpected', `its comments are not readable: ${result.error.issues[0]?.message}`)
  return result.data
}

/** Plain text or an Atlassian document: https://developer.atlassian.com/cloud/jira/platform/apis/document/structure/ */
function textOfBody(body: unknown): string {
  if (typeof body === 'string') return body
  return [...textNodes(body)].join(' ')
}

function* textNodes(root: unknown): Generator<string> {
  const stack = [root]
  while (stack.length > 0) {
    const node = stack.pop()
    if (!isPlainObject(node)) continue
    const { type, text, content } = node
    if (type === 'text' && typeof text === 'string') yield text
    // Reversed, so that the first child is popped next.
    if (Array.isArray(content)) stack.push(...content.toReversed())
  }
}

function jiraIssueMetadata({ key, fields }: JiraIssue): Record<string, string | string[]> {
  const { reporter, assignee, priority, status, resolution, issuetype, parent, project } = fields
  const values: Record<string, string | string[] | null | undefined> = {
    key,
    reporter: reporter?.displayName,
    reporter_email: reporter?.emailAddress,
    assignee: assignee?.displayName,
    assignee_email: assignee?.emailAddress,
    priority: priority?.name,
    status: status?.name,
    resolution: resolution?.name,
    labels: fields.labels,
    created: fields.created,
    updated: fields.updated,
    duedate: fields.duedate,
    issuetype: issuetype?.name,
    resolution_date: fields.resolutiondate,
    parent: parent?.key,
    project: project?.key,
    project_name: project?.name,
  }
  return Object.fromEntries(
    Object.entries(values).filter((it): it is [string, string | string[]] => it[1] != null && it[1].length > 0),
  )
}

/** A reporter who is also the assignee is one owner. */
function issueOwners({ reporter, assignee }: Fields): Partial<DocumentOwner>[] {
  const owners = [reporter, assignee].flatMap((it) => (it ? [jiraOwner(it)] : []))
  return [...new Map(owners.map((it) => [JSON.stringify(it), it])).values()].filter(
    (it) => it.display_name !== null || it.email !== null,
  )
}

const jiraOwner = ({ displayName, emailAddress }: JiraPerson) => ({
  display_name: displayName ?? null,
  email: emailAddress ?? null,
})

/** Jira writes `2021-01-17T12:34:00.000+0000`, without the colon in the offset. */
function parseJiraTime(text: string | null | undefined, field: string): number | null {
  if (text === null || text === undefined) return null
  const time = Date.parse(text.replace(/([+-]\d\d)(\d\d)$/, '$1:$2'))
  if (Number.isNaN(time))
    throw new SourceError('unexpected', `fields.${field}: "${text.slice(0, 100)}" is not a valid time`)
  return time
}
