// Builds the OpenAPI document from the routes.
import { z } from 'zod'
import { type ErrorCode, errorTable } from '../../domain/errors.ts'
import { EVENT_STREAM_TYPE } from '../http/line-stream.ts'
import {
  type AnyRoute,
  acceptsTokens,
  MAX_FORM_TEXT_LENGTH,
  type MessageProtocol,
  NDJSON_AS_BYTES,
  NDJSON_TYPES,
} from '../route.ts'
import { API_VERSION } from '../version.ts'
import { type JsonSchemaObject, toJsonSchemas } from './json-schema.ts'

interface JsonContent {
  schema: JsonSchemaObject | undefined
}
export interface OperationObject {
  tags: [tag: string]
  summary: string
  description?: string
  operationId: string
  security?: unknown[]
  parameters: { name: string; in: string; required: boolean; schema: JsonSchemaObject }[]
  requestBody?: { required: boolean; content: Record<string, JsonContent> }
  responses: Record<string, { description: string; content?: Record<string, JsonContent> }>
}
export interface OpenApiDocument {
  [part: string]: unknown
  info: { title: string; version: string; description: string }
  paths: Record<string, Record<string, OperationObject>>
  components: { schemas: Record<string, JsonSchemaObject>; securitySchemes: object }
}

const ValidationErrorSchema = z
  .object({ loc: z.array(z.union([z.string(), z.int()])), msg: z.string(), type: z.string() })
  .meta({ id: 'ValidationError' })
const HttpValidationError = z
  .object({ detail: z.array(ValidationErrorSchema).optional(), message: z.string().optional() })
  .meta({ id: 'HTTPValidationError' })
const ApiError = z.object({ error_code: z.string(), detail: z.string() }).meta({ id: 'ApiError' })

export function openApi(routes: readonly AnyRoute[]): OpenApiDocument {
  const published = routes.filter((it) => it.isHidden !== true)
  const { schemas, components } = toJsonSchemas(routeSchemas(published))
  const paths: OpenApiDocument['paths'] = {}
  for (const it of published) {
    paths[it.path] = { ...paths[it.path], [it.method.toLowerCase()]: operationObject(it, schemas) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Pharos', version: API_VERSION, description: DESCRIPTION },
    servers: [{ url: '/' }, { url: '/api' }],
    security: [{ bearer: [] }],
    paths,
    components: { schemas: components, securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
  }
}

const DESCRIPTION =
  'Enterprise search and chat. Every path also answers under /api; /service-api also as /onyx-api. Errors are JSON: `{error_code, detail}`, and `{detail: [{loc, msg, type}]}` for invalid requests. Lists accept `limit` and `after`, the id of the last item of the previous page.'

const schemaKey = (it: AnyRoute, part: string) => `${it.method} ${it.path} ${part}`

function routeSchemas(routes: readonly AnyRoute[]) {
  const entries: [string, { schema: z.ZodType; io: 'input' | 'output' }][] = [
    ['422', { schema: HttpValidationError, io: 'output' }],
    ['error', { schema: ApiError, io: 'output' }],
  ]
  for (const it of routes) {
    if (it.params) entries.push([schemaKey(it, 'path'), { schema: it.params, io: 'input' }])
    if (it.query) entries.push([schemaKey(it, 'query'), { schema: it.query, io: 'input' }])
    const body = bodySchemaOf(it) ?? lineSchemaOf(it)
    if (body) entries.push([schemaKey(it, 'body'), { schema: body, io: 'input' }])
    entries.push([schemaKey(it, 'reply'), { schema: it.reply, io: 'output' }])
    if (it.stream) entries.push([schemaKey(it, 'stream'), { schema: it.stream, io: 'output' }])
  }
  return Object.fromEntries(entries)
}

const bodySchemaOf = (it: AnyRoute): z.ZodType | undefined => it.body ?? it.protocol?.message

/** The schema of one line of an NDJSON body. */
const lineSchemaOf = (it: AnyRoute): z.ZodType | undefined => (it.lines === undefined ? undefined : it.line)

function operationObject(it: AnyRoute, schemas: Record<string, JsonSchemaObject>): OperationObject {
  return {
    tags: [it.tag],
    summary: it.summary,
    operationId: operationId(it),
    ...(it.description !== undefined && { description: it.description }),
    ...(it.access === 'public' && { security: [] }),
    parameters: [
      ...parameterObjects('path', schemas[schemaKey(it, 'path')]),
      ...parameterObjects('query', schemas[schemaKey(it, 'query')]),
    ],
    ...requestBodyObject(it, schemas),
    responses: responsesObject(it, schemas),
  }
}

function operationId({ name, method, path }: AnyRoute): string {
  if (name === undefined) throw new Error(`${method} ${path} has no name: a published route needs one`)
  return name
}

function parameterObjects(
  location: 'path' | 'query',
  { required = [], properties = {} }: JsonSchemaObject = {},
): OperationObject['parameters'] {
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: location,
    required: location === 'path' || required.includes(name),
    schema: property,
  }))
}

