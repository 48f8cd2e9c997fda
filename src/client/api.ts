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
  /** Each item of a list is sent as a parameter of its own. */
  query?: Record<string, string | number | boolean | null | undefined | readonly string[]>
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

/** An error of a request and its location. */
export interface FieldError {
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
  readonly fieldErrors: readonly FieldError[]
  readonly request_id: string | null
  /** The answer, where it is an object of JSON. */
  readonly body: Readonly<Record<string, unknown>>
  /** How long to wait before the next try, where the service says so. */
  readonly retryAfterMs: number | null

  constructor(response: Pick<Response, 'status' | 'headers'>, text: string) {
    const body = parseJsonObject(text)
    const { error_code, detail, fieldErrors } = parseErrorBody(body, response.status)
    super(detail)
    this.body = body
    this.status = response.status
    this.error_code = error_code
    this.detail = detail
    this.fieldErrors = fieldErrors
    this.request_id = response.headers.get('x-request-id')
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
    this.retryAfterMs = Number.isFinite(seconds) ? seconds * 1_000 : null
  }
}

export function createApiClient({ url, key, fetch }: ApiSettings): Api {
  let base = url
  while (base.endsWith('/')) base = base.slice(0, -1)
  const raw = async ({ method, path, query = {}, json, body, media, signal }: ApiRequest) => {
    const type = json === undefined ? media : 'application/json'
    const sent = json === undefined ? body : JSON.stringify(json)
    const response = await fetch(`${base}${path}${queryString(query)}`, {
      method,
      headers: {
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(type !== undefined && { 'content-type': type }),
      },
      ...(sent !== undefined && { body: sent }),
      ...(signal !== undefined && { signal }),
    })
    if (!response.ok) throw new ApiError(response, await response.text())
    return response
  }
  // The server is trusted to answer as its OpenAPI description says.
  return { raw, json: async <T>(request: ApiRequest) => (await (await raw(request)).json()) as T }
}

function queryString(query: NonNullable<ApiRequest['query']>): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const it of [value ?? []].flat()) params.append(name, String(it))
  }
  return params.size === 0 ? '' : `?${params}`
}

interface ParsedError {
  error_code: string | null
  detail: string
  fieldErrors: FieldError[]
}

/** A proxy answers with pages of its own: then the status is all there is to say. */
function parseErrorBody({ error_code, detail, message }: Record<string, unknown>, status: number): ParsedError {
  if (Array.isArray(detail)) {
    return {
      error_code: null,
      detail: typeof message === 'string' ? message : describeFieldErrors(detail),
      fieldErrors: detail,
    }
  }
  return {
    error_code: typeof error_code === 'string' ? error_code : null,
    detail: typeof detail === 'string' ? detail : `The answer was HTTP ${status}.`,
    fieldErrors: [],
  }
}

const describeFieldErrors = (fieldErrors: FieldError[]) =>
  fieldErrors.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ')

function parseJsonObject(text: string): Record<string, unknown> {
  try {
    const json: unknown = JSON.parse(text)
    return typeof json === 'object' && json !== null ? { ...json } : {}
  } catch {
    return {}
  }
}
