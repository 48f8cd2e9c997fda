// Converts an issue or pull request into a document: its text, then each comment and review as a section with its own
// link.
import { z } from 'zod'
import type { ExternalAccess } from '../../domain/access.ts'
import { type ConnectorItem, type SourceDocument, SourceError } from '../connector.ts'
import { parseTime } from '../rest/changed-pages.ts'
import { validateAnswer } from '../rest/json-response.ts'
import { collectItems, type RestClient } from '../rest/rest-client.ts'
import type { GitHubRepository } from './access.ts'

const IssueUser = z.object({ login: z.string() }).nullish()

/** https://docs.github.com/en/rest/issues/issues#list-repository-issues */
export const GitHubIssue = z.object({
  number: z.number(),
  title: z.string(),
  html_url: z.string(),
  state: z.string(),
  body: z.string().nullish(),
  user: IssueUser,
  assignees: z.array(z.object({ login: z.string() })).nullish(),
  labels: z.array(z.union([z.string(), z.object({ name: z.string().nullish() })])).nullish(),
  milestone: z.object({ title: z.string() }).nullish(),
  /** Null if the listing omits it. */
  comments: z.number().nullish(),
  created_at: z.string(),
  updated_at: z.string(),
  closed_at: z.string().nullish(),
  pull_request: z.object({ merged_at: z.string().nullish() }).nullish(),
})
export type GitHubIssue = z.infer<typeof GitHubIssue>

const IssueComment = z.object({ body: z.string().nullish(), user: IssueUser, html_url: z.string() })
const PullRequestReview = IssueComment.extend({ state: z.string() })

/** An issue with this key is a pull request. */
export const isPullRequest = ({ pull_request }: Pick<GitHubIssue, 'pull_request'>): boolean => pull_request != null

const IssueKey = z.object({ html_url: z.string().optional(), number: z.number().optional() })

/** An error in one item becomes a failure item; the run continues. */
export async function gitHubIssueItem(
  rest: RestClient,
  value: unknown,
  { repository, access }: { repository: GitHubRepository; access: ExternalAccess },
): Promise<ConnectorItem> {
  try {
    const issue = validateAnswer(GitHubIssue, value)
    return { type: 'document', document: await toIssueDocument(rest, issue, { repository, access }) }
  } catch (error) {
    if (!(error instanceof SourceError) || error.kind !== 'unexpected') throw error
    const named = IssueKey.safeParse(value)
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

async function toIssueDocument(
  rest: RestClient,
  issue: GitHubIssue,
  { repository, access }: { repository: GitHubRepository; access: ExternalAccess },
): Promise<SourceDocument> {
  const { number, title, html_url, body, user, assignees, updated_at } = issue
  return {
    id: html_url,
    semantic_identifier: `#${number}: ${title}`,
    title: `${title} #${number} ${repository.full_name}`,
    sections: [{ text: body ?? '', link: html_url }, ...(await issueCommentSections(rest, issue, repository))],
    metadata: gitHubIssueMetadata(issue, repository),
    doc_updated_at: parseTime(updated_at),
    primary_owners: user ? [{ display_name: user.login }] : [],
    secondary_owners: (assignees ?? []).map((it) => ({ display_name: it.login })),
    external_access: access,
  }
}

async function issueCommentSections(
  rest: RestClient,
  issue: GitHubIssue,
  { full_name }: GitHubRepository,
): Promise<SourceDocument['sections']> {
  const { number, comments } = issue
  const said =
    comments === 0
      ? []
      : await collectItems(rest, `/repos/${full_name}/issues/${number}/comments?per_page=100`, IssueComment)
  const sections = said.map((it) => toSection(it, `Comment by ${authorName(it)}`))
  if (!isPullRequest(issue)) return withoutEmptySections(sections)
  // https://docs.github.com/en/rest/pulls/reviews#list-reviews-for-a-pull-request
  const reviews = await collectItems(
    rest,
    `/repos/${full_name}/pulls/${number}/reviews?per_page=100`,
    PullRequestReview,
  )
  const reviewComments =
    reviews.length === 0
      ? []
      : await collectItems(rest, `/repos/${full_name}/pulls/${number}/comments?per_page=100`, IssueComment)
  return withoutEmptySections([
    ...sections,
    ...reviews.map((it) =>
      toSection(it, `Review by ${authorName(it)}: ${it.state.toLowerCase().replaceAll('_', ' ')}`),
    ),
    ...reviewComments.map((it) => toSection(it, `Review comment by ${authorName(it)}`)),
  ])
}

const toSection = ({ body, html_url }: z.infer<typeof IssueComment>, heading: string) => ({
  text: body ?? '',
  link: html_url,
  heading,
})

/** GitHub shows deleted users as "ghost". */
const authorName = ({ user }: z.infer<typeof IssueComment>) => user?.login ?? 'ghost'

const withoutEmptySections = (sections: SourceDocument['sections']) => sections.filter((it) => it.text.trim() !== '')

function gitHubIssueMetadata(issue: GitHubIssue, { full_name }: GitHubRepository): Record<string, string | string[]> {
  const labels = (issue.labels ?? []).flatMap((it) => (typeof it === 'string' ? it : (it.name ?? [])))
  const values: Record<string, string | string[] | null | undefined> = {
    object_type: isPullRequest(issue) ? 'PullRequest' : 'Issue',
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
