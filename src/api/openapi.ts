// The published description, computed from the routes themselves.
import { z } from 'zod'
import { type ErrorCode, errorTable } from '../domain/errors.ts'
import { jsonSchemas } from './json-schema.ts'
import { STREAM_TYPE } from './line-stream.ts'
import { type AnyRoute, LINES_TYPES, type Protocol } from './route.ts'
import { VERSION } from './version.ts'

type Json = Record<string, unknown>

const ValidationErrorSchema = z
  .object({ loc: z.array(z.union([z.string(), z.int()])), msg: z.string(), type: z.string() })
  .meta({ id: 'ValidationError' })
const HttpValidationError = z
  .object({ detail: z.array(ValidationErrorSchema).optional(), message: z.string().optional() })
  .meta({ id: 'HTTPValidationError' })
const ApiError = z.object({ error_code: z.string(), detail: z.string() }).meta({ id: 'ApiError' })

export function openApi(routes: readonly AnyRoute[]): Json {
  const published = routes.filter((it) => it.isHidden !== true)
  const { schemas, components } = jsonSchemas(schemasOf(published))
  const paths: Record<string, Json> = {}
  for (const it of published) {
    paths[it.path] = { ...paths[it.path], [it.method.toLowerCase()]: operation(it, schemas) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Pharos', version: VERSION, description: DESCRIPTION },
    servers: [{ url: '/' }, { url: '/api' }],
    security: [{ bearer: [] }],
    paths,
    components: { schemas: components, securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
  }
}

const DESCRIPTION =
  'Enterprise search and chat. Every path also answers under /api; /service-api also as /onyx-api. Errors are JSON: `{error_code, detail}`, and `{detail: [{loc, msg, type}]}` when the request does not fit. Lists take `limit` and `after`, the id of the last item of the page before.'

const keyOf = (it: AnyRoute, part: string) => `${it.method} ${it.path} ${part}`

function schemasOf(routes: readonly AnyRoute[]) {
  const entries: [string, { schema: z.ZodType; io: 'input' | 'output' }][] = [
    ['422', { schema: HttpValidationError, io: 'output' }],
    ['error', { schema: ApiError, io: 'output' }],
  ]
  for (const it of routes) {
    if (it.params) entries.push([keyOf(it, 'path'), { schema: it.params, io: 'input' }])
    if (it.query) entries.push([keyOf(it, 'query'), { schema: it.query, io: 'input' }])
    const body = bodyOf(it) ?? bodyLineOf(it)
    if (body) entries.push([keyOf(it, 'body'), { schema: body, io: 'input' }])
    entries.push([keyOf(it, 'reply'), { schema: it.reply, io: 'output' }])
    if (it.stream) entries.push([keyOf(it, 'stream'), { schema: it.stream, io: 'output' }])
  }
  return Object.fromEntries(entries)
}

const bodyOf = (it: AnyRoute): z.ZodType | undefined => it.body ?? it.protocol?.message

/** Of a body of lines, the schema of one. */
const bodyLineOf = (it: AnyRoute): z.ZodType | undefined => (it.lines === undefined ? undefined : it.line)

function operation(it: AnyRoute, schemas: Record<string, Json>): Json {
  return {
    tags: [it.tag],
    summary: it.summary,
    operationId: operationId(it),
    ...(it.description !== undefined && { description: it.description }),
    ...(it.access === 'public' && { security: [] }),
    parameters: [
      ...parameters('path', schemas[keyOf(it, 'path')]),
      ...parameters('query', schemas[keyOf(it, 'query')]),
    ],
    ...requestBody(it, schemas),
    responses: responses(it, schemas),
  }
}

export const operationId = ({ method, path }: AnyRoute): string =>
  `${method.toLowerCase()}${path.replace(/[{}]/g, '').replace(/[^A-Za-z0-9]+(\w)/g, (_, letter: string) => letter.toUpperCase())}`

function parameters(place: 'path' | 'query', schema: Json | undefined): Json[] {
  if (schema === undefined) return []
  const required = (schema.required ?? []) as string[]
  return Object.entries(schema.properties as Record<string, Json>).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: property,
  }))
}

