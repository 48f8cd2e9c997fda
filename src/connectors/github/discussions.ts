// Discussions of a repository, available through GraphQL only:
// https://docs.github.com/en/graphql/guides/using-the-graphql-api-for-discussions
import { z } from 'zod'
import type { ExternalAccess } from '../../domain/access.ts'
import { type ConnectorItem, type SourceDocument, SourceError } from '../connector.ts'
import { parseTime } from '../rest/changed-pages.ts'
import { validateAnswer } from '../rest/json-response.ts'
import type { RestClient } from '../rest/rest-client.ts'
import type { GitHubRepository } from './access.ts'

/** Runs a query. Null if the target does not exist or is not accessible. */
export type GraphQlQuery = <S extends z.ZodType>(
  name: keyof typeof QUERIES,
  variables: Record<string, unknown>,
  schema: S,
) => Promise<z.output<S> | null>

export interface DiscussionContext {
  repository: GitHubRepository
  access: ExternalAccess
}

const COMMENT = 'id url body isAnswer author { login }'
const REPLIES = `replies(first: 20, after: $replies) { nodes { ${COMMENT} } pageInfo { hasNextPage endCursor } }`
const COMMENTS = (after: string) =>
  `comments(first: 50${after}) { nodes { ${COMMENT} ${REPLIES} } pageInfo { hasNextPage endCursor } }`
const DISCUSSION = `number title url body createdAt updatedAt author { login } category { name }
  labels(first: 100) { nodes { name } } ${COMMENTS('')}`
const LIST = (fields: string, first: number) => `repository(owner: $owner, name: $name) {
  discussions(first: ${first}, after: $after, orderBy: {field: $field, direction: $direction}) {
    nodes { ${fields} } pageInfo { hasNextPage endCursor } } }`
const REPOSITORY_VARIABLES = '$owner: String!, $name: String!'
const LISTING_VARIABLES = `${REPOSITORY_VARIABLES}, $after: String, $field: DiscussionOrderField!, $direction: OrderDirection!`

const QUERIES = {
  Discussions: `query Discussions(${LISTING_VARIABLES}, $replies: String) { ${LIST(DISCUSSION, 25)} }`,
  DiscussionUrls: `query DiscussionUrls(${LISTING_VARIABLES}) { ${LIST('url', 100)} }`,
  Discussion: `query Discussion(${REPOSITORY_VARIABLES}, $number: Int!, $replies: String) {
    repository(owner: $owner, name: $name) { discussion(number: $number) { ${DISCUSSION} } } }`,
  Comments: `query Comments(${REPOSITORY_VARIABLES}, $number: Int!, $after: String, $replies: String) {
    repository(owner: $owner, name: $name) { discussion(number: $number) { ${COMMENTS(', after: $after')} } } }`,
  Replies: `query Replies($id: ID!, $replies: String) { node(id: $id) { ... on DiscussionComment { ${REPLIES} } } }`,
}

const PageInfo = z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullish() })
const GraphQlAuthor = z.object({ login: z.string() }).nullish()
const DiscussionReply = z.object({
  id: z.string(),
  url: z.string(),
  body: z.string(),
  isAnswer: z.boolean(),
  author: GraphQlAuthor,
})
type DiscussionReply = z.infer<typeof DiscussionReply>
const ReplyPage = z.object({ nodes: z.array(DiscussionReply), pageInfo: PageInfo })
const DiscussionComment = DiscussionReply.extend({ replies: ReplyPage })
const CommentPage = z.object({ nodes: z.array(DiscussionComment), pageInfo: PageInfo })
const GitHubDiscussion = z.object({
  number: z.number(),
  title: z.string(),
  url: z.string(),
  body: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  author: GraphQlAuthor,
  category: z.object({ name: z.string() }).nullish(),
  labels: z.object({ nodes: z.array(z.object({ name: z.string() })) }).nullish(),
  comments: CommentPage,
})
type GitHubDiscussion = z.infer<typeof GitHubDiscussion>

