// What becomes of an issue: one document, a reason to leave it out, or a failure of its own.
import { z } from 'zod'
import type { ExternalAccess } from '../domain/access.ts'
import type { Owner } from '../domain/document.ts'
import { type Item, SourceError } from './connector.ts'

const MAX_TEXT_BYTES = 102_400

const Person = z.object({
  displayName: z.string().nullish(),
  emailAddress: z.string().nullish(),
})
type Person = z.infer<typeof Person>

const named = z.object({ name: z.string().nullish() }).nullish()
const Comment = z.object({ body: z.unknown().optional(), author: Person.nullish() })

const Fields = z.looseObject({
  summary: z.string().nullish(),
  description: z.unknown().optional(),
  comment: z.object({ comments: z.array(Comment), total: z.number().optional() }).nullish(),
  reporter: Person.nullish(),
  assignee: Person.nullish(),
  priority: named,
  status: named,
  resolution: named,
  issuetype: named,
  labels: z.array(z.string()).nullish(),
  created: z.string().nullish(),
  updated: z.string().nullish(),
  duedate: z.string().nullish(),
  resolutiondate: z.string().nullish(),
  parent: z.object({ key: z.string() }).nullish(),
  project: z.object({ key: z.string(), name: z.string().nullish() }).nullish(),
  security: z.object({ id: z.union([z.string(), z.number()]).transform(String) }).nullish(),
})
export type Fields = z.infer<typeof Fields>

export const Issue = z.object({
  id: z.union([z.string(), z.number()]).transform(String),
  key: z.string().min(1),
  fields: Fields,
})
export type Issue = z.infer<typeof Issue>

/** Enough to say which one it is. */
const Named = z.object({ key: z.string().optional(), id: z.union([z.string(), z.number()]).optional() })

export interface Mapping {
  base: string
  /** Addresses whose comments are left out. */
  blacklist: ReadonlySet<string>
  labelsToSkip: ReadonlySet<string>
  commentsOf: (id: string) => Promise<unknown[]>
  accessOf: (issue: Issue) => Promise<ExternalAccess>
}

export const documentIdOf = (base: string, key: string): string => `${base}/browse/${key}`

/** What is wrong with one issue is no fault of the others. */
export async function itemOf(mapping: Mapping, value: unknown): Promise<Item> {
  const result = Issue.safeParse(value)
  if (!result.success) {
    const [issue] = result.error.issues
    return failureOf(mapping, value, `${issue?.path.join('.') || 'the issue'}: ${issue?.message}`)
  }
  try {
    return await readIssue(mapping, result.data)
  } catch (error) {
    if (!(error instanceof SourceError) || error.fault !== 'unexpected') throw error
    return failureOf(mapping, value, error.message)
  }
}

function failureOf({ base }: Mapping, value: unknown, reason: string): Item {
  const named = Named.safeParse(value)
  const { key = null, id = null } = named.success ? named.data : {}
  return {
    type: 'failure',
    document_id: key,
    link: key === null ? null : documentIdOf(base, key),
    entity_id: id === null ? null : String(id),
    stage: 'extract',
    message: `Failed to process Jira issue: ${reason}`,
  }
}

async function readIssue(mapping: Mapping, issue: Issue): Promise<Item> {
  const { key, fields } = issue
  const id = documentIdOf(mapping.base, key)
  const label = fields.labels?.find((it) => mapping.labelsToSkip.has(it))
  if (label !== undefined) return { type: 'skipped', id, link: id, reason: `It has the label ${label}.` }
  const text = await textOf(mapping, issue)
  const bytes = Buffer.byteLength(text)
  if (bytes > MAX_TEXT_BYTES) {
    const reason = `Its text has ${bytes} bytes, and ${MAX_TEXT_BYTES} are the most that is read.`
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
      metadata: metadataOf(issue),
      doc_updated_at: timeOf(fields.updated, 'updated'),
      primary_owners: ownersOf(fields),
      external_access: await mapping.accessOf(issue),
    },
  }
}

async function textOf(mapping: Mapping, { id, fields }: Issue): Promise<string> {
  const comments = (await allComments(mapping, id, fields.comment))
    .filter(({ author }) => !mapping.blacklist.has(author?.emailAddress ?? ''))
    .map((it) => bodyText(it.body))
    .filter((it) => it.trim() !== '')
  return `${bodyText(fields.description)}\n${comments.map((it) => `Comment: ${it}`).join('\n')}`
}

const Comments = z.array(Comment)

/** An issue comes with some of its comments only. */
async function allComments(
  mapping: Mapping,
  id: string,
  beside: Fields['comment'],
): Promise<z.infer<typeof Comment>[]> {
  if (!beside) return []
  if ((beside.total ?? 0) <= beside.comments.length) return beside.comments
  const result = Comments.safeParse(await mapping.commentsOf(id))
  if (!result.success)
    throw new SourceError('unexpected', `its comments cannot be read: ${result.error.issues[0]?.message}`)
  return result.data
}

/** A text, or a tree of nodes: https://developer.atlassian.com/cloud/jira/platform/apis/document/structure/ */
function bodyText(body: unknown): string {
  if (typeof body === 'string') return body
  return [...textNodes(body)].join(' ')
}

function* textNodes(root: unknown): Generator<string> {
  const stack = [root]
  while (stack.length > 0) {
    const node = stack.pop()
    if (typeof node !== 'object' || node === null) continue
    const { type, text, content } = node as { type?: unknown; text?: unknown; content?: unknown }
    if (type === 'text' && typeof text === 'string') yield text
    // The first one is taken next.
    if (Array.isArray(content)) stack.push(...content.toReversed())
  }
}

function metadataOf({ key, fields }: Issue): Record<string, string | string[]> {
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

/** One who reports and works on it is one owner. */
function ownersOf({ reporter, assignee }: Fields): Partial<Owner>[] {
  const owners = [reporter, assignee].flatMap((it) => (it ? [ownerOf(it)] : []))
  return [...new Map(owners.map((it) => [JSON.stringify(it), it])).values()].filter(
    (it) => it.display_name !== null || it.email !== null,
  )
}

const ownerOf = ({ displayName, emailAddress }: Person) => ({
  display_name: displayName ?? null,
  email: emailAddress ?? null,
})

/** `2021-01-17T12:34:00.000+0000`: the colon of the offset is missing. */
function timeOf(text: string | null | undefined, field: string): number | null {
  if (text === null || text === undefined) return null
  const time = Date.parse(text.replace(/([+-]\d\d)(\d\d)$/, '$1:$2'))
  if (Number.isNaN(time)) throw new SourceError('unexpected', `fields.${field}: "${text.slice(0, 100)}" is no time`)
  return time
}