function requestBody(it: AnyRoute, schemas: Record<string, Json>): Json {
  if (it.upload !== undefined) {
    return {
      requestBody: { required: it.upload.isOptional !== true, content: { 'multipart/form-data': formOf(it.upload) } },
    }
  }
  if (it.lines !== undefined) {
    const content = { schema: schemas[keyOf(it, 'body')] }
    return { requestBody: { required: true, content: Object.fromEntries(LINES_TYPES.map((type) => [type, content])) } }
  }
  const body = bodyOf(it)
  if (body === undefined) return {}
  const required = !body.safeParse(undefined).success
  return { requestBody: { required, content: { 'application/json': { schema: schemas[keyOf(it, 'body')] } } } }
}

function formOf({ fields, texts = {}, isOptional }: NonNullable<AnyRoute['upload']>): Json {
  const file = { type: 'array', minItems: 1, items: { type: 'string', format: 'binary' } }
  const properties = {
    ...Object.fromEntries(fields.map((field) => [field, file])),
    ...Object.fromEntries(Object.entries(texts).map(([name, description]) => [name, { type: 'string', description }])),
  }
  const anyOf = fields.map((field) => ({ required: [field] }))
  return { schema: { type: 'object', properties, ...(isOptional !== true && { anyOf }) } }
}

function responses(it: AnyRoute, schemas: Record<string, Json>): Json {
  const media = it.lines === undefined ? (it.mediaType ?? 'application/json') : LINES_TYPES[0]
  const reply = {
    [media]: { schema: schemas[keyOf(it, 'reply')] },
    ...(it.stream && { [STREAM_TYPE]: { schema: schemas[keyOf(it, 'stream')] } }),
  }
  const success = { description: 'Success', content: it.isDownload === true ? ANY_FILE : reply }
  const codes: ErrorCode[] = [
    ...(it.errors ?? []),
    ...(it.access === 'public' ? [] : ACCESS_ERRORS),
    ...bodyErrors(it),
    ...laneErrors(it),
  ]
  const byStatus = Map.groupBy(codes, (code) => String(errorTable[code][0]))
  const failures = [...byStatus].map(([status, group]) => [
    status,
    { description: [...new Set(group)].join(', '), content: { 'application/json': { schema: schemas.error } } },
  ])
  const invalid = { description: 'Validation Error', content: { 'application/json': { schema: schemas['422'] } } }
  const unchanged = { description: 'Not Modified' }
  return {
    200: success,
    ...(it.isDownload && { 304: unchanged }),
    ...(it.protocol && protocolAnswers(it.protocol, schemas[keyOf(it, 'reply')])),
    ...Object.fromEntries(failures),
    ...(isChecked(it) && { 422: invalid }),
  }
}

const protocolAnswers = ({ taken, refused }: Protocol, schema: Json | undefined): Json => ({
  ...mapped(taken, (description) => ({ description })),
  ...mapped(refused, (description) => ({ description, content: { 'application/json': { schema } } })),
})

const mapped = (statuses: Readonly<Record<number, string>>, responseOf: (description: string) => Json): Json =>
  Object.fromEntries(Object.entries(statuses).map(([status, description]) => [status, responseOf(description)]))

const ANY_FILE = { '*/*': { schema: { type: 'string', format: 'binary' } } }

const ACCESS_ERRORS: ErrorCode[] = ['UNAUTHENTICATED', 'INSUFFICIENT_PERMISSIONS']
const bodyErrors = (it: AnyRoute): ErrorCode[] =>
  it.body === undefined && it.upload === undefined && it.lines === undefined
    ? []
    : ['INVALID_INPUT', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE']
const laneErrors = (it: AnyRoute): ErrorCode[] => (it.lane === undefined ? [] : ['TOO_MANY_REQUESTS', 'OVERLOADED'])
const isChecked = (it: AnyRoute) => Boolean(it.params ?? it.query ?? it.body ?? it.upload ?? it.lines)
