// A route is one literal: validator, types, access check, documentation and OpenAPI entry all follow from it.
import { z } from 'zod'
import type { ErrorCode } from '../domain/errors.ts'
import type { Right, Subject } from '../domain/subject.ts'
import { nullish, wireInteger } from '../domain/wire.ts'
import type { Browser, SessionAnswer } from './browser.ts'
import type { LineStream } from './line-stream.ts'
import type { Services } from './services.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** `public`: no key. `authenticated`: any valid key. A right: a key that has it. A list: a key that has one of them. */
export type Policy = 'public' | 'authenticated' | Right | readonly Right[]

/** Routes of one lane share their places: how many are worked on at the same time, and how many may wait. */
export type Lane = 'search' | 'write' | 'replay' | 'chat'

export interface UploadedFile {
  field: string
  name: string
  type: string
  /** Throws PAYLOAD_TOO_LARGE at the end of a file that is longer than the limit. */
  bytes: AsyncIterable<Buffer>
}

export interface Call<P, Q, B> {
  params: P
  query: Q
  body: B
  subject: Subject
  services: Services
  /** What the answer names as `X-Request-ID`, and the log, the receipts and the audit too. */
  requestId: string
  /** What the browser says of itself, if it is one. */
  browser: Browser
  /** The header as it was sent, for what passes it on; null where a cookie says who asks. */
  authorization: string | null
  /** How far a client of events has come that reads on. */
  lastEventId: string | null
  /** Throws CSRF_FAILURE unless a page of ours asks, or no browser. */
  checkForgery: () => void
  /** Aborts when the client goes away. */
  signal: AbortSignal
  /** Says that the call only waits from here on, so that another one may use its place in the lane. */
  giveWay: () => void
  /**
   * The files of a multipart request, one after the other; `maxBytes` may be less than what the server takes. The texts
   * of the form are noted as they come.
   */
  files: (needs: { maxBytes: number; texts: Map<string, string> }) => AsyncIterable<UploadedFile>
  /** The names of the known fields that were sent, in the query and in the body. */
  sentFields: () => string[]
  /** As the Fetch standard has it, without what proves who asks. */
  webRequest: () => Request
  /** The path segment of a parameter as the client spelled it, before percent-decoding. */
  rawParams: Readonly<Record<string, string>>
}

/** An act of administration: what it is called, and what it was done to. */
export interface AuditRule<P = never, Q = never, B = never, R = never> {
  action: `${string}.${string}`
  /** A parameter of the path that holds the id, or where else the id is found. */
  object?: string | ((call: Call<P, Q, B>, answer: R) => string | number | null)
  /** Only with this right it is one of administration: others do it as their work. */
  by?: Right
}

/** The handler itself reads what is sent and says what is wrong with it. */
export interface Protocol {
  message: z.ZodType
  /** Answers without a body, by their status. */
  taken: Readonly<Record<number, string>>
  /** Answers that are replies as well, by their status. */
  refused: Readonly<Record<number, string>>
}

/** A `Response` goes out as it is. */
type Answer<R> = R | SessionAnswer<R> | LineStream | Response

export interface Route<P = unknown, Q = unknown, B = unknown, R = unknown> {
  method: Method
  path: string
  access: Policy
  tag: string
  summary: string
  description?: string
  params?: z.ZodType<P>
  query?: z.ZodType<Q>
  body?: z.ZodType<B>
  /** Instead of the limit for all. */
  bodyLimitBytes?: number
  /** Takes multipart/form-data instead of JSON. */
  upload?: {
    /** One of them must be there, unless `isOptional`. */
    fields: readonly string[]
    isOptional?: boolean
    texts?: Readonly<Record<string, string>>
  }
  reply: z.ZodType<R>
  /** What else it can answer, beside 401, 403 and 422. */
  errors?: readonly ErrorCode[]
  /** The reply is this media type, not JSON. */
  mediaType?: string
  /** It may answer lines of JSON or events instead, one after the other as they come to be: what each of them is. */
  stream?: z.ZodType
  /** It takes a message of another protocol, as it is; this is what is published of it. */
  protocol?: Protocol
  /** Every route that changes what others work with has this, and who asks is written down. */
  audit?: AuditRule<P, Q, B, R>
  /** The reply is a stored file. */
  isDownload?: boolean
  /** Left out of the published description. */
  isHidden?: boolean
  /** Beyond what the lane takes, the answer is 429 or 503; asked before the body is read. */
  lane?: Lane
  /** Throws when there is no room for another of these; asked before the body is read. */
  admit?(services: Services): void
  lines?: undefined
  handle(call: Call<P, Q, B>): Answer<R> | Promise<Answer<R>>
}

/** Takes lines of JSON, each a body of its own, and answers a line for each while they come. */
export interface LinesRoute<L = never>
  extends Omit<Route<never, never, never, unknown>, 'method' | 'lines' | 'handle' | 'body' | 'upload' | 'query'> {
  method: 'POST'
  line: z.ZodType<L>
  /** Asked for a few lines at a time; answers each with an object or an error, in their order. */
  lines(
    bodies: readonly L[],
    call: Pick<Call<unknown, unknown, unknown>, 'subject' | 'services' | 'requestId'>,
  ): Promise<readonly (Record<string, unknown> | Error)[]>
  body?: undefined
  upload?: undefined
  query: typeof LinesQuery
}

export const LinesQuery = z.object({
  from_line: nullish(wireInteger({ min: 1 })).describe(
    'Lines before this one are counted and not taken: the `resume_line` of an answer that broke off.',
  ),
})

/** The media types of lines of JSON; the first is the one that is answered. */
export const LINES_TYPES = ['application/x-ndjson', 'application/ndjson', 'application/jsonl'] as const

export type AnyRoute = Route<never, never, never, unknown> | LinesRoute

export const route = <P = unknown, Q = unknown, B = unknown, R = unknown>(definition: Route<P, Q, B, R>): AnyRoute =>
  definition as unknown as AnyRoute

export const linesRoute = <L>(definition: Omit<LinesRoute<L>, 'method' | 'query'>): AnyRoute =>
  ({ ...definition, method: 'POST', query: LinesQuery }) as unknown as AnyRoute
