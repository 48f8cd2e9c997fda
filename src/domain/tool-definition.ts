// Can a model call what this OpenAPI definition describes, and by which names? The sentences are the wire's, in its order.
import { z } from 'zod'
import { AppError } from './errors.ts'
import { boundsFault } from './tool-bounds.ts'
import { isPlainData } from './wire-containers.ts'

export const ToolMethod = z
  .object({
    name: z
      .string()
      .describe('What a model calls it: the operation id, with `_` for every character but A-Z a-z 0-9 _ -.'),
    raw_name: z.string().describe('The operation id as the definition spells it.'),
    summary: z.string(),
    path: z.string(),
    method: z.string(),
    spec: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'ToolMethod' })
export type ToolMethod = z.infer<typeof ToolMethod>

type Json = Record<string, unknown>

const MAX_METHODS = 10_000

/** The operations of a definition. INVALID_DEFINITION says the first rule that it breaks. */
export function methodsOf(definition: Json): ToolMethod[] {
  checkFrame(definition)
  const methods: ToolMethod[] = []
  const rawNames = new Map<string, string>()
  for (const [path, operations] of Object.entries(objectOf(definition.paths))) {
    for (const [method, spec] of Object.entries(objectOf(operations))) {
      if (methods.length === MAX_METHODS) throw invalid(`The definition has more than ${MAX_METHODS} operations`)
      const it = methodOf(path, method, objectOf(spec))
      checkName(it, rawNames.get(it.name))
      rawNames.set(it.name, it.raw_name)
      methods.push(it)
    }
  }
  if (methods.length === 0) throw invalid('No methods found in OpenAPI schema')
  for (const it of methods) checkCall(it)
  const fault = boundsFault(definition, serverOf(definition)?.url ?? '', Object.keys(objectOf(definition.paths)))
  if (fault !== undefined) throw invalid(fault)
  return methods
}

/** The one server, and its place, if the definition has just one; whether it may be called is not known here. */
export function serverOf(definition: Json): { url: string; at: number } | undefined {
  const servers = serversOf(definition)
  return servers.length === 1 ? servers[0] : undefined
}

const serversOf = (definition: Json) =>
  listOf(definition.servers).flatMap((server, at) => {
    const url = textOf(server.url)
    return url === undefined ? [] : [{ url, at }]
  })

function checkFrame(definition: Json): void {
  const { info, openapi, paths } = definition
  if (!isPlainData(info)) throw invalid('`info` section is required in OpenAPI schema')
  for (const field of ['title', 'description']) {
    if (!Object.hasOwn(info, field)) throw invalid(`\`${field}\` is required in \`info\` section of OpenAPI schema`)
  }
  if (openapi === undefined) throw invalid('`openapi` field which specifies OpenAPI schema version is required')
  if (!textOf(openapi)?.startsWith('3.')) throw invalid(`OpenAPI version ${quoted(openapi)} is not supported`)
  if (!isPlainData(paths)) throw invalid('`paths` section is required in OpenAPI schema')
  const urls = serversOf(definition).map(({ url }) => url)
  if (urls.length !== 1) {
    throw invalid(`Expected exactly one URL in OpenAPI schema, but found [${urls.map(quoted).join(', ')}]`)
  }
}

function methodOf(path: string, method: string, spec: Json): ToolMethod {
  const place = `${method.toUpperCase()} ${path}`
  const raw_name = textOf(spec.operationId)
  if (raw_name === undefined) throw invalid(`Operation ID is not specified for ${place}`)
  const summary = textOf(spec.summary) ?? textOf(spec.description)
  if (summary === undefined) throw invalid(`Summary is not specified for ${place}`)
  return { name: raw_name.replace(/[^A-Za-z0-9_-]/gu, '_'), raw_name, summary, path, method, spec }
}

function checkName({ name, raw_name }: ToolMethod, earlier: string | undefined): void {
  if (earlier === undefined) return
  if (earlier === raw_name) {
    throw invalid(`Duplicate operation ID ${quoted(raw_name)}. Each operation must have a unique operationId.`)
  }
  throw invalid(
    `Operation IDs ${quoted(earlier)} and ${quoted(raw_name)} both become ${quoted(name)}. Rename one of them.`,
  )
}

function checkCall({ path, method, spec }: ToolMethod): void {
  const given = listOf(spec.parameters).filter((it) => it.in === 'path' && Object.hasOwn(it, 'schema'))
  const names = new Set(given.map((it) => it.name))
  const missing = namesIn(path).find((name) => !names.has(name))
  if (missing !== undefined) throw invalid(`Missing path parameter: ${quoted(missing)}`)
  const types = Object.keys(objectOf(objectOf(spec.requestBody).content))
  if (types.length > 0 && !types.includes('application/json')) {
    throw invalid(`Unsupported content type: ${quoted(types[0])}. Only 'application/json' is supported.`)
  }
  if (!METHODS.has(method.toUpperCase())) throw invalid(`HTTP method ${quoted(method)} is not supported.`)
}

const METHODS = new Set(['GET', 'POST', 'PUT', 'DELETE', 'PATCH'])

const namesIn = (path: string) => [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name!)

/** A definition may be megabytes long; the sentence about it is not. */
const invalid = (reason: string) =>
  new AppError('INVALID_DEFINITION', { reason: reason.slice(0, MAX_REASON).toWellFormed() })
const MAX_REASON = 1_000

const quoted = (value: unknown) => `'${typeof value === 'string' ? value : JSON.stringify(value)}'`
const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)
const objectOf = (value: unknown): Json => (isPlainData(value) ? value : {})
const listOf = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isPlainData) : [])
