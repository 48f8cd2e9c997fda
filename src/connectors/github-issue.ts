// What becomes of an issue or a pull request: its text, then every comment and review with a link of its own.
import { z } from 'zod'
import type { ExternalAccess } from '../domain/access.ts'
import { timeOf } from './changed-pages.ts'
import { type Item, type SourceDocument, SourceError } from './connector.ts'
import type { Repository } from './github-access.ts'
import { parsed } from './json-answer.ts'
import { allOf, type Rest } from './source-rest.ts'

const Person = z.object({ login: z.string() }).nullish()

/** https://docs.github.com/en/rest/issues/issues#list-repository-issues */
export const Issue = z.object({
  number: z.number(),
  title: z.string(),
  html_url: z.string(),
  state: z.string(),
  body: z.string().nullish(),
  user: Person,
  assignees: z.array(z.object({ login: z.string() })).nullish(),
  labels: z.array(z.union([z.string(), z.object({ name: z.string().nullish() })])).nullish(),
  milestone: z.object({ title: z.string() }).nullish(),
  /** Null where the listing does not say. */
  comments: z.number().nullish(),
  created_at: z.string(),
  updated_at: z.string(),
  closed_at: z.string().nullish(),
  pull_request: z.object({ merged_at: z.string().nullish() }).nullish(),
})
export type Issue = z.infer<typeof Issue>

const Comment = z.object({ body: z.string().nullish(), user: Person, html_url: z.string() })
const Review = Comment.extend({ state: z.string() })

/** What makes it a pull request is that the key is there. */
export const isPull = ({ pull_request }: Pick<Issue, 'pull_request'>): boolean => pull_request != null

const Named = z.object({ html_url: z.string().optional(), number: z.number().optional() })

/** What is wrong with one is no fault of the others. */
export async function itemOfIssue(
  rest: Rest,
  value: unknown,
  { repository, access }: { repository: Repository; access: ExternalAccess },
): Promise<Item> {
  try {
    const issue = parsed(Issue, value)
    return { type: 'document', document: await documentOf(rest, issue, { repository, access }) }
  } catch (error) {
    if (!(error instanceof SourceError) || error.fault !== 'unexpected') throw error
    const named = Named.safeParse(value)
    const { html_url = null, number } = named.success ? named.data : {}
    const entity_id = number === undefined ? null : `${repository.full_name}#${number}`
    return {
      type: 'failure',
      document_id: html_url,
      link: html_url,
      entity_id,
      stage: 'fetch',
      message: `${entity_id ?? `An issue of ${repository.full_name}`} could not be read: ${error.message}`,
    }
  }
}

async function documentOf(
  rest: Rest,
  issue: Issue,
  { repository, access }: { repository: Repository; access: ExternalAccess },
): Promise<SourceDocument> {
  const { number, title, html_url, body, user, assignees, updated_at } = issue
  return {
    id: html_url,
    semantic_identifier: `#${number}: ${title}`,
    title: `${title} #${number} ${repository.full_name}`,
    sections: [{ text: body ?? '', link: html_url }, ...(await repliesOf(rest, issue, repository))],
    metadata: metadataOf(issue, repository),
    doc_updated_at: timeOf(updated_at),
    primary_owners: user ? [{ display_name: user.login }] : [],
    secondary_owners: (assignees ?? []).map((it) => ({ display_name: it.login })),
    external_access: access,
  }
}

async function repliesOf(rest: Rest, issue: Issue, { full_name }: Repository): Promise<SourceDocument['sections']> {
  const { number, comments } = issue
  const said =
    comments === 0 ? [] : await allOf(rest, `/repos/${full_name}/issues/${number}/comments?per_page=100`, Comment)
  const sections = said.map((it) => sectionOf(it, `Comment of ${nameOf(it)}`))
  if (!isPull(issue)) return withText(sections)
  // https://docs.github.com/en/rest/pulls/reviews#list-reviews-for-a-pull-request
  const reviews = await allOf(rest, `/repos/${full_name}/pulls/${number}/reviews?per_page=100`, Review)
  const remarks =
    reviews.length === 0 ? [] : await allOf(rest, `/repos/${full_name}/pulls/${number}/comments?per_page=100`, Comment)
  return withText([
    ...sections,
    ...reviews.map((it) => sectionOf(it, `Review of ${nameOf(it)}: ${it.state.toLowerCase().replaceAll('_', ' ')}`)),
    ...remarks.map((it) => sectionOf(it, `Remark of ${nameOf(it)}`)),
  ])
}

const sectionOf = ({ body, html_url }: z.infer<typeof Comment>, heading: string) => ({
  text: body ?? '',
  link: html_url,
  heading,
})

/** Who has left has no name any more. */
const nameOf = ({ user }: z.infer<typeof Comment>) => user?.login ?? 'ghost'

const withText = (sections: SourceDocument['sections']) => sections.filter((it) => it.text.trim() !== '')

function metadataOf(issue: Issue, { full_name }: Repository): Record<string, string | string[]> {
  const labels = (issue.labels ?? []).flatMap((it) => (typeof it === 'string' ? it : (it.name ?? [])))
  const values: Record<string, string | string[] | null | undefined> = {
    object_type: isPull(issue) ? 'PullRequest' : 'Issue',
    repo: full_name,
    id: String(issue.number),
    state: issue.state,
    user: issue.user?.login,
    assignees: issue.assignees?.map((it) => it.login),
    labels,
    milestone: issue.milestone?.title,
    created_at: issue.created_at,
    updated_at: issue.updated_at,
    closed_at: issue.closed_at,
    merged_at: issue.pull_request?.merged_at,
  }
  return Object.fromEntries(
    Object.entries(values).filter((it): it is [string, string | string[]] => it[1] != null && it[1].length > 0),
  )
}
