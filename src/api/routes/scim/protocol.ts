// Shared by all routes of /scim/v2: they read and answer messages of SCIM, which the OpenAPI description leaves out.
import { z } from 'zod'
import { AppError } from '../../../domain/errors.ts'
import type { ScimFilter } from '../../../domain/scim/filter.ts'
import { parseFilter } from '../../../scim/filter.ts'
import { type Projection, readProjection } from '../../../scim/projection.ts'
import { listResponse, MAX_PAGE, SCIM_TYPE } from '../../../scim/schemas.ts'
import type { SearchRequest } from '../../../scim/search-request.ts'
import { nullish, WITHOUT_NUL, wireInteger, wireString } from '../../../wire/schemas.ts'
import { isJsonType, parseContentType } from '../../http/content-type.ts'
import type { RouteCall } from '../../route.ts'
import { JsonBodyError, parseJsonBody } from '../../wire/json-body.ts'

const MAX_DEPTH = 16
const MAX_START = 1_000_000_000
const NAMES = nullish(wireString({ max: 2_000, pattern: WITHOUT_NUL }))

export const scimDefaults = {
  access: 'scim',
  tag: 'SCIM',
  isHidden: true,
  reply: z.custom<ScimResponse>(),
} as const

export const scimQuery = z.object({
  // The parser of filters says what is wrong with a long one.
  filter: nullish(wireString({ max: 16_000, pattern: WITHOUT_NUL })),
  startIndex: nullish(wireInteger({ min: -MAX_START, max: MAX_START })),
  count: nullish(wireInteger({ min: -MAX_START, max: MAX_START })),
  attributes: NAMES,
  excludedAttributes: NAMES,
  sortBy: NAMES,
  sortOrder: NAMES,
})

export const projectionQuery = z.object({ attributes: NAMES, excludedAttributes: NAMES })

/** An answer, with the id of its object in the audit. */
export class ScimResponse extends Response {
  readonly auditedId: string | null

  constructor(
    body: object | null,
    { status = 200, auditedId = null }: { status?: number; auditedId?: string | null } = {},
  ) {
    super(body === null ? null : JSON.stringify(body), { status, headers: body === null ? {} : headersOf(body) })
    this.auditedId = auditedId
  }
}

function headersOf(body: object): Record<string, string> {
  const meta = 'meta' in body && typeof body.meta === 'object' ? body.meta : null
  const location = meta !== null && 'location' in meta ? String(meta.location) : null
  return { 'content-type': SCIM_TYPE, ...(location !== null && { location }) }
}

export const auditedScim = (action: `${string}.${string}`) => ({
  action,
  object: (_: unknown, answer: ScimResponse) => answer.auditedId,
})

type Caller = Pick<RouteCall<unknown, unknown, unknown>, 'browser'>

/** The address of /scim/v2 as the directory calls it; without an origin if that is not known. */
export const scimBase = ({ browser }: Caller): string => `${browser.serviceUrl ?? ''}/scim/v2`

/** The body as JSON. SCIM_INVALID_SYNTAX: there is none. */
export async function readScimBody(call: Pick<RouteCall<unknown, unknown, unknown>, 'webRequest'>): Promise<unknown> {
  const request = call.webRequest()
  const header = request.headers.get('content-type') ?? SCIM_TYPE
  const type = parseContentType(header)
  if (type?.isUtf8 !== true || !isJsonType(type.type) || request.headers.has('content-encoding'))
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', { type: header.slice(0, 200), expected: SCIM_TYPE })
  const body = parseJson(Buffer.from(await request.arrayBuffer()))
  if (body === undefined) throw new AppError('SCIM_INVALID_SYNTAX', { reason: 'It has no body.' })
  return body
}

function parseJson(bytes: Buffer): unknown {
  try {
    return parseJsonBody(bytes, { maxDepth: MAX_DEPTH })
  } catch (error) {
    if (!(error instanceof JsonBodyError)) throw error
    throw new AppError('SCIM_INVALID_SYNTAX', { reason: error.errors[0]?.msg ?? 'It is no JSON.' }, { cause: error })
  }
}

/** `startIndex` begins with 1; lower numbers mean 1, and a negative `count` means 0 (RFC 7644, 3.4.2.4). */
export function readPage({ startIndex, count }: Pick<SearchRequest, 'startIndex' | 'count'>): {
  offset: number
  limit: number
} {
  return {
    offset: Math.max((startIndex ?? 1) - 1, 0),
    limit: Math.min(Math.max(count ?? MAX_PAGE, 0), MAX_PAGE),
  }
}

/** A request for a list. */
export interface ScimList {
  page: { filter: ScimFilter | null; offset: number; limit: number }
  projection: Projection
  base: string
}

export const toList = (search: SearchRequest, base: string): ScimList => ({
  page: { filter: search.filter === null ? null : parseFilter(search.filter), ...readPage(search) },
  projection: readProjection(search.attributes, search.excludedAttributes),
  base,
})

export const readList = (call: Caller & { query: z.infer<typeof scimQuery> }): ScimList =>
  toList(call.query, scimBase(call))

export const listAnswer = (resources: readonly object[], total: number, offset: number): ScimResponse =>
  new ScimResponse(listResponse(resources, total, offset + 1))
