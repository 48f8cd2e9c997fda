// Discussions of a repository, which GitHub tells by GraphQL alone:
// https://docs.github.com/en/graphql/guides/using-the-graphql-api-for-discussions
import { z } from 'zod'
import type { ExternalAccess } from '../domain/access.ts'
import { timeOf } from './changed-pages.ts'
import { type Item, type SourceDocument, SourceError } from './connector.ts'
import type { Repository } from './github-access.ts'
import { parsed } from './json-answer.ts'
import type { Rest } from './source-rest.ts'

/** One query; null where it names something that is not there, or may not be seen. */
export type Graph = <S extends z.ZodType>(
  name: keyof typeof QUERIES,
  variables: Record<string, unknown>,
  schema: S,
) => Promise<z.output<S> | null>

export interface Facts {
  repository: Repository
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
const PLACE = '$owner: String!, $name: String!'
const ORDERED = `${PLACE}, $after: String, $field: DiscussionOrderField!, $direction: OrderDirection!`

const QUERIES = {
  Discussions: `query Discussions(${ORDERED}, $replies: String) { ${LIST(DISCUSSION, 25)} }`,
  DiscussionUrls: `query DiscussionUrls(${ORDERED}) { ${LIST('url', 100)} }`,
  Discussion: `query Discussion(${PLACE}, $number: Int!, $replies: String) {
    repository(owner: $owner, name: $name) { discussion(number: $number) { ${DISCUSSION} } } }`,
  Comments: `query Comments(${PLACE}, $number: Int!, $after: String, $replies: String) {
    repository(owner: $owner, name: $name) { discussion(number: $number) { ${COMMENTS(', after: $after')} } } }`,
  Replies: `query Replies($id: ID!, $replies: String) { node(id: $id) { ... on DiscussionComment { ${REPLIES} } } }`,
}

const Page = z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullish() })
const Author = z.object({ login: z.string() }).nullish()
const Reply = z.object({ id: z.string(), url: z.string(), body: z.string(), isAnswer: z.boolean(), author: Author })
type Reply = z.infer<typeof Reply>
const Replies = z.object({ nodes: z.array(Reply), pageInfo: Page })
const Comment = Reply.extend({ replies: Replies })
const Comments = z.object({ nodes: z.array(Comment), pageInfo: Page })
const Discussion = z.object({
  number: z.number(),
  title: z.string(),
  url: z.string(),
  body: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  author: Author,
  category: z.object({ name: z.string() }).nullish(),
  labels: z.object({ nodes: z.array(z.object({ name: z.string() })) }).nullish(),
  comments: Comments,
})
type Discussion = z.infer<typeof Discussion>

const within = <S extends z.ZodType>(schema: S) => z.object({ repository: z.object({ discussion: schema.nullable() }) })
const listOf = <S extends z.ZodType>(schema: S) =>
  z.object({ repository: z.object({ discussions: z.object({ nodes: z.array(schema), pageInfo: Page }) }) })

const Answer = z.object({
  data: z.unknown().optional(),
  errors: z.array(z.object({ type: z.string().nullish(), message: z.string() })).nullish(),
})
const NOT_THERE = ['NOT_FOUND', 'FORBIDDEN']

/** `rest`: of the place at which GraphQL answers. */
export function openGraph(rest: Rest): Graph {
  return async (name, variables, schema) => {
    const { value } = await rest.ask('/graphql', { operationName: name, query: QUERIES[name], variables })
    const { data, errors } = parsed(Answer, value)
    const [error] = errors ?? []
    if (error === undefined) return parsed(schema, data)
    if (NOT_THERE.includes(error.type ?? '')) return null
    // It is told with HTTP 200: https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api
    const fault = error.type === 'RATE_LIMITED' ? 'unavailable' : 'unexpected'
    throw new SourceError(fault, `GitHub does not answer a query about discussions: ${error.message}`)
  }
}

const placeOf = ({ full_name }: Repository) => {
  const [owner, name] = full_name.split('/')
  return { owner, name }
}

/**
 * From the beginning they come in the order in which they were begun, which no change disturbs; what has changed since
 * a time comes with the newest first. `next` begins there; null: there is none.
 */
export async function* discussionPages(
  graph: Graph,
  repository: Repository,
  { since, after }: { since: number | null; after: string | null },
): AsyncGenerator<{ items: unknown[]; next: string | null }, void> {
  const order = since === null ? { field: 'CREATED_AT', direction: 'ASC' } : { field: 'UPDATED_AT', direction: 'DESC' }
  for (let cursor: string | null = after; ; ) {
    const variables = { ...placeOf(repository), ...order, after: cursor }
    const answer = await graph('Discussions', variables, listOf(z.looseObject({ updatedAt: z.string() })))
    if (answer === null) return
    const { nodes, pageInfo } = answer.repository.discussions
    const items = since === null ? nodes : nodes.filter((it) => !((timeOf(it.updatedAt) ?? since) < since))
    const next = items.length < nodes.length ? null : nextOf(pageInfo, cursor)
    yield { items, next: since === null ? next : null }
    if (next === null) return
    cursor = next
  }
}

