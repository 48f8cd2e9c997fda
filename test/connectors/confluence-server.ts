// A fake Confluence Cloud or Server. Responses have the format of
// https://developer.atlassian.com/cloud/confluence/rest/v1/ and https://developer.atlassian.com/server/confluence/rest/v1000/
import { type Json, type JsonServer, json, openJsonServer, type Request } from './json-server.ts'
import type { Answer } from './site.ts'

interface State {
  pages: Map<string, Json>
  /** Keyed by page id. */
  comments: Map<string, Json[]>
  attachments: Map<string, Json[]>
  files: Map<string, string>
  /** Space permissions as in the response. Absent: the token may not see them. */
  spaces: Map<string, Json>
  groups: Map<string, Json[]>
  emails: Map<string, string>
  tokens: Set<string>
}

export interface Confluence extends JsonServer, State {
  /** Includes the path of the wiki. */
  base: string
  put(id: string, more?: Json): Json
  attach(page: string, name: string, content: string, version?: number): Json
}

export const USERNAME = 'mia@example.com'

export async function openConfluence(kind: 'cloud' | 'server'): Promise<Confluence> {
  const state: State = {
    pages: new Map(),
    comments: new Map(),
    attachments: new Map(),
    files: new Map(),
    spaces: new Map(),
    groups: new Map(),
    emails: new Map(),
    tokens: new Set(['token']),
  }
  const root = kind === 'cloud' ? '/wiki' : '/confluence'
  const server = await openJsonServer((request) => {
    const allowed = [...state.tokens].map((it) =>
      kind === 'cloud' ? `Basic ${Buffer.from(`${USERNAME}:${it}`).toString('base64')}` : `Bearer ${it}`,
    )
    if (!allowed.includes(String(request.headers.authorization)))
      return json({ message: 'Unauthorized', statusCode: 401 }, 401)
    if (!request.path.startsWith(`${root}/`)) return NOT_FOUND
    return answer({ ...state, kind }, { ...request, path: request.path.slice(root.length) }) ?? NOT_FOUND
  })
  let made = 0
  return Object.assign(server, state, {
    base: `${server.url}${root}`,
    put(id: string, more: Json = {}) {
      made += 1
      const page = {
        id,
        type: 'page',
        status: 'current',
        title: `Page ${id}`,
        space: { id: 1, key: 'TEAM', name: 'The team' },
        history: {
          createdDate: new Date(Date.UTC(2023, 0, 1) + made * 60_000).toISOString(),
          createdBy: { type: 'known', accountId: 'ann', displayName: 'Ann Author', email: '' },
        },
        version: {
          number: 1,
          when: '2024-01-01T00:00:00.000Z',
          by: { type: 'known', accountId: 'mia', displayName: 'Mia Krystof', email: 'mia@example.com' },
        },
        metadata: { labels: { results: [], start: 0, limit: 200, size: 0 } },
        body: { storage: { value: `<p>Text of ${id}</p>`, representation: 'storage' } },
        ancestors: [],
        restrictions: restricted(),
        _links: { webui: `/spaces/TEAM/pages/${id}/Page`, self: '' },
        ...more,
      }
      state.pages.set(id, page)
      return page
    },
    attach(page: string, name: string, content: string, version = 1) {
      const attachment = {
        id: `att${page}${name.replaceAll(/\W/g, '')}`,
        type: 'attachment',
        title: name,
        version: { number: version, when: '2024-02-02T00:00:00.000Z', by: { displayName: 'Mia Krystof' } },
        extensions: { mediaType: name.endsWith('.png') ? 'image/png' : 'text/plain', fileSize: content.length },
        container: { id: page, type: 'page' },
        _links: { download: `/download/attachments/${page}/${encodeURIComponent(name)}?version=${version}&api=v2` },
      }
      const others = (state.attachments.get(page) ?? []).filter((it) => it.title !== name)
      state.attachments.set(page, [...others, attachment])
      state.files.set(`${page}/${name}`, content)
      return attachment
    },
  })
}

const NOT_FOUND = json({ statusCode: 404, message: 'No content found with id', reason: 'Not Found' }, 404)

/** https://developer.atlassian.com/cloud/confluence/rest/v1/api-group-content-restrictions */
export const restricted = (users: Json[] = [], groups: string[] = []): Json => ({
  read: readRestriction(users, groups),
})
const readRestriction = (users: Json[], groups: string[]) => ({
  operation: 'read',
  restrictions: {
    user: { results: users, start: 0, limit: 200, size: users.length },
    group: { results: groups.map((name) => ({ type: 'group', name })), start: 0, limit: 200, size: groups.length },
  },
})

export const comment = (id: string, text: string, more: Json = {}): Json => ({
  id,
  type: 'comment',
  body: { storage: { value: `<p>${text}</p>`, representation: 'storage' } },
  version: { number: 1, when: '2024-01-01T00:00:00.000Z', by: { displayName: 'Carl Critic' } },
  ...more,
})

