// What becomes of an issue or a merge request of GitLab: its text, then what people have said to it.
import { z } from 'zod'
import { timeOf } from './changed-pages.ts'
import { type Item, type SourceDocument, SourceError } from './connector.ts'
import type { Part, Project, ProjectAccess } from './gitlab-access.ts'
import { parsed } from './json-answer.ts'
import { allOf, type Rest } from './source-rest.ts'

export type Kind = 'issues' | 'merge_requests'

const Person = z.object({ username: z.string(), name: z.string().nullish() })
const time = z.string().nullish()

export const Thread = z.object({
  iid: z.number(),
  title: z.string(),
  web_url: z.string(),
  state: z.string(),
  description: z.string().nullish(),
  author: Person.nullish(),
  assignees: z.array(Person).nullish(),
  reviewers: z.array(Person).nullish(),
  labels: z.array(z.string()).nullish(),
  milestone: z.object({ title: z.string() }).nullish(),
  confidential: z.boolean().nullish(),
  user_notes_count: z.number().nullish(),
  created_at: time,
  updated_at: time,
  closed_at: time,
  merged_at: time,
  due_date: time,
})
export type Thread = z.infer<typeof Thread>

/** https://docs.gitlab.com/api/notes/ */
const Note = z.object({
  id: z.number(),
  body: z.string().nullish(),
  author: Person.nullish(),
  system: z.boolean().nullish(),
  internal: z.boolean().nullish(),
  confidential: z.boolean().nullish(),
})

interface Facts {
  project: Project
  kind: Kind
  access: ProjectAccess
}

const Named = z.object({ web_url: z.string().optional(), iid: z.number().optional() })

/** What is wrong with one is no fault of the others. */
export async function itemOfThread(rest: Rest, value: unknown, facts: Facts): Promise<Item> {
  try {
    return { type: 'document', document: await documentOf(rest, parsed(Thread, value), facts) }
  } catch (error) {
    if (!(error instanceof SourceError) || error.fault !== 'unexpected') throw error
    const named = Named.safeParse(value)
    const { web_url = null, iid } = named.success ? named.data : {}
    const mark = facts.kind === 'issues' ? '#' : '!'
    const entity_id = iid === undefined ? null : `${facts.project.path_with_namespace}${mark}${iid}`
    return {
      type: 'failure',
      document_id: web_url,
      link: web_url,
      entity_id,
      stage: 'fetch',
      message: `${entity_id ?? `Something of ${facts.project.path_with_namespace}`} could not be read: ${error.message}`,
    }
  }
}

async function documentOf(rest: Rest, thread: Thread, facts: Facts): Promise<SourceDocument> {
  const { iid, title, web_url, description, author, assignees, updated_at } = thread
  const mark = facts.kind === 'issues' ? '#' : '!'
  return {
    id: web_url,
    semantic_identifier: `${mark}${iid}: ${title}`,
    title: `${title} ${mark}${iid} ${facts.project.path_with_namespace}`,
    sections: [{ text: description ?? '', link: web_url }, ...(await notesOf(rest, thread, facts))],
    metadata: metadataOf(thread, facts),
    doc_updated_at: timeOf(updated_at),
    primary_owners: author ? [ownerOf(author)] : [],
    secondary_owners: (assignees ?? []).map(ownerOf),
    external_access: await facts.access(partOf(thread, facts.kind)),
  }
}

const ownerOf = ({ username, name }: z.infer<typeof Person>) => ({ display_name: name || username })

/** What the server itself has written down is no talk; what is internal is not for everybody who reads the rest. */
async function notesOf(rest: Rest, thread: Thread, { project, kind }: Facts): Promise<SourceDocument['sections']> {
  if (thread.user_notes_count === 0) return []
  const query = 'sort=asc&order_by=created_at&per_page=100'
  const notes = await allOf(rest, `/projects/${project.id}/${kind}/${thread.iid}/notes?${query}`, Note)
  return notes
    .filter((it) => it.system !== true && it.internal !== true && it.confidential !== true)
    .filter((it) => (it.body ?? '').trim() !== '')
    .map(({ id, body, author }) => ({
      text: body ?? '',
      link: `${thread.web_url}#note_${id}`,
      heading: `Comment of ${author?.name || author?.username || 'a person who has left'}`,
    }))
}

function metadataOf(thread: Thread, { project, kind }: Facts): Record<string, string | string[]> {
  const values: Record<string, string | string[] | null | undefined> = {
    object_type: kind === 'issues' ? 'Issue' : 'MergeRequest',
    project: project.path_with_namespace,
    id: String(thread.iid),
    state: thread.state,
    author: thread.author?.username,
    assignees: thread.assignees?.map((it) => it.username),
    reviewers: thread.reviewers?.map((it) => it.username),
    labels: thread.labels,
    milestone: thread.milestone?.title,
    created_at: thread.created_at,
    updated_at: thread.updated_at,
    closed_at: thread.closed_at,
    merged_at: thread.merged_at,
    due_date: thread.due_date,
  }
  return Object.fromEntries(
    Object.entries(values).filter((it): it is [string, string | string[]] => it[1] != null && it[1].length > 0),
  )
}

export const partOf = ({ confidential }: Pick<Thread, 'confidential'>, kind: Kind): Part =>
  confidential === true ? 'confidential issues' : kind