export async function* discussionUrls(graph: Graph, repository: Repository): AsyncGenerator<string, void> {
  const order = { field: 'CREATED_AT', direction: 'ASC' }
  for (let after: string | null = null; ; ) {
    const variables = { ...placeOf(repository), ...order, after }
    const answer = await graph('DiscussionUrls', variables, listOf(z.object({ url: z.string() })))
    if (answer === null) return
    const { nodes, pageInfo } = answer.repository.discussions
    for (const { url } of nodes) yield url
    after = nextOf(pageInfo, after)
    if (after === null) return
  }
}

function nextOf({ hasNextPage, endCursor }: z.infer<typeof Page>, before: string | null): string | null {
  if (!hasNextPage) return null
  if (endCursor && endCursor !== before) return endCursor
  throw new SourceError('unexpected', 'GitHub answers the same page of discussions again and again.')
}

export async function discussionAt(graph: Graph, number: number, facts: Facts): Promise<Item | null> {
  const variables = { ...placeOf(facts.repository), number }
  const answer = await graph('Discussion', variables, within(z.unknown()))
  const discussion = answer?.repository.discussion ?? null
  return discussion === null ? null : itemOfDiscussion(graph, discussion, facts)
}

const Named = z.object({ url: z.string().optional(), number: z.number().optional() })

/** What is wrong with one is no fault of the others. */
export async function itemOfDiscussion(graph: Graph, value: unknown, facts: Facts): Promise<Item> {
  try {
    return { type: 'document', document: await documentOf(graph, parsed(Discussion, value), facts) }
  } catch (error) {
    if (!(error instanceof SourceError) || error.fault !== 'unexpected') throw error
    const { url = null, number } = Named.safeParse(value).data ?? {}
    const entity_id = number === undefined ? null : `${facts.repository.full_name}#${number}`
    const message = `${entity_id ?? `A discussion of ${facts.repository.full_name}`} could not be read: ${error.message}`
    return { type: 'failure', document_id: url, link: url, entity_id, stage: 'fetch', message }
  }
}

async function documentOf(graph: Graph, discussion: Discussion, facts: Facts): Promise<SourceDocument> {
  const { number, title, url, body, author, updatedAt } = discussion
  const { full_name } = facts.repository
  return {
    id: url,
    semantic_identifier: `#${number}: ${title}`,
    title: `${title} #${number} ${full_name}`,
    sections: [{ text: body, link: url }, ...(await repliesOf(graph, discussion, facts.repository))],
    metadata: metadataOf(discussion, full_name),
    doc_updated_at: timeOf(updatedAt),
    primary_owners: author ? [{ display_name: author.login }] : [],
    external_access: facts.access,
  }
}

async function repliesOf(
  graph: Graph,
  { number, comments }: Discussion,
  repository: Repository,
): Promise<SourceDocument['sections']> {
  const said: [Reply, string][] = []
  for (let page = comments; ; ) {
    for (const comment of page.nodes) {
      said.push([comment, comment.isAnswer ? 'Answer' : 'Comment'])
      for await (const it of allReplies(graph, comment)) said.push([it, it.isAnswer ? 'Answer' : 'Reply'])
    }
    if (!page.pageInfo.hasNextPage) break
    const variables = { ...placeOf(repository), number, after: page.pageInfo.endCursor }
    const answer = await graph('Comments', variables, within(z.object({ comments: Comments })))
    if (!answer?.repository.discussion) break
    page = answer.repository.discussion.comments
  }
  return said
    .filter(([{ body }]) => body.trim() !== '')
    .map(([{ body, url, author }, what]) => ({
      text: body,
      link: url,
      heading: `${what} of ${author?.login ?? 'ghost'}`,
    }))
}

async function* allReplies(graph: Graph, { id, replies }: z.infer<typeof Comment>): AsyncGenerator<Reply, void> {
  for (let page = replies; ; ) {
    yield* page.nodes
    if (!page.pageInfo.hasNextPage) return
    const schema = z.object({ node: z.object({ replies: Replies }).nullable() })
    const answer = await graph('Replies', { id, replies: page.pageInfo.endCursor }, schema)
    if (!answer?.node) return
    page = answer.node.replies
  }
}

function metadataOf(discussion: Discussion, repo: string): Record<string, string | string[]> {
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
