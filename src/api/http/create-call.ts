// Turns a request into the call of a route: media type, JSON, path, query and body are checked here.
import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { AppError } from '../../domain/errors.ts'
import type { Subject } from '../../domain/subject.ts'
import { textBefore } from '../../domain/values/text-before.ts'
import { zip } from '../../domain/values/zip.ts'
import type { Permit } from '../../flow/fair-semaphore.ts'
import type { BrowserReader } from '../admission/browser-context.ts'
import { type AnyRoute, FORM_TYPE, type NdjsonRoute, type RouteCall, type UploadedFile } from '../route.ts'
import { checkRequestFields, checkUnknownFields } from '../wire/check-unknown-fields.ts'
import { JsonBodyError, parseJsonBody } from '../wire/json-body.ts'
import { mergeUnknownErrors, parseOr422, type ValidationError } from '../wire/validation.ts'
import { isJsonType, MAX_CONTENT_TYPE, parseContentType } from './content-type.ts'
import { InvalidRequestError } from './error-response.ts'
import { createWarningWriter } from './warnings.ts'
import { whenClosed } from './when-closed.ts'

const MAX_JSON_DEPTH = 64
/** Ignored fields named in the result of one NDJSON line. */
const MAX_REPORTED_FIELDS = 10

/** The subject of an admitted request, with its permit. */
export interface AdmittedRequest {
  subject: Subject
  /** Absent for routes without a request pool. */
  permit?: Permit
}

export function createCall(
  it: AnyRoute,
  { services, browsers }: { services: object; browsers: BrowserReader },
  request: FastifyRequest,
  reply: FastifyReply,
  { subject, permit }: AdmittedRequest,
): RouteCall<unknown, unknown, unknown> {
  const errors: ValidationError[] = []
  const parsePart = (schema: z.ZodType | undefined, input: unknown, root: 'body' | 'query' | 'path') => {
    if (schema === undefined) return undefined
    const result = parseOr422(schema, input, root)
    if (result.ok) return result.value
    errors.push(...result.errors)
  }
  const params = parsePart(it.params, request.params, 'path')
  const query = parsePart(it.query, request.query, 'query')
  const json = it.body === undefined ? undefined : readBody(it, request)
  const body = it.body === undefined ? undefined : parsePart(it.body, json, 'body')
  const unknown = checkRequestFields(it, { query: request.query, body: json })
  const allErrors = mergeUnknownErrors(errors, unknown.errors)
  if (allErrors.length > 0) throw new InvalidRequestError(allErrors)
  const warn = createWarningWriter(reply)
  for (const path of unknown.ignored) warn(`${path}: unknown field, ignored`)
  return {
    params,
    query,
    body,
    subject,
    services,
    releaseSlot: () => permit?.release(),
    warn,
    requestId: request.id,
    browser: browsers.read(request.raw),
    lastEventId: request.headers['last-event-id']?.toString() ?? null,
    checkCsrf: () => browsers.checkCsrf(request.raw),
    files: (needs) => readFiles(request, needs),
    webRequest: () => toWebRequest(request, clientGoneSignal(reply)),
    rawParams: rawPathParams(it.path, request.url),
    sentFields: () => [...knownFieldNames(request.query, query), ...knownFieldNames(json, body)],
    get signal() {
      return clientGoneSignal(reply)
    },
  }
}

const CREDENTIAL_HEADERS = ['authorization', 'x-onyx-authorization', 'cookie']

/** The host is a placeholder: handlers read only the path. */
function toWebRequest({ method, url, headers, body }: FastifyRequest, signal: AbortSignal): Request {
  const kept = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === 'string' && !CREDENTIAL_HEADERS.includes(name) ? [[name, value] as const] : [],
  )
  const bytes = Buffer.isBuffer(body) ? new Uint8Array(body) : null
  return new Request(`http://localhost${url}`, { method, headers: Object.fromEntries(kept), body: bytes, signal })
}

/** Clients of the wire sign in with a form. The last value of a repeated field counts, as in JSON. */
function readBody({ acceptsForm }: Pick<AnyRoute, 'acceptsForm'>, request: FastifyRequest): unknown {
  const { body, headers } = request
  const type = parseContentType(headers['content-type'] ?? '')?.type
  if (acceptsForm !== true || type !== FORM_TYPE || !Buffer.isBuffer(body)) return readJson(request)
  return Object.fromEntries(new URLSearchParams(body.toString('utf8')))
}

/** The body as JSON; undefined if there is none. A body without a content type is read as JSON. */
function readJson(request: FastifyRequest): unknown {
  const { body } = request
  if (!Buffer.isBuffer(body) || body.length === 0) return undefined
  checkMediaType(request, isJsonType, 'application/json')
  return parseJson(body)
}

