// How the generated functions reach the service: one request, and its answer or an ApiError. Runs in browsers too.

export type Fetch = (url: string, init: RequestInit) => Promise<Response>
export type Body = NonNullable<RequestInit['body']>

export interface ApiSettings {
  /** Where the service answers, such as http://127.0.0.1:8080 or https://example.com/api. */
  url: string
  /** Absent where a cookie says who asks. */
  key?: string
  fetch: Fetch
}

export interface ApiRequest {
  method: string
  path: string
  query?: Record<string, string | number | boolean | null | undefined>
  json?: unknown
  body?: Body | undefined
  /** Of `body`, where that does not tell by itself. */
  media?: string
  signal?: AbortSignal | undefined
}

export interface Api {
  /** The parsed answer. Rejects with ApiError when the service refuses, with what `fetch` throws when none came. */
  json<T>(request: ApiRequest): Promise<T>
  /** The answer as it comes, for what is no JSON. */
  raw(request: ApiRequest): Promise<Response>
}

/** What does not fit in a request, and where. */
export interface Misfit {
  loc: (string | number)[]
  msg: string
  type: string
}

/** The service has answered, and it was no success. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  /** From docs/errors.md; null where something between here and the service answered. */
  readonly error_code: string | null
  readonly detail: string
  readonly misfits: readonly Misfit[]
  readonly request_id: string | null
  /** How long to wait before the next try, where the service says so. */
  readonly retryAfterMs: number | null

  constructor(answer: Pick<Response, 'status' | 'headers'>, text: string) {
    const { error_code, detail, misfits } = told(text, answer.status)
    super(detail)
    this.status = answer.status
    this.error_code = error_code
    this.detail = detail
    this.misfits = misfits
    this.request_id = answer.headers.get('x-request-id')
    const seconds = Number(answer.headers.get('retry-after') ?? Number.NaN)
    this.retryAfterMs = Number.isFinite(seconds) ? seconds * 1_000 : null
  }
}

export function openApi({ url, key, fetch }: ApiSettings): Api {
  const base = url.replace(/\/+$/, '')
  const raw = async ({ method, path, query = {}, json, body, media, signal }: ApiRequest) => {
    const type = json === undefined ? media : 'application/json'
    const sent = json === undefined ? body : JSON.stringify(json)
    const answer = await fetch(`${base}${path}${queryText(query)}`, {
      method,
      headers: {
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(type !== undefined && { 'content-type': type }),
      },
      ...(sent !== undefined && { body: sent }),
      ...(signal !== undefined && { signal }),
    })
    if (!answer.ok) throw new ApiError(answer, await answer.text())
    return answer
  }
  return { raw, json: async <T>(request: ApiRequest) => (await (await raw(request)).json()) as T }
}

function queryText(query: NonNullable<ApiRequest['query']>): string {
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) given.set(name, String(value))
  }
  return given.size === 0 ? '' : `?${given}`
}

interface Told {
  error_code: string | null
  detail: string
  misfits: Misfit[]
}

/** A proxy answers with pages of its own: then the status is all there is to say. */
function told(text: string, status: number): Told {
  const { error_code, detail, message } = objectIn(text)
  if (Array.isArray(detail)) {
    return { error_code: null, detail: typeof message === 'string' ? message : explained(detail), misfits: detail }
  }
  return {
    error_code: typeof error_code === 'string' ? error_code : null,
    detail: typeof detail === 'string' ? detail : `The answer was HTTP ${status}.`,
    misfits: [],
  }
}

const explained = (misfits: Misfit[]) => misfits.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ')

function objectIn(text: string): Record<string, unknown> {
  try {
    const json: unknown = JSON.parse(text)
    return typeof json === 'object' && json !== null ? (json as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
