// Converts a GitLab issuable (an issue or a merge request) into a document: its text, then its comments.
import { z } from 'zod'
import { type ConnectorItem, type SourceDocument, SourceError } from '../connector.ts'
import { parseTime } from '../rest/changed-pages.ts'
import { validateAnswer } from '../rest/json-response.ts'
import { collectItems, type RestClient } from '../rest/rest-client.ts'
import type { GitLabAccess, GitLabPart, GitLabProject } from './access.ts'

export type IssuableKind = 'issues' | 'merge_requests'

const GitLabPerson = z.object({ username: z.string(), name: z.string().nullish() })
const optionalTime = z.string().nullish()

export const Issuable = z.object({
  iid: z.number(),
  title: z.string(),
  web_url: z.string(),
  state: z.string(),
  description: z.string().nullish(),
  author: GitLabPerson.nullish(),
  assignees: z.array(GitLabPerson).nullish(),
  reviewers: z.array(GitLabPerson).nullish(),
  labels: z.array(z.string()).nullish(),
  milestone: z.object({ title: z.string() }).nullish(),
  confidential: z.boolean().nullish(),
  user_notes_count: z.number().nullish(),
  created_at: optionalTime,
  updated_at: optionalTime,
  closed_at: optionalTime,
  merged_at: optionalTime,
  due_date: optionalTime,
})
export type Issuable = z.infer<typeof Issuable>

/** https://docs.gitlab.com/api/notes/ */
const GitLabNote = z.object({
  id: z.number(),
  body: z.string().nullish(),
  author: GitLabPerson.nullish(),
  system: z.boolean().nullish(),
  internal: z.boolean().nullish(),
  confidential: z.boolean().nullish(),
})

interface IssuableContext {
  project: GitLabProject
  kind: IssuableKind
  access: GitLabAccess
}

const IssuableKey = z.object({ web_url: z.string().optional(), iid: z.number().optional() })

/** An error in one item becomes a failure item; the run continues. */
export async function issuableItem(rest: RestClient, value: unknown, scope: IssuableContext): Promise<ConnectorItem> {
  try {
    return { type: 'document', document: await toIssuableDocument(rest, validateAnswer(Issuable, value), scope) }
  } catch (error) {
    if (!(error instanceof SourceError) || error.kind !== 'unexpected') throw error
    const named = IssuableKey.safeParse(value)
    const { web_url = null, iid } = named.success ? named.data : {}
    const sigil = scope.kind === 'issues' ? '#' : '!'
    const entity_id = iid === undefined ? null : `${scope.project.path_with_namespace}${sigil}${iid}`
    return {
      type: 'failure',
      document_id: web_url,
      link: web_url,
      entity_id,
      stage: 'fetch',
      message: `${entity_id ?? `An item of ${scope.project.path_with_namespace}`} could not be read: ${error.message}`,
    }
  }
}

async function toIssuableDocument(
  rest: RestClient,
  issuable: Issuable,
  scope: IssuableContext,
): Promise<SourceDocument> {
  const { iid, title, web_url, description, author, assignees, updated_at } = issuable
  const sigil = scope.kind === 'issues' ? '#' : '!'
  return {
    id: web_url,
    semantic_identifier: `${sigil}${iid}: ${title}`,
    title: `${title} ${sigil}${iid} ${scope.project.path_with_namespace}`,
    sections: [{ text: description ?? '', link: web_url }, ...(await noteSections(rest, issuable, scope))],
    metadata: issuableMetadata(issuable, scope),
    doc_updated_at: parseTime(updated_at),
    primary_owners: author ? [gitLabOwner(author)] : [],
    secondary_owners: (assignees ?? []).map(gitLabOwner),
    external_access: await scope.access(partOfIssuable(issuable, scope.kind)),
  }
}

const gitLabOwner = ({ username, name }: z.infer<typeof GitLabPerson>) => ({ display_name: name || username })

/** Skips system notes, and internal notes because not every reader of the issue may see them. */
async function noteSections(
  rest: RestClient,
  issuable: Issuable,
  { project, kind }: IssuableContext,
): Promise<SourceDocument['sections']> {
  if (issuable.user_notes_count === 0) return []
  const query = 'sort=asc&order_by=created_at&per_page=100'
  const notes = await collectItems(rest, `/projects/${project.id}/${kind}/${issuable.iid}/notes?${query}`, GitLabNote)
  return notes
    .filter((it) => it.system !== true && it.internal !== true && it.confidential !== true)
    .filter((it) => (it.body ?? '').trim() !== '')
    .map(({ id, body, author }) => ({
      text: body ?? '',
      link: `${issuable.web_url}#note_${id}`,
      heading: `Comment by ${author?.name || author?.username || 'a former user'}`,
    }))
}

function issuableMetadata(issuable: Issuable, { project, kind }: IssuableContext): Record<string, string | string[]> {
  const values: Record<string, string | string[] | null | undefined> = {
    object_type: kind === 'issues' ? 'Issue' : 'MergeRequest',
    project: project.path_with_namespace,
    id: String(issuable.iid),
    state: issuable.state,
    author: issuable.author?.username,
    assignees: issuable.assignees?.map((it) => it.username),
    reviewers: issuable.reviewers?.map((it) => it.username),
    labels: issuable.labels,
    milestone: issuable.milestone?.title,
    created_at: issuable.created_at,
    updated_at: issuable.updated_at,
    closed_at: issuable.closed_at,
    merged_at: issuable.merged_at,
    due_date: issuable.due_date,
  }
  return Object.fromEntries(
    Object.entries(values).filter((it): it is [string, string | string[]] => it[1] != null && it[1].length > 0),
  )
}

export const partOfIssuable = ({ confidential }: Pick<Issuable, 'confidential'>, kind: IssuableKind): GitLabPart =>
  confidential === true ? 'confidential issues' : kind
