// Builds an example that matches a schema: its required fields, with the first alternative of each choice.
import type { JsonSchemaObject } from './json-schema.ts'

const MAX_DEPTH = 5
const BY_TYPE: Record<string, unknown> = { string: 'text', integer: 1, number: 1, boolean: true, null: null }
const BY_FORMAT: Record<string, string> = { 'date-time': '2026-01-31T12:00:00Z', uri: 'https://example.com/' }

export function exampleFor(
  schema: JsonSchemaObject,
  schemas: Readonly<Record<string, JsonSchemaObject>>,
  depth = 0,
): unknown {
  if (depth > MAX_DEPTH) return null
  const nestedExample = (it: JsonSchemaObject) => exampleFor(it, schemas, depth + 1)
  if (typeof schema.$ref === 'string')
    return nestedExample(schemas[schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)] ?? {})
  if (schema.const !== undefined) return schema.const
  if (Array.isArray(schema.enum)) return schema.enum[0]
  const branches = schema.anyOf ?? schema.oneOf
  if (branches !== undefined && schema.type === undefined) {
    return nestedExample(branches.find((it) => it.type !== 'null') ?? {})
  }
  const type = Array.isArray(schema.type) ? schema.type.find((it) => it !== 'null') : schema.type
  if (type === 'array') return schema.items === undefined ? [] : [nestedExample(schema.items)]
  if (type === 'object' || schema.properties !== undefined) return exampleObject(schema, nestedExample)
  return BY_FORMAT[String(schema.format)] ?? BY_TYPE[String(type)] ?? {}
}

function exampleObject(
  { properties = {}, required = [] }: JsonSchemaObject,
  nestedExample: (it: JsonSchemaObject) => unknown,
): JsonSchemaObject {
  return Object.fromEntries(required.map((name) => [name, nestedExample(properties[name] ?? {})]))
}
