// A fake GitLab with one project. Responses have the format of https://docs.gitlab.com/api/, version 4.
import { type Json, type JsonServer, json, openJsonServer, pageOf, type Request } from './json-server.ts'
import type { Answer } from './site.ts'

interface State {
  project: Json
  issues: Map<number, Json>
  merge_requests: Map<number, Json>
  /** Keyed by kind and number. */
  notes: Map<string, Json[]>
  files: Map<string, string | Buffer>
  /** Null if the token may not see them. */
  members: Json[] | null
  emails: Map<number, string>
  tokens: Set<string>
}

export interface GitLab extends JsonServer, State {
  put(kind: 'issues' | 'merge_requests', iid: number, more?: Json): Json
}

export async function openGitLab(): Promise<GitLab> {
  const state: State = {
    // https://docs.gitlab.com/api/projects/#get-a-single-project
    project: {
      id: 3,
      path: 'diaspora-client',
      path_with_namespace: 'diaspora/diaspora-client',
      web_url: 'http://gitlab.test/diaspora/diaspora-client',
      visibility: 'public',
      default_branch: 'main',
      empty_repo: false,
      issues_access_level: 'enabled',
      merge_requests_access_level: 'enabled',
      repository_access_level: 'enabled',
    },
    issues: new Map(),
    merge_requests: new Map(),
    notes: new Map(),
    files: new Map(),
    members: [],
    emails: new Map(),
    tokens: new Set(['glpat-token']),
  }
  const server = await openJsonServer((request, url) => {
    // https://docs.gitlab.com/api/rest/authentication/
    if (!gitlab.tokens.has(String(request.headers['private-token']))) return json({ message: '401 Unauthorized' }, 401)
    return answer(gitlab, request, url) ?? json({ message: '404 Not found' }, 404)
  })
  const gitlab: GitLab = Object.assign(server, state, {
    put(kind: 'issues' | 'merge_requests', iid: number, more: Json = {}) {
      const thread = {
        id: 1_000 + iid,
        iid,
        project_id: 3,
        title: `Title ${iid}`,
        description: `Description of ${iid}`,
        state: 'opened',
        web_url: `${state.project.web_url}/-/${kind}/${iid}`,
        author: { id: 18, username: 'eileen.lowe', name: 'Alexandra Bashirian', state: 'active' },
        assignees: [],
        labels: [],
        milestone: null,
        confidential: false,
        user_notes_count: state.notes.get(`${kind}/${iid}`)?.length ?? 0,
        created_at: '2016-01-04T15:31:46.176Z',
        updated_at: new Date(Date.UTC(2024, 0, 1, 0, 0, iid)).toISOString(),
        closed_at: null,
        ...more,
      }
      state[kind].set(iid, thread)
      return thread
    },
  })
  return gitlab
}

export const shaOf = (content: string | Buffer) => Buffer.from(content).toString('hex').slice(0, 40)

function answer(state: State, request: Request, url: string): Answer | undefined {
  const { path } = request
  const [, user] = /^\/api\/v4\/users\/(\d+)$/.exec(path) ?? []
  if (user !== undefined) return json({ id: Number(user), public_email: state.emails.get(Number(user)) ?? '' })
  if (path === '/api/v4/projects/diaspora/diaspora-client') return json(state.project)
  const [, rest = ''] = /^\/api\/v4\/projects\/3(\/.*)$/.exec(path) ?? []
  const [, kind, iid, hasNotes] = /^\/(issues|merge_requests)(?:\/(\d+)(\/notes)?)?$/.exec(rest) ?? []
  if (kind === 'issues' || kind === 'merge_requests') {
    if (iid === undefined) return threadsOf(state[kind], request, url)
    if (hasNotes !== undefined) return pageOf(state.notes.get(`${kind}/${iid}`) ?? [], request, url)
    const thread = state[kind].get(Number(iid))
    return thread === undefined ? undefined : json(thread)
  }
  if (rest === '/members/all') {
    return state.members === null ? json({ message: '403 Forbidden' }, 403) : pageOf(state.members, request, url)
  }
  return fileAnswer(state, rest, request, url)
}

/** https://docs.gitlab.com/api/issues/#list-project-issues */
function threadsOf(threads: Map<number, Json>, request: Request, url: string): Answer {
  const { query } = request
  const since = Date.parse(query.get('updated_after') ?? '1970-01-01')
  const state = query.get('state')
  const found = [...threads.values()]
    .filter((it) => !(Date.parse(it.updated_at) < since) && (state === 'all' || it.state === state))
    .sort((a, b) => Date.parse(a.updated_at) - Date.parse(b.updated_at) || a.iid - b.iid)
  const page = pageOf(found, request, url)
  return { ...page, headers: { ...page.headers, 'x-total': String(found.length) } }
}

/** https://docs.gitlab.com/api/repositories/#list-repository-tree */
function fileAnswer({ files }: State, rest: string, request: Request, url: string): Answer | undefined {
  if (rest === '/repository/tree') {
    if (files.size === 0) return json({ message: '404 Tree Not Found' }, 404)
    const folders = new Set([...files.keys()].flatMap((it) => it.split('/').slice(0, -1)))
    const trees = [...folders].map((it) => ({ id: shaOf(it), name: it, path: it, type: 'tree', mode: '040000' }))
    const blobs = [...files].map(([path, content]) => ({ id: shaOf(content), path, type: 'blob', mode: '100644' }))
    return pageOf([...trees, ...blobs], request, url)
  }
  const [, sha] = /^\/repository\/blobs\/(\w+)\/raw$/.exec(rest) ?? []
  const content = [...files.values()].find((it) => shaOf(it) === sha)
  return content === undefined ? undefined : { headers: { 'content-type': 'application/octet-stream' }, body: content }
}
