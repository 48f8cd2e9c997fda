// Converts zod schemas to JSON Schema 2020-12 for OpenAPI 3.1. Lax types appear in their strict form.
import { z } from 'zod'

export type SchemaDirection = 'input' | 'output'
/** The parts of JSON Schema that are read here; others pass through. */
export interface JsonSchemaObject {
  [part: string]: unknown
  $defs?: Record<string, JsonSchemaObject>
  $ref?: string
  anyOf?: JsonSchemaObject[]
  oneOf?: JsonSchemaObject[]
  enum?: unknown[]
  items?: JsonSchemaObject
  properties?: Record<string, JsonSchemaObject>
  required?: string[]
  type?: string | string[]
}
type ZodJsonSchema = z.core.JSONSchema.BaseSchema

/** Converts one schema, with its named parts under `$defs`. */
export function toJsonSchema(schema: z.ZodType, io: SchemaDirection): JsonSchemaObject {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: (it) => tidySchema(it, io),
  })
  return normalizeSchema(json, io)
}

/** Converts schemas that share named parts: parts with `.meta({ id })` become components. */
export function toJsonSchemas(schemas: Readonly<Record<string, { schema: z.ZodType; io: SchemaDirection }>>): {
  schemas: Record<string, JsonSchemaObject>
  components: Record<string, JsonSchemaObject>
} {
  const components = { input: new Map<string, JsonSchemaObject>(), output: new Map<string, JsonSchemaObject>() }
  const roots = Object.entries(schemas).map(([key, { schema, io }]) => {
    const { $defs = {}, ...root } = toJsonSchema(schema, io)
    for (const [id, json] of Object.entries($defs)) addComponent(components[io], id, json)
    return { key, root, io }
  })
  const splitIds = directionalComponents(components)
  const renameRefs = (json: JsonSchemaObject, io: SchemaDirection) =>
    mapRefs(json, (id) => `#/components/schemas/${componentName(id, io, splitIds)}`)
  return {
    schemas: Object.fromEntries(roots.map(({ key, root, io }) => [key, renameRefs(root, io)])),
    components: Object.fromEntries(
      (['input', 'output'] as const)
        .flatMap((io) =>
          [...components[io]].map(([id, json]) => [componentName(id, io, splitIds), renameRefs(json, io)] as const),
        )
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    ),
  }
}

function addComponent(known: Map<string, JsonSchemaObject>, id: string, json: JsonSchemaObject): void {
  const existing = known.get(id)
  if (existing !== undefined && JSON.stringify(existing) !== JSON.stringify(json)) {
    throw new Error(`Two different schemas are named ${id}`)
  }
  known.set(id, json)
}

/** Ids of schemas that differ between input and output, and of all schemas that refer to them; these need two names. */
function directionalComponents({
  input,
  output,
}: Record<SchemaDirection, ReadonlyMap<string, JsonSchemaObject>>): ReadonlySet<string> {
  const sharedIds = [...input.keys()].filter((id) => output.has(id))
  const splitIds = new Set(sharedIds.filter((id) => JSON.stringify(input.get(id)) !== JSON.stringify(output.get(id))))
  for (let before = -1; before < splitIds.size; ) {
    before = splitIds.size
    for (const id of sharedIds) if (referencedIds(input.get(id)).some((it) => splitIds.has(it))) splitIds.add(id)
  }
  return splitIds
}

const componentName = (id: string, io: SchemaDirection, splitIds: ReadonlySet<string>) =>
  splitIds.has(id) ? `${id}-${io === 'input' ? 'Input' : 'Output'}` : id

const REF = '#/$defs/'

function referencedIds(json: unknown): string[] {
  const refs: string[] = []
  mapRefs(json, (id) => `${refs.push(id)}`)
  return refs
}

const mapRefs = (json: unknown, to: (id: string) => string): JsonSchemaObject =>
  JSON.parse(JSON.stringify(json), (key, value) =>
    key === '$ref' && typeof value === 'string' && value.startsWith(REF) ? to(value.slice(REF.length)) : value,
  )

/**
 * Leaves replies open, because later versions may add fields. Fields with a default are optional in both directions. Drops
 * what is redundant: string keys, and the safe-integer range of replies.
 */
function tidySchema(
  { zodSchema, jsonSchema: json }: { zodSchema: z.core.$ZodType; jsonSchema: ZodJsonSchema },
  io: SchemaDirection,
): void {
  if (isOpenObject(zodSchema) && json.additionalProperties === false) delete json.additionalProperties
  if (json.required !== undefined) json.required = json.required.filter((key) => !hasDefault(json.properties?.[key]))
  if (json.required?.length === 0) delete json.required
  if (JSON.stringify(json.propertyNames) === '{"type":"string"}') delete json.propertyNames
  if (io === 'input') return
  if (json.minimum === Number.MIN_SAFE_INTEGER) delete json.minimum
  if (json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum
}

const isOpenObject = ({ _zod: { def } }: z.core.$ZodType) => def.type === 'object' && !('catchall' in def)

const hasDefault = (json: boolean | ZodJsonSchema | undefined) => typeof json === 'object' && json.default !== undefined

/**
 * Expresses "or null" as `anyOf`, never as a list of types, and gives every array an `items`. Drops defaults of null, which
 * are redundant, and scalar defaults of requests, which client generators would treat as always present; the descriptions
 * name them.
 */
const normalizeSchema = (json: unknown, io: SchemaDirection): JsonSchemaObject =>
  JSON.parse(JSON.stringify(json), (key, value) => {
    if (key === 'default' && (value === null || (io === 'input' && typeof value !== 'object'))) return undefined
    if (typeof value !== 'object' || value === null) return value
    if (['boolean', 'number'].includes(typeof value.const) || value.const === null) return constToLimits(value)
    if (value.type === 'array' && value.items === undefined) return { ...value, items: {} }
    if (!Array.isArray(value.type)) return value
    const { type, ...rest } = value
    return { anyOf: type.map((it: unknown) => ({ type: it })), ...rest }
  })

/** Expresses a constant as a type with limits: generated Python code fails on constants that are not strings. */
function constToLimits({ const: value, type: _, ...rest }: JsonSchemaObject): JsonSchemaObject {
  if (value === null) return { type: 'null', ...rest }
  if (typeof value === 'boolean') return { type: 'boolean', not: { const: !value }, ...rest }
  return { type: Number.isInteger(value) ? 'integer' : 'number', minimum: value, maximum: value, ...rest }
}
