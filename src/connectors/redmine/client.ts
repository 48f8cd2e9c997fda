// Redmine REST client: https://www.redmine.org/projects/redmine/wiki/Rest_api

import { z } from 'zod'
import { trimEndCharacters } from '../../domain/values/trim.ts'
import { type ConnectorContext, SourceError, type SourceResponse } from '../connector.ts'
import { parseJsonAnswer } from '../rest/json-response.ts'

export interface RedmineClient {
  base: string
  /** Null on 404. Throws a `SourceError` if access is denied. */
  get<T>(path: string, query: RedmineQuery, schema: z.ZodType<T, unknown>): Promise<T | null>
  /** Requests anonymously. Null if that is not allowed. */
  getAnonymously<T>(path: string, query: RedmineQuery, schema: z.ZodType<T, unknown>): Promise<T | null>
  /** Lists all pages, or throws a `SourceError`. */
  list<T extends { id: number }>(
    path: string,
    name: string,
    item: z.ZodType<T, unknown>,
    query?: RedmineQuery,
  ): Promise<T[]>
  download(path: string, maxBytes: number): Promise<SourceResponse>
}

/** Names may repeat. */
export type RedmineQuery = readonly (readonly [name: string, value: string])[]

const URL_FIELD = 'connector_specific_config.base_url'
const KEY_FIELD = 'credential_json.redmine_api_key'
const MAX_BYTES = 32 << 20
const PAGE = 100

export function createRedmineClient(
  fetch: ConnectorContext['fetch'],
  baseUrl: string,
  apiKey: string | null,
): RedmineClient {
  const base = parseRedmineUrl(baseUrl)
  const headers = apiKey === null ? {} : { 'x-redmine-api-key': apiKey }
  const find: RedmineClient['get'] = async (path, query, schema) => {
    const answer = await fetch(buildUrl(base, path, query), { headers, maxBytes: MAX_BYTES })
    if (answer.status === 404) return null
    throwIfRedmineRefused(answer, apiKey !== null)
    return parseJsonAnswer(answer, schema)
  }
  return {
    base,
    get: find,
    async getAnonymously(path, query, schema) {
      const answer = await fetch(buildUrl(base, path, query), { maxBytes: MAX_BYTES })
      // Some servers answer with the login page.
      const isJson = /\bjson\b/i.test(answer.headers['content-type'] ?? '')
      return answer.status === 200 && isJson ? parseJsonAnswer(answer, schema) : null
    },
    list: (path, name, item, query = []) => listAll(find, path, name, item, query),
    download: (path, maxBytes) => fetch(`${base}${path}`, { headers, maxBytes }),
  }
}

export function parseRedmineUrl(text: string): string {
  const trimmed = trimEndCharacters(text.trim(), '/')
  const url = URL.canParse(trimmed) ? new URL(trimmed) : null
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === '') {
    return trimEndCharacters(`${url.origin}${url.pathname}`, '/')
  }
  throw new SourceError('config', `"${trimmed}" is not a valid http address.`, { field: URL_FIELD })
}

const buildUrl = (base: string, path: string, query: RedmineQuery): string =>
  `${base}${path}?${query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&')}`

/** A 403 is ambiguous: the REST API may be disabled, or the account may lack the permission. */
function throwIfRedmineRefused({ status, url }: SourceResponse, isSignedIn: boolean): void {
  if (status === 200) return
  const { host, pathname } = new URL(url)
  const said = `${host}${pathname} returned HTTP ${status}.`
  if (status === 401) {
    const why = isSignedIn ? 'The API key is invalid' : 'A credential is required'
    throw new SourceError('credential', `${why}: ${said}`, { field: KEY_FIELD, status })
  }
  if (status === 403) {
    const why = 'The API key lacks the permission, or the REST API of Redmine is disabled'
    throw new SourceError('credential', `${why}: ${said}`, { field: KEY_FIELD, status })
  }
  throw new SourceError('unexpected', said, { status })
}

const MAX_ATTEMPTS = 3

/** Offsets shift when items are added or removed during the listing; the listing then restarts. */
async function listAll<T extends { id: number }>(
  find: RedmineClient['get'],
  path: string,
  name: string,
  item: z.ZodType<T, unknown>,
  query: RedmineQuery,
): Promise<T[]> {
  const schema = z.looseObject({ total_count: z.number() })
  const items = z.array(item)
  for (let attemptsLeft = MAX_ATTEMPTS; attemptsLeft > 0; attemptsLeft -= 1) {
    const all = new Map<number, T>()
    for (let offset = 0, total = 1; offset < total; offset += PAGE) {
      const paging = [...query, ['limit', `${PAGE}`], ['offset', `${offset}`]] as const
      const answer = await find(path, paging, schema)
      if (answer === null) throw new SourceError('unexpected', `${path} was not found.`)
      const listed = items.safeParse(answer[name])
      if (!listed.success) throw new SourceError('unexpected', `${path} returned no list of ${name}.`)
      for (const it of listed.data) all.set(it.id, it)
      total = answer.total_count
      if (offset + PAGE >= total && all.size === total) return [...all.values()]
    }
  }
  throw new SourceError('unexpected', `${path} keeps changing while it is listed.`)
}

const RedmineRef = z.object({ id: z.number(), name: z.string().default('') })
export type RedmineRef = z.infer<typeof RedmineRef>

export const RedmineProject = z.object({
  id: z.number(),
  name: z.string(),
  identifier: z.string(),
  parent: z.object({ id: z.number() }).optional(),
  is_public: z.boolean().default(false),
  enabled_modules: z.array(z.object({ name: z.string() })).optional(),
})
export type RedmineProject = z.infer<typeof RedmineProject>

const RedmineAttachment = z.object({ id: z.number(), filename: z.string(), filesize: z.number() })
export type RedmineAttachment = z.infer<typeof RedmineAttachment>
const attachments = z.array(RedmineAttachment).default([])

export const RedmineIssue = z.object({
  id: z.number(),
  subject: z.string(),
  description: z.string().nullish(),
  project: RedmineRef,
  tracker: RedmineRef.optional(),
  status: RedmineRef.optional(),
  priority: RedmineRef.optional(),
  author: RedmineRef.optional(),
  assigned_to: RedmineRef.optional(),
  category: RedmineRef.optional(),
  fixed_version: RedmineRef.optional(),
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
        user: RedmineRef.optional(),
        notes: z.string().nullish(),
        created_on: z.string().optional(),
        /** Older servers omit this; they have no private notes. */
        private_notes: z.boolean().default(false),
      }),
    )
    .default([]),
})
export type RedmineIssue = z.infer<typeof RedmineIssue>

const WikiPageHead = z.object({ title: z.string(), version: z.number(), updated_on: z.string() })
export type WikiPageHead = z.infer<typeof WikiPageHead>
export const WikiIndex = z.object({ wiki_pages: z.array(WikiPageHead) })
export const WikiPage = z.object({
  wiki_page: WikiPageHead.extend({ text: z.string().nullish(), author: RedmineRef.optional(), attachments }),
})