/** Rejects a header that is longer than any media type without parsing it; the error shows its start. */
export function checkMediaType(
  { headers }: Pick<FastifyRequest, 'headers'>,
  isAccepted: (type: string) => boolean,
  expected: string,
): void {
  const { 'content-type': header, 'content-encoding': encoding } = headers
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    const type = `with encoding ${encoding.slice(0, MAX_CONTENT_TYPE)}`
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', { type, expected: 'plain JSON' })
  }
  if (header === undefined) return
  const contentType = parseContentType(header)
  if (contentType?.isUtf8 === true && isAccepted(contentType.type)) return
  throw new AppError('UNSUPPORTED_MEDIA_TYPE', { type: header.slice(0, MAX_CONTENT_TYPE), expected })
}

function parseJson(bytes: Buffer): unknown {
  try {
    return parseJsonBody(bytes, { maxDepth: MAX_JSON_DEPTH })
  } catch (error) {
    if (error instanceof JsonBodyError) throw new InvalidRequestError(error.errors)
    throw error
  }
}

/** Parses one NDJSON line as a body. `ignored` holds the paths of ignored fields. Throws InvalidRequestError. */
export function parseBodyLine(it: NdjsonRoute, bytes: Buffer): { body: unknown; ignored: readonly string[] } {
  const json = parseJson(bytes)
  const result = parseOr422(it.line, json, 'body')
  const unknown = checkUnknownFields(it, { schema: it.line, input: json, root: ['body'] })
  if (result.ok && unknown.errors.length === 0)
    return { body: result.value, ignored: unknown.ignored.slice(0, MAX_REPORTED_FIELDS) }
  throw new InvalidRequestError(mergeUnknownErrors(result.ok ? [] : result.errors, unknown.errors))
}

/** Only names that the schema knows: a client may send arbitrary names. */
const knownFieldNames = (sent: unknown, read: unknown): string[] =>
  isObject(sent) && isObject(read) ? Object.keys(sent).filter((name) => Object.hasOwn(read, name)) : []

const isObject = (it: unknown): it is object => typeof it === 'object' && it !== null && !Array.isArray(it)

async function* readFiles(
  request: FastifyRequest,
  { maxBytes, texts }: { maxBytes: number; texts: Map<string, string> },
): AsyncGenerator<UploadedFile> {
  if (!request.isMultipart()) return
  try {
    for await (const part of request.parts({ limits: { fileSize: maxBytes } })) {
      checkPartHeader(part)
      if (part.type === 'field') texts.set(part.fieldname, String(part.value))
      else yield { field: part.fieldname, name: part.filename, type: part.mimetype, bytes: readChunks(part.file) }
    }
  } catch (error) {
    throw toClientError(error)
  } finally {
    // After an error the parser waits for a reader. The rest of the body is skipped, so that the connection can be used again.
    request.raw.unpipe().resume()
  }
}

/** The multipart parser silently truncates longer part headers. */
const MAX_PART_HEADER = 8_192

function checkPartHeader({
  fieldname,
  mimetype,
  ...part
}: {
  fieldname: string
  mimetype: string
  filename?: string
}): void {
  if (fieldname.length + mimetype.length + (part.filename?.length ?? 0) <= MAX_PART_HEADER) return
  throw new AppError('INVALID_INPUT', { reason: 'The headers of a form part are longer than 8 KiB.' })
}

/** The bytes of a file. Throws PAYLOAD_TOO_LARGE at the end of a file that exceeds the limit. */
async function* readChunks(file: Readable & { truncated: boolean }): AsyncGenerator<Buffer> {
  try {
    yield* file
  } catch (error) {
    throw toClientError(error)
  }
  if (file.truncated) throw new AppError('PAYLOAD_TOO_LARGE', { limit: 'the limit for uploaded files' })
}

/** Errors of the multipart parser are the client's fault, except system errors and errors that we threw while reading. */
function toClientError(error: unknown): unknown {
  if (error instanceof AppError || error instanceof InvalidRequestError) return error
  const isSystemError = error instanceof Error && 'errno' in error
  if (!(error instanceof Error) || isSystemError) return error
  return new AppError(
    'INVALID_INPUT',
    { reason: `The multipart body cannot be read: ${error.message}.` },
    { cause: error },
  )
}

function rawPathParams(template: string, url: string): Record<string, string> {
  const names = template.split('/')
  const segments = textBefore(url, '?')
    .split('/')
    .slice(-names.length + 1)
  const pairs = zip(names.slice(1), segments)
  return Object.fromEntries(
    pairs.filter(([name]) => name.startsWith('{')).map(([name, raw]) => [name.slice(1, -1), raw]),
  )
}

export function clientGoneSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  whenClosed(reply, () => reply.raw.writableFinished || controller.abort())
  return controller.signal
}
