// JSON REST client with token authentication and Link-header pagination, shared by GitHub, GitLab and Confluence.

import { z } from 'zod'
import { trimEndCharacters } from '../../domain/values/trim.ts'
import { type ConnectorContext, SourceError, type SourceErrorKind, type SourceResponse } from '../connector.ts'
import { parseJsonBody, parseJsonOrNull, validateAnswer } from './json-response.ts'

export interface RestSettings {
  /** Without a trailing slash. */
  base: string
  /** The source's name in error messages. */
  label: string
  headers: Record<string, string>
  tokenField: string
  addressField: string
}

export interface RestResponse {
  value: unknown
  headers: Readonly<Record<string, string>>
  /** The path of the next page. */
  next: string | null
}

export interface RestClient {
  /** Rejects with a `RestStatusError` for any status outside 2xx. A body makes it a POST with JSON. */
  fetchJson(path: string, body?: unknown): Promise<RestResponse>
  /** The response body, unparsed. */
  fetchBytes(path: string): Promise<Buffer>
}

/** The source answered with a status outside 2xx. */
export class RestStatusError extends SourceError {
  readonly detail: string
  constructor(
    fault: SourceErrorKind,
    message: string,
    facts: { status: number; field: string | null; detail: string },
  ) {
    super(fault, message, facts)
    this.detail = facts.detail
  }
}

const MAX_BYTES = 64 << 20

export function createRestClient(fetch: ConnectorContext['fetch'], settings: RestSettings): RestClient {
  const { base, headers } = settings
  const send = async (path: string, accept: string, body?: unknown) => {
    const post = { method: 'POST', body: JSON.stringify(body) } as const
    const answer = await fetch(`${base}${path}`, {
      headers: { accept, ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && post),
      maxBytes: MAX_BYTES,
    })
    if (answer.status < 200 || answer.status >= 300) throw statusError(answer, settings)
    return answer
  }
  return {
    async fetchJson(path, body) {
      const answer = await send(path, 'application/json', body)
      return {
        value: parseJsonBody(answer, settings.addressField),
        headers: answer.headers,
        next: nextPagePath(answer, base),
      }
    },
    fetchBytes: async (path) => (await send(path, '*/*')).body,
  }
}

/** Yields every item of a paginated list. */
export async function* listItems<S extends z.ZodType>(
  rest: RestClient,
  path: string,
  schema: S,
): AsyncGenerator<z.output<S>> {
  for (let at: string | null = path; at !== null; ) {
    const { value, next } = await rest.fetchJson(at)
    yield* validateAnswer(z.array(schema), value)
    at = next
  }
}

export async function collectItems<S extends z.ZodType>(
  rest: RestClient,
  path: string,
  schema: S,
): Promise<z.output<S>[]> {
  const all: z.output<S>[] = []
  for await (const it of listItems(rest, path, schema)) all.push(it)
  return all
}

/** Resolves to null if the request fails with one of these statuses. Other errors are thrown. */
export async function nullIfStatus<T>(
  request: Promise<T>,
  statuses: readonly number[] = [403, 404],
): Promise<T | null> {
  try {
    return await request
  } catch (error) {
    if (error instanceof RestStatusError && error.status !== null && statuses.includes(error.status)) return null
    throw error
  }
}

const MAX_LINK = 16_384

/** RFC 8288. Only path and query of the link are used, because the request carries a token. */
function nextPagePath({ headers, url }: SourceResponse, base: string): string | null {
  const links = (headers.link ?? '').slice(0, MAX_LINK).matchAll(/<([^<>]*)>([^,<>]*)/g)
  const [, target] = links.find(([, , parameters = '']) => /;\s*rel="?next(?!\w)/i.test(parameters)) ?? []
  if (target === undefined || !URL.canParse(target, url)) return null
  const { pathname, search } = new URL(target, url)
  const root = new URL(base).pathname.replace(/\/$/, '')
  return `${pathname.startsWith(`${root}/`) ? pathname.slice(root.length) : pathname}${search}`
}

function statusError(answer: SourceResponse, { label, tokenField, addressField }: RestSettings): SourceError {
  const { status, url } = answer
  const detail = restErrorDetail(answer)
  if (status === 401) {
    const message = `${label} rejects the token (HTTP 401). It is wrong or has expired. ${detail}`
    return new SourceError('credential', message, { field: tokenField, status })
  }
  if (status === 403) {
    const message = `${label} does not allow this token to read this (HTTP 403): ${detail}`
    return new RestStatusError('credential', message, { status, field: tokenField, detail: detail })
  }
  const message = `${new URL(url).host} returned HTTP ${status}: ${detail}`
  return new RestStatusError('unexpected', message, { status, field: addressField, detail: detail })
}

const ErrorBody = z.looseObject({
  message: z.unknown().optional(),
  error: z.unknown().optional(),
  error_description: z.unknown().optional(),
})
const MAX_DETAIL_LENGTH = 500

function restErrorDetail({ body, status }: SourceResponse): string {
  const result = ErrorBody.safeParse(parseJsonOrNull(body.toString('utf8')))
  const { message, error, error_description } = result.success ? result.data : {}
  const text = [message, error_description, error].find((it) => typeof it === 'string' && it !== '')
  return (typeof text === 'string' ? text : `HTTP ${status}`).slice(0, MAX_DETAIL_LENGTH)
}

/** Trims spaces and trailing slashes, and adds https:// if there is no scheme. */
export function parseBaseUrl(text: string, field: string): string {
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(text.trim()) ? text.trim() : `https://${text.trim()}`
  if (!/^https?:/i.test(url) || !URL.canParse(url)) {
    throw new SourceError('config', `${text} is not a valid address. Enter it as https://host.`, { field })
  }
  return trimEndCharacters(url, '/')
}
