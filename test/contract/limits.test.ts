// Every text that a client may send has a maximum length, and the OpenAPI document states it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toJsonSchema } from '../../src/api/openapi/json-schema.ts'
import { openApi } from '../../src/api/openapi/openapi.ts'
import { routes } from '../../src/api/routes.ts'
import { connectors } from '../../src/connectors/load.ts'

type Json = Record<string, unknown>

const description = openApi(routes) as Json
const schemas = (description.components as { schemas: Record<string, Json> }).schemas
const METHODS = ['get', 'post', 'put', 'patch', 'delete']

/** Returns the paths of the texts without a maximum length. */
function unboundedIn(schema: unknown, path: string, seen: readonly string[] = []): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const it = schema as Json
  if (typeof it.$ref === 'string') {
    const name = it.$ref.split('/').at(-1)!
    return seen.includes(name) ? [] : unboundedIn(schemas[name], path, [...seen, name])
  }
  const inside = (part: unknown, name: string) => unboundedIn(part, `${path}${name}`, seen)
  const lists = ['anyOf', 'oneOf', 'allOf', 'prefixItems'].flatMap((key) => (it[key] as unknown[] | undefined) ?? [])
  return [
    ...(isUnboundedText(it) ? [path] : []),
    ...(isUnboundedRecord(it) ? [`${path}{name}`] : []),
    ...lists.flatMap((part) => inside(part, '')),
    ...inside(it.items, '[]'),
    ...inside(it.additionalProperties, '{}'),
    ...Object.entries((it.properties as Json | undefined) ?? {}).flatMap(([name, part]) => inside(part, `.${name}`)),
  ]
}

const typesOf = ({ type }: Json): unknown[] => (Array.isArray(type) ? type : [type])

const isUnboundedText = (it: Json): boolean =>
  typesOf(it).includes('string') &&
  [it.maxLength, it.enum, it.const].every((limit) => limit === undefined) &&
  !isFile(it)

/** A file is limited by its size instead of its length. */
const isFile = (it: Json): boolean => it.format === 'binary'

/** Records whose keys are chosen by a client. */
const isUnboundedRecord = (it: Json): boolean =>
  typeof it.additionalProperties === 'object' &&
  Object.keys(it.additionalProperties as Json).length > 0 &&
  (it.propertyNames as Json | undefined)?.maxLength === undefined

const operations = Object.entries(description.paths as Record<string, Json>).flatMap(([path, methods]) =>
  METHODS.filter((it) => it in methods).map((method) => ({
    name: `${method} ${path}`,
    operation: methods[method] as Json,
  })),
)

test('every text of a request has a maximum length', () => {
  assert.ok(operations.length > 100)
  const unbounded = operations.flatMap(({ name, operation }) => {
    const parameters = (operation.parameters as { name: string; schema: Json }[] | undefined) ?? []
    const contents = Object.values(((operation.requestBody as Json | undefined)?.content as Json | undefined) ?? {})
    return [
      ...parameters.flatMap((it) => unboundedIn(it.schema, it.name)),
      ...contents.flatMap((it) => unboundedIn((it as Json).schema, 'body')),
    ].map((it) => `${name} ${it}`)
  })
  assert.deepEqual([...new Set(unbounded)], [])
})

test('every text of a connector has a maximum length', () => {
  const unbounded = connectors.flatMap(({ sources: [source], config, credential }) => [
    ...unboundedIn(toJsonSchema(config, 'input'), `${source} config`),
    ...(credential === null ? [] : unboundedIn(toJsonSchema(credential, 'input'), `${source} credential`)),
  ])
  assert.deepEqual([...new Set(unbounded)], [])
})
