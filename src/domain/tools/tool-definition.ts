// Parses the operations of an OpenAPI definition into methods that a model can call. Messages and their order are the
// wire's.
import { z } from 'zod'
import { isPlainObject } from '../../wire/containers.ts'
import { AppError } from '../errors.ts'
import { describeBoundsError } from './definition-limits.ts'

export const ToolMethod = z
  .object({
    name: z
      .string()
      .describe('The name that models use: the operation id, with `_` for every character except A-Z a-z 0-9 _ -.'),
    raw_name: z.string().describe('The operation id as spelled in the definition.'),
    summary: z.string(),
    path: z.string(),
    method: z.string(),
    spec: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'ToolMethod' })
export type ToolMethod = z.infer<typeof ToolMethod>

type OpenApiObject = Record<string, unknown>

const MAX_METHODS = 10_000

/** The operations of a definition. INVALID_DEFINITION names the first rule that it violates. */
export function parseToolMethods(definition: OpenApiObject): ToolMethod[] {
  checkTopLevel(definition)
  const methods: ToolMethod[] = []
  const rawNames = new Map<string, string>()
  for (const [path, operations] of Object.entries(objectOrEmpty(definition.paths))) {
    for (const [method, spec] of Object.entries(objectOrEmpty(operations))) {
      if (methods.length === MAX_METHODS)
        throw invalidDefinition(`The definition has more than ${MAX_METHODS} operations`)
      const it = parseMethod(path, method, objectOrEmpty(spec))
      checkName(it, rawNames.get(it.name))
      rawNames.set(it.name, it.raw_name)
      methods.push(it)
    }
  }
  if (methods.length === 0) throw invalidDefinition('No methods found in OpenAPI schema')
  for (const it of methods) checkMethod(it)
  const fault = describeBoundsError(definition, getServerUrl(definition), Object.keys(objectOrEmpty(definition.paths)))
  if (fault !== undefined) throw invalidDefinition(fault)
  return methods
}

/**
 * The URL of the server and its index, if the definition has exactly one; whether it may be called is checked
 * elsewhere.
 */
export function singleServer(definition: OpenApiObject): { url: string; at: number } | undefined {
  const servers = listServers(definition)
  return servers.length === 1 ? servers[0] : undefined
}

const listServers = (definition: OpenApiObject) =>
  objectList(definition.servers).flatMap((server, at) => {
    const url = nonEmptyString(server.url)
    return url === undefined ? [] : [{ url, at }]
  })

function checkTopLevel(definition: OpenApiObject): void {
  const { info, openapi, paths } = definition
  if (!isPlainObject(info)) throw invalidDefinition('`info` section is required in OpenAPI schema')
  for (const field of ['title', 'description']) {
    if (!Object.hasOwn(info, field))
      throw invalidDefinition(`\`${field}\` is required in \`info\` section of OpenAPI schema`)
  }
  if (openapi === undefined)
    throw invalidDefinition('`openapi` field which specifies OpenAPI schema version is required')
  if (!nonEmptyString(openapi)?.startsWith('3.'))
    throw invalidDefinition(`OpenAPI version ${quoted(openapi)} is not supported`)
  if (!isPlainObject(paths)) throw invalidDefinition('`paths` section is required in OpenAPI schema')
  getServerUrl(definition)
}

/** The URL of the only server. INVALID_DEFINITION if there is none, or another one. */
export function getServerUrl(definition: OpenApiObject): string {
  const [url, ...others] = listServers(definition).map((it) => it.url)
  if (url !== undefined && others.length === 0) return url
  const found = url === undefined ? [] : [url, ...others]
  throw invalidDefinition(`Expected exactly one URL in OpenAPI schema, but found [${found.map(quoted).join(', ')}]`)
}

function parseMethod(path: string, method: string, spec: OpenApiObject): ToolMethod {
  const operation = `${method.toUpperCase()} ${path}`
  const raw_name = nonEmptyString(spec.operationId)
  if (raw_name === undefined) throw invalidDefinition(`Operation ID is not specified for ${operation}`)
  const summary = nonEmptyString(spec.summary) ?? nonEmptyString(spec.description)
  if (summary === undefined) throw invalidDefinition(`Summary is not specified for ${operation}`)
  return { name: raw_name.replace(/[^A-Za-z0-9_-]/gu, '_'), raw_name, summary, path, method, spec }
}

function checkName({ name, raw_name }: ToolMethod, earlier: string | undefined): void {
  if (earlier === undefined) return
  if (earlier === raw_name) {
    throw invalidDefinition(
      `Duplicate operation ID ${quoted(raw_name)}. Each operation must have a unique operationId.`,
    )
  }
  throw invalidDefinition(
    `Operation IDs ${quoted(earlier)} and ${quoted(raw_name)} both become ${quoted(name)}. Rename one of them.`,
  )
}

function checkMethod({ path, method, spec }: ToolMethod): void {
  const given = objectList(spec.parameters).filter((it) => it.in === 'path' && Object.hasOwn(it, 'schema'))
  const names = new Set(given.map((it) => it.name))
  const missing = pathParameters(path).find((name) => !names.has(name))
  if (missing !== undefined) throw invalidDefinition(`Missing path parameter: ${quoted(missing)}`)
  const types = Object.keys(objectOrEmpty(objectOrEmpty(spec.requestBody).content))
  if (types.length > 0 && !types.includes('application/json')) {
    throw invalidDefinition(`Unsupported content type: ${quoted(types[0])}. Only 'application/json' is supported.`)
  }
  toHttpMethod(method)
}

const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'] as const
export type OperationMethod = (typeof METHODS)[number]

/** INVALID_DEFINITION for another method. */
export function toHttpMethod(method: string): OperationMethod {
  const upper = method.toUpperCase()
  const known = METHODS.find((it) => it === upper)
  if (known === undefined) throw invalidDefinition(`HTTP method ${quoted(method)} is not supported.`)
  return known
}

const pathParameters = (path: string) => (path.match(/\{[^{}]*\}/g) ?? []).map((it) => it.slice(1, -1))

/** Truncates the reason: definitions can be megabytes long. */
const invalidDefinition = (reason: string) =>
  new AppError('INVALID_DEFINITION', { reason: reason.slice(0, MAX_REASON).toWellFormed() })
const MAX_REASON = 1_000

const quoted = (value: unknown) => `'${typeof value === 'string' ? value : JSON.stringify(value)}'`
const nonEmptyString = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)
const objectOrEmpty = (value: unknown): OpenApiObject => (isPlainObject(value) ? value : {})
const objectList = (value: unknown): OpenApiObject[] => (Array.isArray(value) ? value.filter(isPlainObject) : [])