const singleDiscussion = <S extends z.ZodType>(schema: S) =>
  z.object({ repository: z.object({ discussion: schema.nullable() }) })
const discussionList = <S extends z.ZodType>(schema: S) =>
  z.object({ repository: z.object({ discussions: z.object({ nodes: z.array(schema), pageInfo: PageInfo }) }) })

const GraphQlAnswer = z.object({
  data: z.unknown().optional(),
  errors: z.array(z.object({ type: z.string().nullish(), message: z.string() })).nullish(),
})
const MISSING_ERRORS = ['NOT_FOUND', 'FORBIDDEN']

/** `rest` has the base URL of the GraphQL endpoint. */
export function createGraphQlQuery(rest: RestClient): GraphQlQuery {
  return async (name, variables, schema) => {
    const { value } = await rest.fetchJson('/graphql', { operationName: name, query: QUERIES[name], variables })
    const { data, errors } = validateAnswer(GraphQlAnswer, value)
    const [error] = errors ?? []
    if (error === undefined) return validateAnswer(schema, data)
    if (MISSING_ERRORS.includes(error.type ?? '')) return null
    // Reported with HTTP 200:
    // https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api
    const fault = error.type === 'RATE_LIMITED' ? 'unavailable' : 'unexpected'
    throw new SourceError(fault, `GitHub rejected the discussion query: ${error.message}`)
  }
}

const repositoryVariables = ({ full_name }: GitHubRepository) => {
  const [owner, name] = full_name.split('/')
  return { owner, name }
}

/**
 * A full listing is sorted by creation time, so changes do not disturb it. A listing since a time starts with the
 * latest update. `next` is the cursor of the next page; null if the listing cannot resume.
 */
export async function* discussionPages(
  query: GraphQlQuery,
  repository: GitHubRepository,
  { since, after }: { since: number | null; after: string | null },
): AsyncGenerator<{ items: unknown[]; next: string | null }, void> {
  const order = since === null ? { field: 'CREATED_AT', direction: 'ASC' } : { field: 'UPDATED_AT', direction: 'DESC' }
  for (let cursor: string | null = after; ; ) {
    const variables = { ...repositoryVariables(repository), ...order, after: cursor }
    const answer = await query('Discussions', variables, discussionList(z.looseObject({ updatedAt: z.string() })))
    if (answer === null) return
    const { nodes, pageInfo } = answer.repository.discussions
    const items = since === null ? nodes : nodes.filter((it) => !((parseTime(it.updatedAt) ?? since) < since))
    const next = items.length < nodes.length ? null : nextPageCursor(pageInfo, cursor)
    yield { items, next: since === null ? next : null }
    if (next === null) return
    cursor = next
  }
}

export async function* discussionUrls(query: GraphQlQuery, repository: GitHubRepository): AsyncGenerator<string, void> {
  const order = { field: 'CREATED_AT', direction: 'ASC' }
  for (let after: string | null = null; ; ) {
    const variables = { ...repositoryVariables(repository), ...order, after }
    const answer = await query('DiscussionUrls', variables, discussionList(z.object({ url: z.string() })))
    if (answer === null) return
    const { nodes, pageInfo } = answer.repository.discussions
    for (const { url } of nodes) yield url
    after = nextPageCursor(pageInfo, after)
    if (after === null) return
  }
}

function nextPageCursor({ hasNextPage, endCursor }: z.infer<typeof PageInfo>, before: string | null): string | null {
  if (!hasNextPage) return null
  if (endCursor && endCursor !== before) return endCursor
  throw new SourceError('unexpected', 'GitHub keeps returning the same page of discussions.')
}

export async function fetchDiscussion(
  query: GraphQlQuery,
  number: number,
  facts: DiscussionContext,
): Promise<ConnectorItem | null> {
  const variables = { ...repositoryVariables(facts.repository), number }
  const answer = await query('Discussion', variables, singleDiscussion(z.unknown()))
  const discussion = answer?.repository.discussion ?? null
  return discussion === null ? null : discussionItem(query, discussion, facts)
}