function requestBodyObject(
  it: AnyRoute,
  schemas: Record<string, JsonSchemaObject>,
): Pick<OperationObject, 'requestBody'> {
  if (it.upload !== undefined) {
    return {
      requestBody: {
        required: it.upload.isOptional !== true,
        content: { 'multipart/form-data': multipartContent(it.upload) },
      },
    }
  }
  if (it.lines !== undefined) {
    const content = { schema: schemas[schemaKey(it, 'body')] }
    const bytes = { schema: { type: 'string', format: 'binary' } }
    const lines = Object.fromEntries(NDJSON_TYPES.map((type) => [type, content]))
    return { requestBody: { required: true, content: { ...lines, [NDJSON_AS_BYTES]: bytes } } }
  }
  const body = bodySchemaOf(it)
  const schema = schemas[schemaKey(it, 'body')]
  if (body === undefined || schema === undefined) return {}
  const required = !body.safeParse(undefined).success
  const json = { schema: required ? schema : withoutNull(schema) }
  // Only the description of the operation names the form: openapi-python-client makes invalid code of two bodies.
  return { requestBody: { required, content: { 'application/json': json } } }
}

/** Removes null from the schema of an optional body, because generated clients cannot express both. */
function withoutNull(schema: JsonSchemaObject): JsonSchemaObject {
  const branches = schema.anyOf?.filter((it) => it.type !== 'null') ?? []
  const { anyOf: _, ...rest } = schema
  return branches.length === 1 ? { ...branches[0], ...rest } : schema
}

function multipartContent({ fields, texts = {}, isOptional }: NonNullable<AnyRoute['upload']>): JsonContent {
  const file = { type: 'array', minItems: 1, items: { type: 'string', format: 'binary' } }
  const properties = {
    ...Object.fromEntries(fields.map((field) => [field, file])),
    ...Object.fromEntries(
      Object.entries(texts).map(([name, description]) => [
        name,
        { type: 'string', maxLength: MAX_FORM_TEXT_LENGTH, description },
      ]),
    ),
  }
  const anyOf = fields.map((field) => ({ required: [field] }))
  return { schema: { type: 'object', properties, ...(isOptional !== true && { anyOf }) } }
}

function responsesObject(it: AnyRoute, schemas: Record<string, JsonSchemaObject>): OperationObject['responses'] {
  const media = it.lines === undefined ? (it.mediaType ?? 'application/json') : NDJSON_TYPES[0]
  const reply = {
    [media]: { schema: schemas[schemaKey(it, 'reply')] },
    ...(it.stream && { [EVENT_STREAM_TYPE]: { schema: schemas[schemaKey(it, 'stream')] } }),
  }
  const success = {
    description: 'Success',
    ...(it.status !== 204 && { content: it.isDownload === true ? ANY_FILE : reply }),
  }
  const codes: ErrorCode[] = [
    ...(it.errors ?? []),
    ...(it.access === 'public' ? [] : ACCESS_ERRORS),
    ...(it.access === 'public' || acceptsTokens(it) ? [] : TOKEN_ERRORS),
    ...bodyErrors(it),
    ...poolErrors(it),
  ]
  const byStatus = Map.groupBy(codes, (code) => String(errorTable[code][0]))
  const failures = [...byStatus].map(([status, group]) => [
    status,
    { description: [...new Set(group)].join(', '), content: { 'application/json': { schema: schemas.error } } },
  ])
  const invalid = { description: 'Validation Error', content: { 'application/json': { schema: schemas['422'] } } }
  const notModified = { description: 'Not Modified' }
  return {
    [it.status ?? 200]: success,
    ...(it.hasRanges && { 206: { description: 'Partial Content', content: ANY_FILE } }),
    ...(it.isDownload && { 304: notModified }),
    ...(it.protocol && protocolResponses(it.protocol, schemas[schemaKey(it, 'reply')])),
    ...Object.fromEntries(failures),
    ...(isValidated(it) && { 422: invalid }),
  }
}

const protocolResponses = (
  { accepted, rejected }: MessageProtocol,
  schema: JsonSchemaObject | undefined,
): OperationObject['responses'] => ({
  ...mapStatuses(accepted, (description) => ({ description })),
  ...mapStatuses(rejected, (description) => ({ description, content: { 'application/json': { schema } } })),
})

const mapStatuses = (
  statuses: Readonly<Record<number, string>>,
  responseOf: (description: string) => OperationObject['responses'][string],
): OperationObject['responses'] =>
  Object.fromEntries(Object.entries(statuses).map(([status, description]) => [status, responseOf(description)]))

const ANY_FILE = { '*/*': { schema: { type: 'string', format: 'binary' } } }

const TOKEN_ERRORS: ErrorCode[] = ['TOKEN_REFUSED']
const ACCESS_ERRORS: ErrorCode[] = ['UNAUTHENTICATED', 'INSUFFICIENT_PERMISSIONS', 'RATE_LIMITED']
const bodyErrors = (it: AnyRoute): ErrorCode[] =>
  it.body === undefined && it.upload === undefined && it.lines === undefined
    ? []
    : ['INVALID_INPUT', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE']
const poolErrors = (it: AnyRoute): ErrorCode[] => (it.pool === undefined ? [] : ['TOO_MANY_REQUESTS', 'OVERLOADED'])
const isValidated = (it: AnyRoute) => Boolean(it.params ?? it.query ?? it.body ?? it.upload ?? it.lines)
