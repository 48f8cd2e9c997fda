// Turns the schema of a definition into a self-contained JSON Schema, without references and unsupported keywords.
// Definitions are untrusted, so each keyword is validated.
import { z } from 'zod'
import { BRANCHING_KEYWORDS, MAX_BRANCHES } from '../../domain/tools/definition-limits.ts'
import { resolveJsonPointer } from '../../domain/tools/json-pointer.ts'
import { isPlainObject } from '../../wire/containers.ts'

export type JsonObject = Record<string, unknown>

/**
 * The maximum number of schema nodes. Schemas can be recursive or repeat large parts; nodes beyond the limit accept
 * any value.
 */
export const MAX_NODES = 2_000
const MAX_REFERENCE_CHAIN = 50
/** References can nest schemas deeper than the JSON that contains them, and validation recurses once per level. */
const MAX_DEPTH = 64
const MAX_TEXT = 4_000

/** The number of nodes that may still be added. */
export interface NodeBudget {
  remaining: number
}

/**
 * Replaces references with the schemas that they point to. A recursive schema accepts any value at the inner level.
 */
export function inlineReferences(
  definition: JsonObject,
  schema: unknown,
  budget: NodeBudget = { remaining: MAX_NODES },
): JsonObject {
  return inlineSchema({ definition, budget, ancestors: new Set() }, schema)
}

interface InlineContext {
  definition: JsonObject
  budget: NodeBudget
  /** The schemas that contain the current one. */
  ancestors: ReadonlySet<unknown>
}

function inlineSchema(context: InlineContext, given: unknown): JsonObject {
  const schema = resolveReference(context.definition, given)
  context.budget.remaining -= 1
  if (!isPlainObject(schema) || context.ancestors.has(schema) || context.budget.remaining < 0) return {}
  if (context.ancestors.size >= MAX_DEPTH) return {}
  const within: InlineContext = { ...context, ancestors: new Set([...context.ancestors, schema]) }
  const plain = Object.entries(KEYWORDS).flatMap(([keyword, isFit]) =>
    Object.hasOwn(schema, keyword) && isFit(schema[keyword]) ? [[keyword, schema[keyword]] as const] : [],
  )
  const parts: JsonObject = {
    ...Object.fromEntries(plain),
    ...objectKeywords(within, schema),
    ...arrayKeywords(within, schema),
  }
  for (const keyword of BRANCHING_KEYWORDS) {
    const branches = schema[keyword]
    if (!Array.isArray(branches) || branches.length === 0 || branches.length > MAX_BRANCHES) continue
    parts[keyword] = branches.map((it) => inlineSchema(within, it))
  }
  return withNullable(withExclusiveBounds(parts, schema), schema)
}

const isText = (it: unknown) => typeof it === 'string' && it.length <= MAX_TEXT
const isNumber = (it: unknown) => typeof it === 'number'
const isCount = (it: unknown) => typeof it === 'number' && Number.isInteger(it) && it >= 0
const isScalar = (it: unknown) => it === null || ['string', 'number', 'boolean'].includes(typeof it)
const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']

const KEYWORDS: Record<string, (value: unknown) => boolean> = {
  type: (it) => [it].flat().every((type) => TYPES.includes(String(type))) && !(Array.isArray(it) && it.length === 0),
  title: isText,
  description: isText,
  format: isText,
  pattern: isText,
  enum: (it) => Array.isArray(it) && it.length > 0 && it.every(isScalar),
  const: isScalar,
  default: isScalar,
  minimum: isNumber,
  maximum: isNumber,
  exclusiveMinimum: isNumber,
  exclusiveMaximum: isNumber,
  multipleOf: (it) => typeof it === 'number' && it > 0,
  minLength: isCount,
  maxLength: isCount,
  minItems: isCount,
  maxItems: isCount,
}

/** Read-only properties occur only in responses. */
function objectKeywords(
  context: InlineContext,
  { properties, required, additionalProperties: others }: JsonObject,
): JsonObject {
  const isRequestable = (it: unknown) => {
    const schema = resolveReference(context.definition, it)
    return !isPlainObject(schema) || schema.readOnly !== true
  }
  const all = isPlainObject(properties) ? Object.entries(properties) : []
  // A property that would accept any value is not listed.
  const listed = all.slice(0, Math.max(0, context.budget.remaining))
  const requestable = listed.filter(([, it]) => isRequestable(it))
  const names = new Set(requestable.map(([name]) => name))
  const requiredNames = Array.isArray(required) ? [...new Set(required)].filter((it) => names.has(it)) : []
  return {
    ...(requestable.length > 0 && {
      type: 'object',
      properties: Object.fromEntries(requestable.map(([name, it]) => [name, inlineSchema(context, it)])),
    }),
    ...(requiredNames.length > 0 && { required: requiredNames }),
    ...(others === false && listed.length === all.length && { additionalProperties: false }),
    ...(isPlainObject(others) && { additionalProperties: inlineSchema(context, others) }),
  }
}

const arrayKeywords = (context: InlineContext, { items }: JsonObject): JsonObject =>
  isPlainObject(items) ? { type: 'array', items: inlineSchema(context, items) } : {}

/** In OpenAPI 3.0, an exclusive bound is a flag next to the bound. */
function withExclusiveBounds(parts: JsonObject, schema: JsonObject): JsonObject {
  const { minimum, maximum, ...rest } = parts
  return {
    ...rest,
    ...(minimum !== undefined && { [schema.exclusiveMinimum === true ? 'exclusiveMinimum' : 'minimum']: minimum }),
    ...(maximum !== undefined && { [schema.exclusiveMaximum === true ? 'exclusiveMaximum' : 'maximum']: maximum }),
  }
}

/** OpenAPI 3.0 allows null with a separate keyword. */
function withNullable(parts: JsonObject, { nullable }: JsonObject): JsonObject {
  if (nullable !== true || typeof parts.type !== 'string') return parts
  const values = Array.isArray(parts.enum) ? { enum: [...parts.enum, null] } : {}
  return { ...parts, type: [parts.type, 'null'], ...values }
}

/** Follows a reference within the definition; undefined if it points nowhere. */
export function resolveReference(definition: JsonObject, value: unknown): unknown {
  let found = value
  for (let left = MAX_REFERENCE_CHAIN; left > 0; left -= 1) {
    if (!isPlainObject(found) || typeof found.$ref !== 'string') return found
    found = resolveJsonPointer(definition, found.$ref)
  }
  return undefined
}

/**
 * Creates a validator for the schema. Patterns and formats are not validated: a hostile pattern could take hours, and
 * servers differ in the formats that they accept.
 */
export const createValidator = (schema: JsonObject): z.ZodType =>
  z.fromJSONSchema(stripUncheckedKeywords(schema) as z.core.JSONSchema.JSONSchema)

function stripUncheckedKeywords(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(stripUncheckedKeywords)
  if (!isPlainObject(value)) return value
  const {
    pattern: _,
    format: __,
    default: ___,
    title: ____,
    description: _____,
    properties,
    enum: values,
    ...rest
  } = value
  return {
    ...Object.fromEntries(Object.entries(rest).map(([keyword, it]) => [keyword, stripUncheckedKeywords(it)])),
    ...(values !== undefined && { enum: values }),
    ...(isPlainObject(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, it]) => [name, stripUncheckedKeywords(it)]),
      ),
    }),
  }
}
