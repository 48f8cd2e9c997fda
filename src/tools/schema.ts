// What a definition says of a value, as a JSON Schema that stands by itself: no references, and no keyword that models
// or our check do not know. A definition is anybody's text, so each keyword is looked at before it is believed.
import { z } from 'zod'
import { targetOf } from '../domain/json-pointer.ts'
import { isPlainData } from '../domain/wire-containers.ts'

export type Json = Record<string, unknown>

/** A schema may hold itself, or one thing a thousand times: what is beyond this is any value. */
export const MAX_NODES = 2_000
const MAX_CHAIN = 50
const MAX_TEXT = 4_000

/** How much may still be written. */
export interface Extent {
  left: number
}

/** The schema with everything that it refers to in place; a part that holds itself is any value in there. */
export function standalone(definition: Json, schema: unknown, extent: Extent = { left: MAX_NODES }): Json {
  return written({ definition, extent, open: new Set() }, schema)
}

interface Writing {
  definition: Json
  extent: Extent
  /** What is being written around this. */
  open: ReadonlySet<unknown>
}

function written(writing: Writing, given: unknown): Json {
  const schema = deref(writing.definition, given)
  writing.extent.left -= 1
  if (!isPlainData(schema) || writing.open.has(schema) || writing.extent.left < 0) return {}
  const within = { ...writing, open: new Set([...writing.open, schema]) }
  const plain = Object.entries(KEYWORDS).flatMap(([keyword, isFit]) =>
    Object.hasOwn(schema, keyword) && isFit(schema[keyword]) ? [[keyword, schema[keyword]] as const] : [],
  )
  const parts: Json = { ...Object.fromEntries(plain), ...ofObject(within, schema), ...ofArray(within, schema) }
  for (const keyword of ['anyOf', 'oneOf', 'allOf']) {
    const branches = schema[keyword]
    if (Array.isArray(branches) && branches.length > 0) parts[keyword] = branches.map((it) => written(within, it))
  }
  return withNull(bounded(parts, schema), schema)
}

const isText = (it: unknown) => typeof it === 'string' && it.length <= MAX_TEXT
const isNumber = (it: unknown) => typeof it === 'number'
const isCount = (it: unknown) => Number.isInteger(it) && (it as number) >= 0
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

/** What only comes in answers is not asked for. */
function ofObject(writing: Writing, { properties, required, additionalProperties: others }: Json): Json {
  const isTaken = (it: unknown) => {
    const schema = deref(writing.definition, it)
    return !isPlainData(schema) || schema.readOnly !== true
  }
  const taken = isPlainData(properties) ? Object.entries(properties).filter(([, it]) => isTaken(it)) : []
  const names = new Set(taken.map(([name]) => name))
  const needed = Array.isArray(required) ? [...new Set(required)].filter((it) => names.has(it)) : []
  return {
    ...(taken.length > 0 && {
      type: 'object',
      properties: Object.fromEntries(taken.map(([name, it]) => [name, written(writing, it)])),
    }),
    ...(needed.length > 0 && { required: needed }),
    ...(others === false && { additionalProperties: false }),
    ...(isPlainData(others) && { additionalProperties: written(writing, others) }),
  }
}

const ofArray = (writing: Writing, { items }: Json): Json =>
  isPlainData(items) ? { type: 'array', items: written(writing, items) } : {}

/** In OpenAPI 3.0 an exclusive bound is a flag beside the bound. */
function bounded(parts: Json, schema: Json): Json {
  const { minimum, maximum, ...rest } = parts
  return {
    ...rest,
    ...(minimum !== undefined && { [schema.exclusiveMinimum === true ? 'exclusiveMinimum' : 'minimum']: minimum }),
    ...(maximum !== undefined && { [schema.exclusiveMaximum === true ? 'exclusiveMaximum' : 'maximum']: maximum }),
  }
}

/** And null is allowed by another one. */
function withNull(parts: Json, { nullable }: Json): Json {
  if (nullable !== true || typeof parts.type !== 'string') return parts
  const values = Array.isArray(parts.enum) ? { enum: [...parts.enum, null] } : {}
  return { ...parts, type: [parts.type, 'null'], ...values }
}

/** What a reference leads to within the definition; undefined where it leads nowhere. */
export function deref(definition: Json, value: unknown): unknown {
  let found = value
  for (let left = MAX_CHAIN; left > 0; left -= 1) {
    if (!isPlainData(found) || typeof found.$ref !== 'string') return found
    found = targetOf(definition, found.$ref)
  }
  return undefined
}

/**
 * A check of values by such a schema. Patterns are for the model alone: one of a stranger could keep us busy for hours.
 * Formats too: what a server takes for a date is its business.
 */
export const checkOf = (schema: Json): z.ZodType => z.fromJSONSchema(checkable(schema) as z.core.JSONSchema.JSONSchema)

function checkable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(checkable)
  if (!isPlainData(value)) return value
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
    ...Object.fromEntries(Object.entries(rest).map(([keyword, it]) => [keyword, checkable(it)])),
    ...(values !== undefined && { enum: values }),
    ...(isPlainData(properties) && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, it]) => [name, checkable(it)])),
    }),
  }
}
