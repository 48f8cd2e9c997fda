// The definition of a route: validation, types, access check, documentation and OpenAPI entry derive from one literal.
import { z } from 'zod'
import type { ErrorCode } from '../domain/errors.ts'
import type { Right, Subject } from '../domain/subject.ts'
import { nullish, wireInteger } from '../wire/schemas.ts'
import type { BrowserContext, CookieResponse } from './admission/browser-context.ts'
import type { LineStreamResponse } from './http/line-stream.ts'
import type { ServiceName, Services } from './services.ts'

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** `public`: no key needed. `authenticated`: any valid key. A right: a key with it. A list: a key with one of them. */
export type AccessPolicy = 'public' | 'authenticated' | Right | readonly Right[]

/** Routes of one pool share a limit on concurrent and waiting requests. */
export type RequestPoolName = 'search' | 'write' | 'replay' | 'chat'

export interface UploadedFile {
  field: string
  name: string
  type: string
  /** Throws PAYLOAD_TOO_LARGE at the end of a file that exceeds the limit. */
  bytes: AsyncIterable<Buffer>
}

/** The named services. */
export type RouteServices<S extends ServiceName> = Pick<Services, S>

export interface RouteCall<P, Q, B, S extends ServiceName = never> {
  params: P
  query: Q
  body: B
  subject: Subject
  /** The services that the route names, and no others. */
  services: RouteServices<S>
  /** The id in the response's `X-Request-ID`, in the log, in receipts and in the audit log. */
  requestId: string
  /** Address, protocol and session cookie of the browser. */
  browser: BrowserContext
  /** The `Last-Event-ID` of a client that resumes an event stream. */
  lastEventId: string | null
  /** Throws CSRF_FAILURE if a browser sent the request, unless one of our own pages did. */
  checkCsrf: () => void
  /** Aborted when the client disconnects. */
  signal: AbortSignal
  /** Returns the pool's permit to other requests, for a call that only waits from now on. */
  releaseSlot: () => void
  /** Adds a text to the response header `Pharos-Warnings`. */
  warn: (text: string) => void
  /**
   * The files of a multipart request, in order. `maxBytes` may be lower than the server's limit. Text fields are added to
   * `texts` as they arrive.
   */
  files: (needs: { maxBytes: number; texts: Map<string, string> }) => AsyncIterable<UploadedFile>
  /** Names of the known fields that the client sent in the query and the body. */
  sentFields: () => string[]
  /** The request as a Fetch `Request`, without credentials. */
  webRequest: () => Request
  /** Path parameters before percent-decoding. */
  rawParams: Readonly<Record<string, string>>
}

/** Declares a route as an administrative action: its name and the affected object. */
export interface AuditRule<P, Q, B, R, S extends ServiceName = never> {
  action: `${string}.${string}`
  /** The path parameter that contains the object's id, or a function that returns the id. */
  object?:
    | string
    | ((call: RouteCall<P, Q, B, S>, answer: R) => string | number | null | Promise<string | number | null>)
  /** Replaces `object`: describes the request, also when it was rejected or failed. */
  describeRequest?: (call: RouteCall<P, Q, B, S>) => string
  /** Counts in the answer, such as `7 results`, stored beside the names of the fields. Never a text of the request. */
  counts?: (answer: R) => string[]
  /** Audit only subjects with this right; for others the action is routine. */
  onlyWithRight?: Right
}

/** A message of another protocol, which the handler parses and validates itself. */
export interface MessageProtocol {
  message: z.ZodType
  /** Descriptions of responses without a body, by status. */
  accepted: Readonly<Record<number, string>>
  /** Descriptions of error responses in the schema of the reply, by status. */
  rejected: Readonly<Record<number, string>>
}

/** A `Response` is sent unchanged. */
type RouteResult<R> = R | CookieResponse<R> | LineStreamResponse | Response

