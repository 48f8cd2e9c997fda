// How a schema looks from outside: JSON Schema 2020-12 as OpenAPI 3.1 has it. Lax types show their strict form.
import { z } from 'zod'

export type Io = 'input' | 'output'
type Json = Record<string, unknown>
type Schema = z.core.JSONSchema.BaseSchema

/** One schema by itself, its named parts under `$defs`. */
export function jsonSchemaOf(schema: z.ZodType, io: Io): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any', override: (it) => tidy(it, io) })
  return withAnyOf(json)
}

/** Many schemas that share their named parts: those with `.meta({ id })` become components, and each schema refers to them. */
export function jsonSchemas<K extends string>(
  schemas: Readonly<Record<K, { schema: z.ZodType; io: Io }>>,
): { schemas: Record<K, Json>; components: Record<string, Json> } {
  const components = { input: new Map<string, Json>(), output: new Map<string, Json>() }
  const roots = Object.entries<{ schema: z.ZodType; io: Io }>(schemas).map(([key, { schema, io }]) => {
    const { $defs = {}, ...root } = jsonSchemaOf(schema, io)
    for (const [id, json] of Object.entries($defs as Record<string, Json>)) addComponent(components[io], id, json)
    return { key, root, io }
  })
  const split = differing(components)
  const rename = (json: Json, io: Io) => withRefs(json, (id) => `#/components/schemas/${componentName(id, io, split)}`)
  return {
    schemas: Object.fromEntries(roots.map(({ key, root, io }) => [key, rename(root, io)])) as Record<K, Json>,
    components: Object.fromEntries(
      (['input', 'output'] as const)
        .flatMap((io) =>
          [...components[io]].map(([id, json]) => [componentName(id, io, split), rename(json, io)] as const),
        )
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    ),
  }
}

function addComponent(known: Map<string, Json>, id: string, json: Json): void {
  const existing = known.get(id)
  if (existing !== undefined && JSON.stringify(existing) !== JSON.stringify(json)) {
    throw new Error(`Two different schemas are named ${id}`)
  }
  known.set(id, json)
}

/** A named schema that reads otherwise than it writes needs two names, and so does every schema that refers to it. */
function differing({ input, output }: Record<Io, ReadonlyMap<string, Json>>): ReadonlySet<string> {
  const both = [...input.keys()].filter((id) => output.has(id))
  const split = new Set(both.filter((id) => JSON.stringify(input.get(id)) !== JSON.stringify(output.get(id))))
  for (let before = -1; before < split.size; ) {
    before = split.size
    for (const id of both) if (refsOf(input.get(id)).some((it) => split.has(it))) split.add(id)
  }
  return split
}

const componentName = (id: string, io: Io, split: ReadonlySet<string>) =>
  split.has(id) ? `${id}-${io === 'input' ? 'Input' : 'Output'}` : id

const REF = '#/$defs/'

function refsOf(json: unknown): string[] {
  const refs: string[] = []
  withRefs(json, (id) => `${refs.push(id)}`)
  return refs
}

const withRefs = (json: unknown, to: (id: string) => string): Json =>
  JSON.parse(JSON.stringify(json), (key, value) =>
    key === '$ref' && typeof value === 'string' && value.startsWith(REF) ? to(value.slice(REF.length)) : value,
  )

/**
 * A reply may gain fields, so it is never closed. What has a default need not be there, in either direction. A key is a
 * string anyway, and that an integer of a reply is a safe one goes without saying.
 */
function tidy({ zodSchema, jsonSchema: json }: { zodSchema: z.core.$ZodType; jsonSchema: Schema }, io: Io): void {
  if (isOpenObject(zodSchema) && json.additionalProperties === false) delete json.additionalProperties
  if (json.required !== undefined) json.required = json.required.filter((key) => !hasDefault(json.properties?.[key]))
  if (json.required?.length === 0) delete json.required
  if (JSON.stringify(json.propertyNames) === '{"type":"string"}') delete json.propertyNames
  if (io === 'input') return
  if (json.minimum === Number.MIN_SAFE_INTEGER) delete json.minimum
  if (json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum
}

const isOpenObject = ({ _zod: { def } }: z.core.$ZodType) => def.type === 'object' && !('catchall' in def)

const hasDefault = (json: boolean | Schema | undefined) => typeof json === 'object' && json.default !== undefined

/** One way to say "or null": `anyOf`, never a list of types. */
const withAnyOf = (json: unknown): Json =>
  JSON.parse(JSON.stringify(json), (_key, value) => {
    if (typeof value !== 'object' || value === null || !Array.isArray(value.type)) return value
    const { type, ...rest } = value
    return { anyOf: type.map((it: unknown) => ({ type: it })), ...rest }
  })
