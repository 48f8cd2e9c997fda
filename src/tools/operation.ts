// One operation of a definition, as something to call: which arguments it takes, and where each of them goes.
import type { ToolMethod } from '../domain/tool-definition.ts'
import { serverOf } from '../domain/tool-definition.ts'
import { isPlainData } from '../domain/wire-containers.ts'
import { deref, type Extent, type Json, MAX_NODES, standalone } from './schema.ts'

export type Place = 'path' | 'query' | 'header'
export type Style = 'simple' | 'label' | 'matrix' | 'form' | 'spaceDelimited' | 'pipeDelimited' | 'deepObject'

export interface Parameter {
  /** What the model calls it: the name, or with the place where two places have the same. */
  argument: string
  name: string
  in: Place
  style: Style
  explode: boolean
  /** Sent as JSON. */
  isJson: boolean
}

export interface Operation {
  name: string
  raw_name: string
  description: string
  method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH'
  server: string
  path: string
  parameters: readonly Parameter[]
  /** The argument that is the body; null where there is none. */
  bodyArgument: string | null
  /** JSON Schema of the arguments. */
  schema: Json
}

const MAX_DESCRIPTION = 1_024

export function operationOf(definition: Json, method: ToolMethod, extent: Extent = { left: MAX_NODES }): Operation {
  const given = parametersIn(definition, method.spec)
  const named = withArguments(given)
  const body = bodyIn(definition, method.spec)
  const bodyArgument = body === null ? null : freeName('body', new Set(named.map((it) => it.argument)))
  const parameters = named.map(({ schema, description, isRequired: _, ...it }) => ({
    it,
    schema: { ...standalone(definition, schema, extent), ...(description !== null && { description }) },
  }))
  const properties = [
    ...parameters.map(({ it, schema }) => [it.argument, schema] as const),
    ...(body === null ? [] : [[bodyArgument!, standalone(definition, body.schema, extent)] as const]),
  ]
  const required = [
    ...named.filter((it) => it.isRequired).map((it) => it.argument),
    ...(body?.isRequired === true ? [bodyArgument!] : []),
  ]
  return {
    name: method.name,
    raw_name: method.raw_name,
    description: descriptionOf(method),
    method: method.method.toUpperCase() as Operation['method'], // `methodsOf` knows no other.
    server: serverOf(definition)!.url,
    path: method.path,
    parameters: parameters.map(({ it }) => it),
    bodyArgument,
    schema: { type: 'object', properties: Object.fromEntries(properties), required, additionalProperties: false },
  }
}

function descriptionOf({ summary, spec: { description } }: ToolMethod): string {
  const isMore = typeof description === 'string' && description !== summary
  return (isMore ? `${summary}\n${description}` : summary).slice(0, MAX_DESCRIPTION).toWellFormed()
}

interface Given extends Omit<Parameter, 'argument'> {
  schema: unknown
  description: string | null
  isRequired: boolean
}

const PLACES = ['path', 'query', 'header']
/** OpenAPI says of the first three that they are described elsewhere; cookies and the like belong to the connection. */
const NEVER =
  /^(?:accept|content-type|authorization|host|content-length|transfer-encoding|connection|keep-alive|te|trailer|upgrade|expect|cookie|accept-encoding|proxy-.*)$/i

function parametersIn(definition: Json, { parameters }: Json): Given[] {
  const listed = Array.isArray(parameters) ? parameters.map((it) => deref(definition, it)).filter(isPlainData) : []
  return listed.flatMap((it): Given[] => {
    const { name, in: place, description } = it
    if (typeof name !== 'string' || name === '' || !PLACES.includes(String(place))) return []
    if (place === 'header' && NEVER.test(name)) return []
    const json = jsonContent(definition, it)
    return [
      {
        name,
        in: place as Place,
        ...styleOf(it),
        isJson: json !== undefined,
        schema: json ?? it.schema ?? {},
        description: typeof description === 'string' ? description.slice(0, MAX_DESCRIPTION).toWellFormed() : null,
        isRequired: place === 'path' || it.required === true,
      },
    ]
  })
}

function jsonContent(definition: Json, { content }: Json): unknown {
  if (!isPlainData(content)) return undefined
  const media = deref(definition, content['application/json'])
  return isPlainData(media) ? (media.schema ?? {}) : undefined
}

const STYLES: Record<Place, readonly Style[]> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
}

/** The first of each place is what holds where nothing is said. */
function styleOf({ in: place, style: said, explode }: Json): Pick<Parameter, 'style' | 'explode'> {
  const known = STYLES[place as Place]
  const style = known.find((it) => it === said) ?? known[0]!
  return { style, explode: typeof explode === 'boolean' ? explode : style === 'form' }
}

/** A parameter of the same name and place counts once. */
function withArguments(given: readonly Given[]): (Given & Pick<Parameter, 'argument'>)[] {
  const distinct = [...new Map(given.map((it) => [`${it.in} ${it.name}`, it])).values()]
  const taken = new Set<string>()
  return distinct.map((it) => {
    const argument = taken.has(it.name) ? freeName(`${it.in}_${it.name}`, taken) : it.name
    taken.add(argument)
    return { ...it, argument }
  })
}

function freeName(wanted: string, taken: ReadonlySet<string>): string {
  let name = wanted
  for (let count = 2; taken.has(name); count += 1) name = `${wanted}_${count}`
  return name
}

function bodyIn(definition: Json, { requestBody }: Json): { schema: unknown; isRequired: boolean } | null {
  const body = deref(definition, requestBody)
  if (!isPlainData(body)) return null
  const schema = jsonContent(definition, body)
  return schema === undefined ? null : { schema, isRequired: body.required === true }
}