export interface Route<P = unknown, Q = unknown, B = unknown, R = unknown, S extends ServiceName = never> {
  /** The operation id: the name of the function in generated clients. A published route must have one. */
  name?: string
  method: HttpMethod
  path: string
  access: AccessPolicy
  tag: string
  summary: string
  description?: string
  params?: z.ZodType<P>
  query?: z.ZodType<Q>
  body?: z.ZodType<B>
  /** Overrides the server's limit. */
  bodyLimitBytes?: number
  /** The body is multipart/form-data instead of JSON. */
  upload?: {
    /** File fields. At least one is required unless `isOptional`. */
    fields: readonly string[]
    isOptional?: boolean
    texts?: Readonly<Record<string, string>>
  }
  reply: z.ZodType<R>
  /** The status of success; 200 by default. 204 has no body. */
  status?: 200 | 201 | 202 | 204
  /** The body may also be a form (`application/x-www-form-urlencoded`). */
  acceptsForm?: boolean
  /** Errors other than 401, 403 and 422. */
  errors?: readonly ErrorCode[]
  /** Media type of a reply that is not JSON. */
  mediaType?: string
  /** Schema of one line or event, if the route can stream its reply. */
  stream?: z.ZodType
  /** The body is a message of another protocol; this is its description. */
  protocol?: MessageProtocol
  /** Required for routes that change what other users work with. */
  audit?: AuditRule<P, Q, B, R, NoInfer<S>>
  /** The reply is a stored file. */
  isDownload?: boolean
  /** A part of the file can be requested. */
  hasRanges?: boolean
  /** The page that a browser gets which opens the address and would get an error. It may have to sign in there. */
  pageOnError?: (query: Q) => string
  /**
   * Whether a personal access token may call the route. By default tokens cannot call routes that change something for
   * administrators or manage tokens, because the effect could outlive the token. See `acceptsTokens`.
   */
  allowsTokens?: boolean
  /** Requests neither count against the limits of requests nor are refused because of them. */
  ignoresLimits?: boolean
  /** Omitted from the OpenAPI document. */
  isHidden?: boolean
  /** Checked before the body is read: 429 or 503 if the pool has no room. */
  pool?: RequestPoolName
  /** Called before the body is read; throws if the service cannot accept more requests of this kind. */
  checkCapacity?: (services: RouteServices<NoInfer<S>>) => void
  /** The services that the route uses. It gets these and no others. */
  services?: readonly S[]
  lines?: undefined
  // A property, not a method: TypeScript then rejects a handler that needs a service that the route does not name.
  handle: (call: RouteCall<P, Q, B, NoInfer<S>>) => RouteResult<R> | Promise<RouteResult<R>>
}

/** Rights that allow granting access to others, or extending one's own. */
const GRANTING_RIGHTS: readonly Right[] = ['admin', 'pats']

export function acceptsTokens({
  method,
  access,
  allowsTokens,
}: Pick<Route, 'method' | 'access' | 'allowsTokens'>): boolean {
  const rights = [access].flat()
  return allowsTokens ?? (method === 'GET' || !GRANTING_RIGHTS.some((it) => rights.includes(it)))
}

/** A route that reads lines of JSON, each a body of its own, and streams a result line for each. */
export interface NdjsonRoute<L = unknown, S extends ServiceName = never>
  extends Omit<
    Route<unknown, unknown, unknown, unknown, S>,
    'method' | 'lines' | 'handle' | 'body' | 'upload' | 'query'
  > {
  method: 'POST'
  line: z.ZodType<L>
  /** Processes a group of lines. Returns an object or an error for each, in order. */
  lines: (
    bodies: readonly L[],
    call: Pick<RouteCall<unknown, unknown, unknown, NoInfer<S>>, 'subject' | 'services' | 'requestId'>,
  ) => Promise<readonly (Record<string, unknown> | Error)[]>
  body?: undefined
  upload?: undefined
  query: typeof NdjsonQuery
}

export const NdjsonQuery = z.object({
  from_line: nullish(wireInteger({ min: 1 })).describe(
    'Skip lines before this one. Use the `resume_line` of an interrupted response.',
  ),
})

/** Maximum length of a text field of a form. */
export const MAX_FORM_TEXT_LENGTH = 1_000_000

export const FORM_TYPE = 'application/x-www-form-urlencoded'

/** Media types of NDJSON; responses use the first one. */
export const NDJSON_TYPES = ['application/x-ndjson', 'application/ndjson', 'application/jsonl'] as const

/** Its functions take what its own schemas have read and the services that it names; no caller knows their types. */
export type AnyRoute = Route | NdjsonRoute
export type AnyAuditRule = NonNullable<AnyRoute['audit']>

export const route = <P = unknown, Q = unknown, B = unknown, R = unknown, const S extends ServiceName = never>(
  definition: Route<P, Q, B, R, S>,
): AnyRoute => definition as Route

export const ndjsonRoute = <L, const S extends ServiceName = never>(
  definition: Omit<NdjsonRoute<L, S>, 'method' | 'query'>,
): AnyRoute => ({ ...definition, method: 'POST', query: NdjsonQuery }) as NdjsonRoute

/** Also accepted for NDJSON, because client generators do not know its media types; published as binary. */
export const NDJSON_AS_BYTES = 'application/octet-stream'
