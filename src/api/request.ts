// From a request to a call: media type, JSON, path, query and body, all checked before the route sees them.
import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { AppError } from '../domain/errors.ts'
import type { Subject } from '../domain/subject.ts'
import { browserOf, checkForgery } from './browser.ts'
import { RequestInvalid } from './error-answer.ts'
import { BodyError, parseJsonBody } from './json-body.ts'
import type { AnyRoute, Call, UploadedFile } from './route.ts'
import type { Services } from './services.ts'
import type { Ticket } from './turnstile.ts'
import { parseOr422, type ValidationError } from './validation.ts'

const MAX_DEPTH = 64
const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;\s*charset="?utf-?8"?\s*)?;?\s*$/i

/** Who calls, once that is known and there is a place for it. */
export interface Admitted {
  subject: Subject
  /** Of routes that have a lane. */
  ticket?: Ticket
}

export function callOf(
  it: AnyRoute,
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  { subject, ticket }: Admitted,
): Call<unknown, unknown, unknown> {
  const errors: ValidationError[] = []
  const checked = (schema: z.ZodType | undefined, input: unknown, root: 'body' | 'query' | 'path') => {
    if (schema === undefined) return undefined
    const result = parseOr422(schema, input, root)
    if (result.ok) return result.value
    errors.push(...result.errors)
  }
  const params = checked(it.params, request.params, 'path')
  const query = checked(it.query, request.query, 'query')
  const json = it.body === undefined ? undefined : jsonOf(request)
  const body = it.body === undefined ? undefined : checked(it.body, json, 'body')
  if (errors.length > 0) throw new RequestInvalid(errors)
  return {
    params,
    query,
    body,
    subject,
    services,
    giveWay: () => ticket?.leave(),
    requestId: request.id,
    browser: browserOf(request.raw),
    authorization: request.headers.authorization ?? null,
    lastEventId: request.headers['last-event-id']?.toString() ?? null,
    checkForgery: () => checkForgery(request.raw),
    files: (needs) => filesOf(request, needs),
    webRequest: () => webRequestOf(request, clientGone(reply)),
    rawParams: rawParamsOf(it.path, request.url),
    sentFields: () => [...sentNames(request.query, query), ...sentNames(json, body)],
    get signal() {
      return clientGone(reply)
    },
  }
}

const PROOFS = ['authorization', 'x-onyx-authorization', 'cookie']

/** Its host means nothing: whoever looks at an address looks at the path. */
function webRequestOf({ method, url, headers, body }: FastifyRequest, signal: AbortSignal): Request {
  const kept = Object.entries(headers).filter(([name, value]) => typeof value === 'string' && !PROOFS.includes(name))
  const bytes = body === undefined ? null : new Uint8Array(body as Buffer)
  return new Request(`http://localhost${url}`, { method, headers: kept as [string, string][], body: bytes, signal })
}

/** The body as JSON; undefined when there is none. Without a content type it is read as JSON. */
function jsonOf(request: FastifyRequest): unknown {
  const body = request.body as Buffer | undefined
  if (body === undefined || body.length === 0) return undefined
  checkMediaType(request, JSON_TYPE, 'application/json')
  return parsed(body)
}

export function checkMediaType({ headers }: Pick<FastifyRequest, 'headers'>, pattern: RegExp, expected: string): void {
  const { 'content-type': type, 'content-encoding': encoding } = headers
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', { type: `with encoding ${encoding}`, expected: 'plain JSON' })
  }
  if (type !== undefined && !pattern.test(type)) throw new AppError('UNSUPPORTED_MEDIA_TYPE', { type, expected })
}

function parsed(bytes: Buffer): unknown {
  try {
    return parseJsonBody(bytes, { maxDepth: MAX_DEPTH })
  } catch (error) {
    if (error instanceof BodyError) throw new RequestInvalid(error.errors)
    throw error
  }
}

/** One line of many, as a body of its own. Throws RequestInvalid. */
export function lineOf(schema: z.ZodType, bytes: Buffer): unknown {
  const result = parseOr422(schema, parsed(bytes), 'body')
  if (!result.ok) throw new RequestInvalid(result.errors)
  return result.value
}

/** What a client calls a field may be anything: only names that the schema knows too. */
const sentNames = (sent: unknown, read: unknown): string[] =>
  isObject(sent) && isObject(read) ? Object.keys(sent).filter((name) => Object.hasOwn(read, name)) : []

const isObject = (it: unknown): it is object => typeof it === 'object' && it !== null && !Array.isArray(it)

async function* filesOf(
  request: FastifyRequest,
  { maxBytes, texts }: { maxBytes: number; texts: Map<string, string> },
): AsyncGenerator<UploadedFile> {
  if (!request.isMultipart()) return
  try {
    for await (const part of request.parts({ limits: { fileSize: maxBytes } })) {
      checkHead(part)
      if (part.type === 'field') texts.set(part.fieldname, String(part.value))
      else yield { field: part.fieldname, name: part.filename, type: part.mimetype, bytes: piecesOf(part.file) }
    }
  } catch (error) {
    throw clientsFault(error)
  }
}

/** The reader cuts a longer head off without a word. */
const MAX_HEAD = 8_192

function checkHead({ fieldname, mimetype, ...part }: { fieldname: string; mimetype: string; filename?: string }): void {
  if (fieldname.length + mimetype.length + (part.filename?.length ?? 0) <= MAX_HEAD) return
  throw new AppError('INVALID_INPUT', { reason: 'The head of a part of the form is longer than 8 KiB.' })
}

/** The bytes of a file; throws at the end of one that was longer than the limit. */
async function* piecesOf(file: Readable & { truncated: boolean }): AsyncGenerator<Buffer> {
  try {
    yield* file
  } catch (error) {
    throw clientsFault(error)
  }
  if (file.truncated) throw new AppError('PAYLOAD_TOO_LARGE', { limit: 'the limit for uploaded files' })
}

/** What the reader of multipart bodies throws is about the body, but for what we threw ourselves while it was read. */
function clientsFault(error: unknown): unknown {
  if (error instanceof AppError || error instanceof RequestInvalid) return error
  const isSystemError = error instanceof Error && 'errno' in error
  if (!(error instanceof Error) || isSystemError) return error
  return new AppError(
    'INVALID_INPUT',
    { reason: `The multipart body cannot be read: ${error.message}.` },
    { cause: error },
  )
}

function rawParamsOf(template: string, url: string): Record<string, string> {
  const names = template.split('/')
  const segments = url
    .split('?', 1)[0]!
    .split('/')
    .slice(-names.length + 1)
  const pairs = names.slice(1).map((name, at) => [name, segments[at]!] as const)
  return Object.fromEntries(
    pairs.filter(([name]) => name.startsWith('{')).map(([name, raw]) => [name.slice(1, -1), raw]),
  )
}

export function clientGone(reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  reply.raw.once('close', () => reply.raw.writableFinished || controller.abort())
  return controller.signal
}
