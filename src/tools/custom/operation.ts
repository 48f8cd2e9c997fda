// Turns one operation of a definition into a callable: its arguments, and the part of the request that each of them
// fills.
import {
  getServerUrl,
  type OperationMethod,
  type ToolMethod,
  toHttpMethod,
} from '../../domain/tools/tool-definition.ts'
import { isPlainObject } from '../../wire/containers.ts'
import { inlineReferences, type JsonObject, MAX_NODES, type NodeBudget, resolveReference } from './schema.ts'

export type ParameterLocation = 'path' | 'query' | 'header'
export type ParameterStyle = 'simple' | 'label' | 'matrix' | 'form' | 'spaceDelimited' | 'pipeDelimited' | 'deepObject'

export interface Parameter {
  /** The name that the model uses; prefixed with the location if two parameters share a name. */
  argument: string
  name: string
  in: ParameterLocation
  style: ParameterStyle
  explode: boolean
  /** The value is sent as JSON. */
  isJson: boolean
}

export interface Operation {
  name: string
  raw_name: string
  description: string
  method: OperationMethod
  server: string
  path: string
  parameters: readonly Parameter[]
  /** The argument that becomes the body; null if there is no body. */
  bodyArgument: string | null
  /** JSON Schema of the arguments. */
  schema: JsonObject
}

const MAX_DESCRIPTION = 1_024

export function buildOperation(
  definition: JsonObject,
  method: ToolMethod,
  budget: NodeBudget = { remaining: MAX_NODES },
): Operation {
  const declared = readParameters(definition, method.spec)
  const argumentsWithNames = assignArgumentNames(declared)
  const body = readBody(definition, method.spec, new Set(argumentsWithNames.map((it) => it.argument)))
  const parameters = argumentsWithNames.map(({ schema, description, isRequired: _, ...it }) => ({
    it,
    schema: { ...inlineReferences(definition, schema, budget), ...(description !== null && { description }) },
  }))
  const properties = [
    ...parameters.map(({ it, schema }) => [it.argument, schema] as const),
    ...(body === null ? [] : [[body.argument, inlineReferences(definition, body.schema, budget)] as const]),
  ]
  const required = [
    ...argumentsWithNames.filter((it) => it.isRequired).map((it) => it.argument),
    ...(body?.isRequired === true ? [body.argument] : []),
  ]
  return {
    name: method.name,
    raw_name: method.raw_name,
    description: describeMethod(method),
    method: toHttpMethod(method.method),
    server: getServerUrl(definition),
    path: method.path,
    parameters: parameters.map(({ it }) => it),
    bodyArgument: body?.argument ?? null,
    schema: { type: 'object', properties: Object.fromEntries(properties), required, additionalProperties: false },
  }
}

function describeMethod({ summary, spec: { description } }: ToolMethod): string {
  const isMore = typeof description === 'string' && description !== summary
  return (isMore ? `${summary}\n${description}` : summary).slice(0, MAX_DESCRIPTION).toWellFormed()
}

interface DeclaredParameter extends Omit<Parameter, 'argument'> {
  schema: unknown
  description: string | null
  isRequired: boolean
}

const LOCATIONS = ['path', 'query', 'header'] as const satisfies ParameterLocation[]
/** OpenAPI defines the first three elsewhere; cookies and similar headers belong to the connection. */
const FORBIDDEN_HEADERS =
  /^(?:accept|content-type|authorization|host|content-length|transfer-encoding|connection|keep-alive|te|trailer|upgrade|expect|cookie|accept-encoding|proxy-.*)$/i

function readParameters(definition: JsonObject, { parameters }: JsonObject): DeclaredParameter[] {
  const declarations = Array.isArray(parameters)
    ? parameters.map((it) => resolveReference(definition, it)).filter(isPlainObject)
    : []
  return declarations.flatMap((it): DeclaredParameter[] => {
    const { name, in: place, description } = it
    const location = LOCATIONS.find((known) => known === place)
    if (typeof name !== 'string' || name === '' || location === undefined) return []
    if (location === 'header' && FORBIDDEN_HEADERS.test(name)) return []
    const json = jsonContent(definition, it)
    return [
      {
        name,
        in: location,
        ...readStyle(location, it),
        isJson: json !== undefined,
        schema: json ?? it.schema ?? {},
        description: typeof description === 'string' ? description.slice(0, MAX_DESCRIPTION).toWellFormed() : null,
        isRequired: location === 'path' || it.required === true,
      },
    ]
  })
}

function jsonContent(definition: JsonObject, { content }: JsonObject): unknown {
  if (!isPlainObject(content)) return undefined
  const media = resolveReference(definition, content['application/json'])
  return isPlainObject(media) ? (media.schema ?? {}) : undefined
}

const STYLES: Record<ParameterLocation, readonly [ParameterStyle, ...ParameterStyle[]]> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
}

/** The first style of each location is the default. */
function readStyle(
  location: ParameterLocation,
  { style: said, explode }: JsonObject,
): Pick<Parameter, 'style' | 'explode'> {
  const known = STYLES[location]
  const style = known.find((it) => it === said) ?? known[0]
  return { style, explode: typeof explode === 'boolean' ? explode : style === 'form' }
}

/** Parameters with the same name and location are merged. */
function assignArgumentNames(
  declared: readonly DeclaredParameter[],
): (DeclaredParameter & Pick<Parameter, 'argument'>)[] {
  const distinct = [...new Map(declared.map((it) => [`${it.in} ${it.name}`, it])).values()]
  const taken = new Set<string>()
  return distinct.map((it) => {
    const argument = taken.has(it.name) ? uniqueName(`${it.in}_${it.name}`, taken) : it.name
    taken.add(argument)
    return { ...it, argument }
  })
}

function uniqueName(wanted: string, taken: ReadonlySet<string>): string {
  let name = wanted
  for (let count = 2; taken.has(name); count += 1) name = `${wanted}_${count}`
  return name
}

interface DeclaredBody {
  argument: string
  schema: unknown
  isRequired: boolean
}

function readBody(
  definition: JsonObject,
  { requestBody }: JsonObject,
  taken: ReadonlySet<string>,
): DeclaredBody | null {
  const body = resolveReference(definition, requestBody)
  if (!isPlainObject(body)) return null
  const schema = jsonContent(definition, body)
  if (schema === undefined) return null
  return { argument: uniqueName('body', taken), schema, isRequired: body.required === true }
}
