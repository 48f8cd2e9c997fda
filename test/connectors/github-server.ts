// A fake GitHub. Responses have the format of https://docs.github.com/en/rest, API version 2022-11-28.
import { type Json, type JsonServer, json, openJsonServer, pageOf, type Request } from './json-server.ts'
import type { Answer } from './site.ts'

interface Repository {
  private: boolean
  visibility: string
  hasIssues: boolean
  issues: Map<number, Json>
  comments: Map<number, Json[]>
  reviews: Map<number, Json[]>
  remarks: Map<number, Json[]>
  files: Map<string, string | Buffer>
  /** In GraphQL format. Comments and replies are returned in pages of two. */
  discussions: Map<number, Json>
  teams: Json[]
  /** Null if the token may not see them. */
  collaborators: Json[] | null
}

export interface GitHub extends JsonServer {
  repositories: Map<string, Repository>
  tokens: Set<string>
  emails: Map<string, string | null>
  /** Keyed by the path of the team, or `/orgs/octo`. */
  members: Map<string, Json[]>
  repository(name: string, more?: Partial<Repository>): Repository
  issue(name: string, number: number, more?: Json): Json
  discussion(name: string, number: number, more?: Json): Json
  readonly read: string[]
}

const MAX_TREE = 3

export async function openGitHub(): Promise<GitHub> {
  const repositories: GitHub['repositories'] = new Map()
  const tokens = new Set(['ghp_token'])
  const emails: GitHub['emails'] = new Map()
  const members: GitHub['members'] = new Map()
  const server = await openJsonServer((request, url) => {
    // https://docs.github.com/en/rest/authentication/authenticating-to-the-rest-api
    const token = String(request.headers.authorization ?? '').replace('Bearer ', '')
    if (token !== '' && !tokens.has(token))
      return json({ message: 'Bad credentials', documentation_url: 'https://docs.github.com/rest' }, 401)
    if (!request.headers['user-agent']) return json({ message: 'Request forbidden by administrative rules.' }, 403)
    return answer({ repositories, emails, members }, request, url, token !== '') ?? NOT_FOUND
  })
  const github: Omit<GitHub, keyof JsonServer | 'read'> = {
    repositories,
    tokens,
    emails,
    members,
    repository(name, more = {}) {
      const made: Repository = {
        private: false,
        visibility: 'public',
        hasIssues: true,
        issues: new Map(),
        comments: new Map(),
        reviews: new Map(),
        remarks: new Map(),
        files: new Map(),
        discussions: new Map(),
        teams: [],
        collaborators: [],
        ...more,
      }
      repositories.set(name, made)
      return made
    },
    discussion(name, number, more = {}) {
      const discussion = {
        number,
        title: `Talk ${number}`,
        url: `https://github.test/octo/${name}/discussions/${number}`,
        body: `Opening of ${number}`,
        createdAt: new Date(Date.UTC(2024, 0, 1, 0, 0, number)).toISOString(),
        updatedAt: new Date(Date.UTC(2024, 0, 1, 0, 0, number)).toISOString(),
        author: { login: 'octocat' },
        category: { name: 'General' },
        labels: { nodes: [] },
        comments: [],
        ...more,
      }
      repositories.get(name)!.discussions.set(number, discussion)
      return discussion
    },
    issue(name, number, more = {}) {
      const found = repositories.get(name)!
      const kind = more.pull_request ? 'pull' : 'issues'
      const issue = {
        id: 1_000 + number,
        number,
        title: `Title ${number}`,
        html_url: `https://github.test/octo/${name}/${kind}/${number}`,
        state: 'open',
        body: `Body of ${number}`,
        user: { login: 'octocat', id: 1 },
        labels: [],
        assignees: [],
        milestone: null,
        comments: found.comments.get(number)?.length ?? 0,
        created_at: '2024-01-01T00:00:00Z',
        updated_at: new Date(Date.UTC(2024, 0, 1, 0, 0, number)).toISOString().replace('.000', ''),
        closed_at: null,
        ...more,
      }
      found.issues.set(number, issue)
      return issue
    },
  }
  return Object.assign(server, github, {
    get read() {
      return server.asked.map((it) => it.path)
    },
  })
}

const NOT_FOUND = json({ message: 'Not Found', documentation_url: 'https://docs.github.com/rest', status: '404' }, 404)
type State = Pick<GitHub, 'repositories' | 'emails' | 'members'>