const DiscussionKey = z.object({ url: z.string().optional(), number: z.number().optional() })

/** An error in one item becomes a failure item; the run continues. */
export async function discussionItem(
  query: GraphQlQuery,
  value: unknown,
  facts: DiscussionContext,
): Promise<ConnectorItem> {
  try {
    return {
      type: 'document',
      document: await toDiscussionDocument(query, validateAnswer(GitHubDiscussion, value), facts),
    }
  } catch (error) {
    if (!(error instanceof SourceError) || error.kind !== 'unexpected') throw error
    const { url = null, number } = DiscussionKey.safeParse(value).data ?? {}
    const entity_id = number === undefined ? null : `${facts.repository.full_name}#${number}`
    const message = `${entity_id ?? `A discussion of ${facts.repository.full_name}`} could not be read: ${error.message}`
    return { type: 'failure', document_id: url, link: url, entity_id, stage: 'fetch', message }
  }
}

async function toDiscussionDocument(
  query: GraphQlQuery,
  discussion: GitHubDiscussion,
  facts: DiscussionContext,
): Promise<SourceDocument> {
  const { number, title, url, body, author, updatedAt } = discussion
  const { full_name } = facts.repository
  return {
    id: url,
    semantic_identifier: `#${number}: ${title}`,
    title: `${title} #${number} ${full_name}`,
    sections: [{ text: body, link: url }, ...(await discussionSections(query, discussion, facts.repository))],
    metadata: discussionMetadata(discussion, full_name),
    doc_updated_at: parseTime(updatedAt),
    primary_owners: author ? [{ display_name: author.login }] : [],
    external_access: facts.access,
  }
}

async function discussionSections(
  query: GraphQlQuery,
  { number, comments }: GitHubDiscussion,
  repository: GitHubRepository,
): Promise<SourceDocument['sections']> {
  const said: [DiscussionReply, string][] = []
  for (let page = comments; ; ) {
    for (const comment of page.nodes) {
      said.push([comment, comment.isAnswer ? 'Answer' : 'Comment'])
      for await (const it of listReplies(query, comment)) said.push([it, it.isAnswer ? 'Answer' : 'Reply'])
    }
    if (!page.pageInfo.hasNextPage) break
    const variables = { ...repositoryVariables(repository), number, after: page.pageInfo.endCursor }
    const answer = await query('Comments', variables, singleDiscussion(z.object({ comments: CommentPage })))
    if (!answer?.repository.discussion) break
    page = answer.repository.discussion.comments
  }
  return said
    .filter(([{ body }]) => body.trim() !== '')
    .map(([{ body, url, author }, what]) => ({
      text: body,
      link: url,
      heading: `${what} by ${author?.login ?? 'ghost'}`,
    }))
}

async function* listReplies(
  query: GraphQlQuery,
  { id, replies }: z.infer<typeof DiscussionComment>,
): AsyncGenerator<DiscussionReply, void> {
  for (let page = replies; ; ) {
    yield* page.nodes
    if (!page.pageInfo.hasNextPage) return
    const schema = z.object({ node: z.object({ replies: ReplyPage }).nullable() })
    const answer = await query('Replies', { id, replies: page.pageInfo.endCursor }, schema)
    if (!answer?.node) return
    page = answer.node.replies
  }
}

function discussionMetadata(discussion: GitHubDiscussion, repo: string): Record<string, string | string[]> {
  const { number, category, labels, author, createdAt, updatedAt, comments } = discussion
  const isAnswered = comments.nodes.some((it) => it.isAnswer)
  const names = labels?.nodes.map((it) => it.name) ?? []
  return {
    object_type: 'Discussion',
    repo,
    id: String(number),
    ...(category && { category: category.name }),
    ...(author && { user: author.login }),
    ...(names.length > 0 && { labels: names }),
    ...(isAnswered && { answered: 'true' }),
    created_at: createdAt,
    updated_at: updatedAt,
  }
}