function answer(state: State & { kind: 'cloud' | 'server' }, request: Request): Answer | undefined {
  const { path, query } = request
  if (path === '/rest/api/user/current') return json({ type: 'known', accountId: 'mia', displayName: 'Mia Krystof' })
  if (path === '/rest/api/user') return json({ email: state.emails.get(query.get('accountId') ?? '') ?? '' })
  if (path === '/rest/api/content/search') return searchAnswer(state, query)
  if (path === '/rest/api/space') return json({ results: [] })
  // https://developer.atlassian.com/cloud/confluence/rest/v1/api-group-group/#api-wiki-rest-api-group-get
  if (path === '/rest/api/group') {
    const [start, limit] = [Number(query.get('start')), Number(query.get('limit'))]
    const all = [...state.groups.keys()].map((name) => ({ type: 'group', name }))
    return json({ results: all.slice(start, start + limit), start, limit })
  }
  const [, group] = /^\/rest\/api\/group\/([^/]+)\/member$/.exec(path) ?? []
  if (group !== undefined) {
    const all = state.groups.get(group)
    const [start, limit] = [Number(query.get('start')), Number(query.get('limit'))]
    return all === undefined ? json({ message: 'Forbidden' }, 403) : json({ results: all.slice(start, start + limit) })
  }
  const [, space, permissions] = /^\/rest\/api\/space\/([^/]+)(\/permissions)?$/.exec(path) ?? []
  if (space !== undefined) return spaceAnswer(state, space, permissions !== undefined)
  const [, id = '', rest = ''] = /^\/rest\/api\/content\/([^/]+)(\/.*)?$/.exec(path) ?? []
  const page = state.pages.get(id)
  if (page !== undefined) return contentAnswer(state, page, rest, query)
  const [, file] = /^\/download\/attachments\/(.+)$/.exec(path) ?? []
  const content = file === undefined ? undefined : state.files.get(file)
  return content === undefined ? undefined : { headers: { 'content-type': 'text/plain' }, body: content }
}

function spaceAnswer({ spaces, kind, pages }: State & { kind: string }, space: string, isPermissions: boolean): Answer {
  const isThere = spaces.has(space) || [...pages.values()].some((it) => it.space.key === space)
  if (!isThere) return json({ message: `No space with key : ${space}` }, 404)
  if (kind === 'server' && isPermissions) {
    return spaces.has(space) ? json(spaces.get(space)) : json({ message: 'Forbidden' }, 403)
  }
  return json({ key: space, ...(spaces.has(space) && { permissions: spaces.get(space) }) })
}

function contentAnswer(state: State, page: Json, rest: string, query: URLSearchParams): Answer | undefined {
  if (rest === '') return json(expanded(state, page))
  if (rest === '/restriction/byOperation/read') return json(page.restrictions?.read ?? readRestriction([], []))
  const [, kind] = /^\/child\/(comment|attachment)$/.exec(rest) ?? []
  if (kind !== undefined) {
    const all = (kind === 'comment' ? state.comments : state.attachments).get(page.id) ?? []
    const [start, limit] = [Number(query.get('start')), Number(query.get('limit'))]
    const results = all.slice(start, start + limit)
    const next = start + limit < all.length ? { next: `/rest/api${rest}?start=${start + limit}` } : {}
    return json({ results, start, limit, size: results.length, _links: next })
  }
  const [, attachment] = /^\/child\/attachment\/([^/]+)\/download$/.exec(rest) ?? []
  const found = state.attachments.get(page.id)?.find((it) => it.id === attachment)
  const content = found && state.files.get(`${page.id}/${found.title}`)
  return content === undefined ? undefined : { headers: { 'content-type': 'text/plain' }, body: content }
}

const expanded = ({ comments, attachments }: State, page: Json) => ({
  ...page,
  childTypes: { comment: { value: comments.has(page.id) }, attachment: { value: attachments.has(page.id) } },
})

/** The subset of CQL that the connector uses. */
function searchAnswer(state: State & { kind: 'cloud' | 'server' }, query: URLSearchParams): Answer {
  const cql = query.get('cql') ?? ''
  const [, space] = /space = "?(\w+)"?/.exec(cql) ?? []
  const [, single] = /\bid = (\d+)/.exec(cql) ?? []
  const [, ancestor] = /ancestor = (\d+)/.exec(cql) ?? []
  const since = Date.parse(`${/lastmodified >= "([^"]+)"/.exec(cql)?.[1]?.replace(' ', 'T')}Z`)
  const isNew = (it: Json) => Number.isNaN(since) || Date.parse(it.version.when) >= since
  const all = cql.includes('type in (comment, attachment)')
    ? [...state.comments, ...state.attachments].flatMap(([id, items]) =>
        items.map((it) => ({ ...it, container: { id, type: 'page' } })),
      )
    : [...state.pages.values()]
        .filter((it) => space === undefined || it.space.key === space)
        .filter((it) => single === undefined || it.id === single || isBelow(it, ancestor))
        .sort((a, b) => Date.parse(a.history.createdDate) - Date.parse(b.history.createdDate))
        .map((it) => expanded(state, it))
  const found = all.filter(isNew)
  const limit = Number(query.get('limit'))
  const start = Number(query.get('cursor')?.replace('next_', '') ?? query.get('start') ?? 0)
  const results = found.slice(start, start + limit)
  const place = state.kind === 'cloud' ? `cursor=next_${start + limit}` : `start=${start + limit}`
  const next = start + limit < found.length ? { next: `/rest/api/content/search?${place}&limit=${limit}` } : {}
  return json({ results, start, limit, size: results.length, _links: { base: 'http://wiki', context: '', ...next } })
}

const isBelow = (page: Json, ancestor: string | undefined) =>
  ancestor !== undefined && page.ancestors.some((it: Json) => it.id === ancestor)