function answer(
  { repositories, emails, members }: State,
  request: Request,
  url: string,
  isSignedIn: boolean,
): Answer | undefined {
  const { path } = request
  if (path === '/graphql' && request.method === 'POST')
    return isSignedIn ? graphAnswer(repositories, request.body) : UNAUTHORIZED
  const all = [...repositories].map(([name, it]) => repositoryOf(name, it))
  if (path === '/orgs/octo/repos') return pageOf(all, request, url)
  if (path === '/users/mona/repos') return pageOf(all.filter((it) => !it.private).map(ofMona), request, url)
  if (path === '/user/repos') return isSignedIn ? pageOf(all.map(ofMona), request, url) : UNAUTHORIZED
  const [, login] = /^\/users\/([^/]+)$/.exec(path) ?? []
  if (login !== undefined) return json({ login, email: emails.get(login) ?? null })
  // https://docs.github.com/en/rest/teams/members#list-team-members
  const [, place = ''] = /^(\/orgs\/.+)\/members$/.exec(path) ?? []
  if (place !== '') return members.has(place) ? pageOf(members.get(place)!, request, url) : undefined
  const [, name = '', rest = ''] = /^\/repos\/(?:octo|mona)\/([^/]+)(\/.*)?$/.exec(path) ?? []
  const repository = repositories.get(name)
  if (repository === undefined) return undefined
  if (rest === '') return json(repositoryOf(name, repository))
  if (rest === '/issues') return issuesOf(repository, request, url)
  if (rest === '/pulls') return pullsOf(repository, request, url)
  if (rest === '/teams') return repository.collaborators === null ? FORBIDDEN : json(repository.teams)
  if (rest === '/collaborators') {
    return repository.collaborators === null ? FORBIDDEN : json(repository.collaborators)
  }
  return threadOf(repository, rest, request, url) ?? fileAnswer(repository, rest)
}

const UNAUTHORIZED = json({ message: 'Requires authentication' }, 401)

const ofMona = (repository: ReturnType<typeof repositoryOf>) => ({
  ...repository,
  full_name: repository.full_name.replace('octo/', 'mona/'),
  html_url: repository.html_url.replace('octo/', 'mona/'),
  owner: { login: 'mona', type: 'User' },
})

const FORBIDDEN = json({ message: 'Must have push access to view repository collaborators.' }, 403)

/** https://docs.github.com/en/rest/repos/repos#get-a-repository */
const repositoryOf = (name: string, { private: isPrivate, visibility, hasIssues }: Repository) => ({
  id: 1_296_269,
  name,
  full_name: `octo/${name}`,
  html_url: `https://github.test/octo/${name}`,
  private: isPrivate,
  visibility,
  default_branch: 'main',
  has_issues: hasIssues,
  owner: { login: 'octo', type: 'Organization' },
})

const byChange = (a: Json, b: Json) => Date.parse(a.updated_at) - Date.parse(b.updated_at) || a.number - b.number

/** https://docs.github.com/en/rest/issues/issues#list-repository-issues */
function issuesOf({ issues, hasIssues }: Repository, request: Request, url: string): Answer {
  if (!hasIssues) return json({ message: 'Issues are disabled for this repo' }, 410)
  const { query } = request
  const since = Date.parse(query.get('since') ?? '1970-01-01')
  const state = query.get('state')
  const found = [...issues.values()]
    .filter((it) => !(Date.parse(it.updated_at) < since) && (state === 'all' || it.state === state))
    .sort(byChange)
  return pageOf(found, request, url)
}

/**
 * https://docs.github.com/en/rest/pulls/pulls#list-pull-requests: `comments` is present for a single pull request only.
 */
function pullsOf({ issues }: Repository, request: Request, url: string): Answer {
  const found = [...issues.values()].filter((it) => it.pull_request).sort((a, b) => byChange(b, a))
  return pageOf(
    found.map(({ comments: _, pull_request: __, ...it }) => ({ ...it, merged_at: null })),
    request,
    url,
  )
}

function threadOf(repository: Repository, rest: string, request: Request, url: string): Answer | undefined {
  const [, kind, number, what] = /^\/(issues|pulls)\/(\d+)(?:\/(comments|reviews))?$/.exec(rest) ?? []
  if (kind === undefined) return undefined
  const issue = repository.issues.get(Number(number))
  if (issue === undefined) return undefined
  if (what === undefined) return json(issue)
  const { comments, reviews, remarks } = repository
  const thread = kind === 'issues' ? comments : what === 'reviews' ? reviews : remarks
  return pageOf(thread.get(Number(number)) ?? [], request, url)
}

/** https://docs.github.com/en/graphql/guides/using-pagination-in-the-graphql-api */
function connectionOf(all: Json[], after: string | null | undefined, size: number): Json {
  const start = after ? Number(after.slice('cursor:'.length)) : 0
  const nodes = all.slice(start, start + size)
  const end = start + nodes.length
  return { nodes, pageInfo: { hasNextPage: end < all.length, endCursor: nodes.length > 0 ? `cursor:${end}` : null } }
}

const repliesIn = (comment: Json, after?: string) => connectionOf(comment.replies ?? [], after, 2)
const commentsIn = ({ comments }: Json, after?: string) => {
  const page = connectionOf(comments, after, 2)
  return { ...page, nodes: page.nodes.map((it: Json) => ({ ...it, replies: repliesIn(it) })) }
}

