// How a Redmine is asked: https://www.redmine.org/projects/redmine/wiki/Rest_api
import { z } from 'zod'
import { type Pull, type PullAnswer, SourceError } from './connector.ts'
import { readJson } from './json-answer.ts'

export interface Redmine {
  base: string
  /** Null: it is not there. A `SourceError` where it may not be seen. */
  find<T>(path: string, query: Query, schema: z.ZodType<T, unknown>): Promise<T | null>
  /** As somebody who has not signed in; null where that is not enough. */
  findOpen<T>(path: string, query: Query, schema: z.ZodType<T, unknown>): Promise<T | null>
  /** All of them, however many pages it takes, or a `SourceError`. */
  all<T extends { id: number }>(path: string, name: string, item: z.ZodType<T, unknown>, query?: Query): Promise<T[]>
  download(path: string, maxBytes: number): Promise<PullAnswer>
}

/** Names may be repeated. */
export type Query = readonly (readonly [name: string, value: string])[]

const URL_FIELD = 'connector_specific_config.base_url'
const KEY_FIELD = 'credential_json.redmine_api_key'
const MAX_BYTES = 32 << 20
const PAGE = 100

export function openRedmine(fetch: Pull['fetch'], baseUrl: string, key: string | null): Redmine {
  const base = baseOf(baseUrl)
  const headers = key === null ? {} : { 'x-redmine-api-key': key }
  const find: Redmine['find'] = async (path, query, schema) => {
    const answer = await fetch(addressOf(base, path, query), { headers, maxBytes: MAX_BYTES })
    if (answer.status === 404) return null
    refuse(answer, key !== null)
    return readJson(answer, schema)
  }
  return {
    base,
    find,
    async findOpen(path, query, schema) {
      const answer = await fetch(addressOf(base, path, query), { maxBytes: MAX_BYTES })
      // Some answer with the page where one signs in.
      const isJson = /\bjson\b/i.test(answer.headers['content-type'] ?? '')
      return answer.status === 200 && isJson ? readJson(answer, schema) : null
    },
    all: (path, name, item, query = []) => listAll(find, path, name, item, query),
    download: (path, maxBytes) => fetch(`${base}${path}`, { headers, maxBytes }),
  }
}

function baseOf(text: string): string {
  const given = text.trim().replace(/\/+$/, '')
  const url = URL.canParse(given) ? new URL(given) : null
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === '') {
    return `${url.origin}${url.pathname}`.replace(/\/+$/, '')
  }
  throw new SourceError('config', `"${given}" is no http address.`, { field: URL_FIELD })
}

const addressOf = (base: string, path: string, query: Query): string =>
  `${base}${path}?${query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&')}`

/** Of 403 it is not known which: the service may be off, or the account may not. */
function refuse({ status, url }: PullAnswer, isSignedIn: boolean): void {
  if (status === 200) return
  const { host, pathname } = new URL(url)
  const said = `${host}${pathname} answers ${status}.`
  if (status === 401) {
    const why = isSignedIn ? 'The key is not accepted' : 'It needs a credential'
    throw new SourceError('credential', `${why}: ${said}`, { field: KEY_FIELD, status })
  }
  if (status === 403) {
    const why = 'The account of the key may not see this, or the REST service of Redmine is off'
    throw new SourceError('credential', `${why}: ${said}`, { field: KEY_FIELD, status })
  }
  throw new SourceError('unexpected', said, { status })
}

const TRIES = 3

/** Pages count from the beginning, so what comes or goes meanwhile moves the others: then it is begun again. */
async function listAll<T extends { id: number }>(
  find: Redmine['find'],
  path: string,
  name: string,
  item: z.ZodType<T, unknown>,
  query: Query,
): Promise<T[]> {
  const schema = z.looseObject({ total_count: z.number() })
  const items = z.array(item)
  for (let left = TRIES; left > 0; left -= 1) {
    const all = new Map<number, T>()
    for (let offset = 0, total = 1; offset < total; offset += PAGE) {
      const paging = [...query, ['limit', `${PAGE}`], ['offset', `${offset}`]] as const
      const answer = await find(path, paging, schema)
      if (answer === null) throw new SourceError('unexpected', `${path} is not there.`)
      const listed = items.safeParse(answer[name])
      if (!listed.success) throw new SourceError('unexpected', `${path} answers no list of ${name}.`)
      for (const it of listed.data) all.set(it.id, it)
      total = answer.total_count
      if (offset + PAGE >= total && all.size === total) return [...all.values()]
    }
  }
  throw new SourceError('unexpected', `${path} changes while it is listed.`)
}

const Named = z.object({ id: z.number(), name: z.string().default('') })
export type Named = z.infer<typeof Named>

export const Project = z.object({
  id: z.number(),
  name: z.string(),
  identifier: z.string(),
  parent: z.object({ id: z.number() }).optional(),
  is_public: z.boolean().default(false),
  enabled_modules: z.array(z.object({ name: z.string() })).optional(),
})
export type Project = z.infer<typeof Project>

const Attachment = z.object({ id: z.number(), filename: z.string(), filesize: z.number() })
export type Attachment = z.infer<typeof Attachment>
const attachments = z.array(Attachment).default([])

export const Issue = z.object({
  id: z.number(),
  subject: z.string(),
  description: z.string().nullish(),
  project: Named,
  tracker: Named.optional(),
  status: Named.optional(),
  priority: Named.optional(),
  author: Named.optional(),
  assigned_to: Named.optional(),
  category: Named.optional(),
  fixed_version: Named.optional(),
  parent: z.object({ id: z.number() }).optional(),
  start_date: z.string().nullish(),
  due_date: z.string().nullish(),
  is_private: z.boolean().default(false),
  created_on: z.string().optional(),
  updated_on: z.string(),
  attachments,
  journals: z
    .array(
      z.object({
        user: Named.optional(),
        notes: z.string().nullish(),
        created_on: z.string().optional(),
        /** Older ones do not say; then they have none that are private. */
        private_notes: z.boolean().default(false),
      }),
    )
    .default([]),
})
export type Issue = z.infer<typeof Issue>

const PageHead = z.object({ title: z.string(), version: z.number(), updated_on: z.string() })
export type PageHead = z.infer<typeof PageHead>
export const WikiIndex = z.object({ wiki_pages: z.array(PageHead) })
export const WikiPage = z.object({
  wiki_page: PageHead.extend({ text: z.string().nullish(), author: Named.optional(), attachments }),
})