/** https://docs.github.com/en/graphql/guides/using-the-graphql-api-for-discussions */
function graphAnswer(repositories: Map<string, Repository>, { operationName, query, variables }: Json): Answer {
  if (!query.includes(`query ${operationName}(`)) return json({ errors: [{ message: 'No operation of that name.' }] })
  if (operationName === 'Replies') {
    const comments = [...repositories.values()].flatMap((it) =>
      [...it.discussions.values()].flatMap((discussion) => discussion.comments),
    )
    const node = comments.find((it) => it.id === variables.id)
    return json({ data: { node: node === undefined ? null : { replies: repliesIn(node, variables.replies) } } })
  }
  const repository = repositories.get(variables.name)
  if (repository === undefined) {
    const message = `Could not resolve to a Repository with the name '${variables.owner}/${variables.name}'.`
    return json({ data: { repository: null }, errors: [{ type: 'NOT_FOUND', path: ['repository'], message }] })
  }
  const found = repository.discussions.get(variables.number)
  if (operationName === 'Comments') {
    return json({ data: { repository: { discussion: found && { comments: commentsIn(found, variables.after) } } } })
  }
  const whole = (it: Json) => ({ ...it, comments: commentsIn(it) })
  if (operationName === 'Discussion') {
    return json({ data: { repository: { discussion: found === undefined ? null : whole(found) } } })
  }
  const by = variables.field === 'UPDATED_AT' ? 'updatedAt' : 'createdAt'
  const sorted = [...repository.discussions.values()].sort((a, b) => (a[by] < b[by] ? -1 : 1))
  const page = connectionOf(variables.direction === 'DESC' ? sorted.reverse() : sorted, variables.after, 25)
  const nodes = page.nodes.map((it: Json) => (operationName === 'DiscussionUrls' ? { url: it.url } : whole(it)))
  return json({ data: { repository: { discussions: { ...page, nodes } } } })
}

/** https://docs.github.com/en/rest/git/trees#get-a-tree, with a limit of three entries so that truncation occurs. */
function fileAnswer({ files }: Repository, rest: string): Answer | undefined {
  const [, sha] = /^\/git\/blobs\/(\w+)$/.exec(rest) ?? []
  if (sha !== undefined) {
    const content = [...files.values()].find((it) => shaOf(it) === sha)
    return content === undefined
      ? undefined
      : json({ sha, encoding: 'base64', content: Buffer.from(content).toString('base64') })
  }
  const [, path] = /^\/contents\/(.+)$/.exec(rest) ?? []
  const named = path === undefined ? undefined : files.get(path)
  if (named !== undefined) return json({ sha: shaOf(named), size: Buffer.byteLength(named), path })
  const [, tree] = /^\/git\/trees\/(.+)$/.exec(rest) ?? []
  if (tree === undefined || files.size === 0)
    return tree === undefined ? undefined : json({ message: 'Git Repository is empty.' }, 409)
  return undefined
}

export const shaOf = (content: string | Buffer) => Buffer.from(content).toString('hex').slice(0, 40)

/** Tree responses for `intercept`. The sha of a folder is its path. */
export function treeAnswer({ repositories }: GitHub, { path, query }: Request): Answer | undefined {
  const [, name = '', tree] = /^\/repos\/octo\/([^/]+)\/git\/trees\/(.+)$/.exec(path) ?? []
  const files = repositories.get(name)?.files
  if (tree === undefined || files === undefined || files.size === 0) return undefined
  if (tree === 'nowhere') return NOT_FOUND
  const prefix = tree === 'main' || tree === 'dev' ? '' : `${Buffer.from(tree, 'hex')}/`
  const below = [...files]
    .filter(([it]) => it.startsWith(prefix))
    .map(([it, content]) => [it.slice(prefix.length), content] as const)
  const blobOf = (it: string, content: string | Buffer) => ({
    path: it,
    mode: '100644',
    type: 'blob',
    sha: shaOf(content),
    size: Buffer.byteLength(content),
  })
  if (query.get('recursive') === '1') {
    const entries = below.map(([it, content]) => blobOf(it, content))
    return json({ sha: tree, tree: entries.slice(0, MAX_TREE), truncated: entries.length > MAX_TREE })
  }
  const folders = new Set(below.filter(([it]) => it.includes('/')).map(([it]) => it.split('/')[0]!))
  const here = below.filter(([it]) => !it.includes('/')).map(([it, content]) => blobOf(it, content))
  const trees = [...folders].map((it) => ({
    path: it,
    mode: '040000',
    type: 'tree',
    sha: Buffer.from(`${prefix}${it}`).toString('hex'),
  }))
  return json({ sha: tree, tree: [...here, ...trees], truncated: false })
}
