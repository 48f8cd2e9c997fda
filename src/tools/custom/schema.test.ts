import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BRANCHING_KEYWORDS } from '../../domain/tools/definition-limits.ts'
import { describeArgumentError } from '../builtin/define-built-in-tool.ts'
import { createValidator, inlineReferences, type JsonObject, MAX_NODES } from './schema.ts'

const to = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const withSchemas = (schemas: JsonObject): JsonObject => ({ components: { schemas } })

test('a reference is replaced by its target', () => {
  const definition = withSchemas({
    Pet: { type: 'object', properties: { name: to('Name') } },
    Name: { type: 'string' },
  })
  assert.deepEqual(inlineReferences(definition, to('Pet')), {
    type: 'object',
    properties: { name: { type: 'string' } },
  })
})

test('a recursive schema accepts any value at its recursion', () => {
  const definition = withSchemas({ Tree: { properties: { left: to('Tree'), value: { type: 'number' } } } })
  assert.deepEqual(inlineReferences(definition, to('Tree')), {
    type: 'object',
    properties: { left: {}, value: { type: 'number' } },
  })
})

test('a definition that expands a billion times is cut [S22]', () => {
  const levels = Array.from({ length: 40 }, (_, at): [string, JsonObject] => [
    `L${at}`,
    { properties: { a: to(`L${at + 1}`), b: to(`L${at + 1}`) } },
  ])
  const text = JSON.stringify(inlineReferences(withSchemas(Object.fromEntries(levels)), to('L0')))
  assert.ok(text.length < MAX_NODES * 60, `${text.length} characters`)
})

for (const reference of ['#/nothing', '#', '#/components', 'https://evil.example/x', '#/__proto__', '#/%zz']) {
  test(`a reference to ${reference} is no error`, () => {
    assert.equal(typeof inlineReferences(withSchemas({}), { $ref: reference }), 'object')
  })
}

test('keywords with invalid values are omitted', () => {
  const odd = {
    type: 'spaghetti',
    enum: [],
    minimum: '1',
    required: 'a',
    properties: { a: 5, b: { type: ['string', 'x'] } },
    items: [],
    anyOf: {},
    multipleOf: 0,
    pattern: 7,
  }
  assert.deepEqual(inlineReferences({}, odd), { type: 'object', properties: { a: {}, b: {} } })
})

test('nullable and exclusive bounds of OpenAPI 3.0 are converted', () => {
  assert.deepEqual(inlineReferences({}, { type: 'string', nullable: true, enum: ['a'] }), {
    type: ['string', 'null'],
    enum: ['a', null],
  })
  assert.deepEqual(inlineReferences({}, { type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 9 }), {
    type: 'number',
    exclusiveMinimum: 0,
    maximum: 9,
  })
})

test('read-only properties are not requested', () => {
  const schema = {
    properties: { id: { type: 'integer', readOnly: true }, name: { type: 'string' } },
    required: ['id', 'name'],
  }
  assert.deepEqual(inlineReferences({}, schema), {
    type: 'object',
    properties: { name: { type: 'string' } },
    required: ['name'],
  })
})

const schema = inlineReferences(
  {},
  {
    type: 'object',
    properties: {
      city: { type: 'string', minLength: 2, pattern: '^(a+)+$', format: 'email', default: 'x' },
      days: { type: 'integer', minimum: 1, maximum: 7 },
      unit: { enum: ['c', 'f'] },
      tags: { type: 'array', items: { type: 'string' }, maxItems: 2 },
      at: { anyOf: [{ type: 'string' }, { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] }] },
      all: {
        allOf: [{ properties: { a: { type: 'string' } }, required: ['a'] }, { properties: { b: { type: 'number' } } }],
      },
      maybe: { type: 'string', nullable: true },
      properties: { type: 'boolean' },
    },
    required: ['city'],
    additionalProperties: false,
  },
)
const FITS: JsonObject[] = [
  { city: 'Bonn' },
  { city: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!' },
  { city: 'Bonn', days: 7, unit: 'c', tags: ['a', 'b'], at: 'x', all: { a: 'x', b: 1 }, maybe: null, properties: true },
  { city: 'Bonn', at: { x: 1 } },
]
for (const args of FITS) {
  test(`${JSON.stringify(args)} is valid`, () => assert.equal(createValidator(schema).safeParse(args).success, true))
}

const FAULTS: [args: JsonObject, said: RegExp][] = [
  [{}, /"city"/],
  [{ city: 5 }, /"city" is invalid\. .*string/],
  [{ city: 'x' }, /"city"/],
  [{ city: 'Bonn', days: 8 }, /"days"/],
  [{ city: 'Bonn', days: 1.5 }, /"days"/],
  [{ city: 'Bonn', unit: 'k' }, /"unit"/],
  [{ city: 'Bonn', tags: ['a', 5] }, /"tags\.1"/],
  [{ city: 'Bonn', tags: ['a', 'b', 'c'] }, /"tags"/],
  [{ city: 'Bonn', at: { x: 'y' } }, /"at/],
  [{ city: 'Bonn', all: {} }, /"all\.a"/],
  [{ city: 'Bonn', colour: 'red' }, /colour/],
]
for (const [args, said] of FAULTS) {
  test(`${JSON.stringify(args)} is rejected with a reason`, () => {
    const { error } = createValidator(schema).safeParse(args)
    assert.match(describeArgumentError(error!), said)
  })
}

for (const keyword of BRANCHING_KEYWORDS) {
  test(`a schema with thousands of schemas in ${keyword} is checked without them`, () => {
    const many = { [keyword]: Array.from({ length: 5_000 }, () => ({ type: 'string' })) }
    assert.deepEqual(inlineReferences({}, { type: 'object', properties: { a: many } }).properties, { a: {} })
    assert.ok(createValidator(inlineReferences({}, many)).safeParse({ a: 1 }).success)
  })
}

test('schemas nested by references are cut at a maximum depth', () => {
  const levels = Array.from({ length: 5_000 }, (_, at) => [`S${at}`, { properties: { x: to(`S${at + 1}`) } }])
  const schema = inlineReferences(withSchemas(Object.fromEntries(levels)), to('S0'))
  assert.ok(createValidator(schema).safeParse({ x: { x: {} } }).success)
  assert.equal(JSON.stringify(schema).split('"x"').length - 1, 64)
})

test('properties beyond the limit are omitted, and then additional properties are allowed', () => {
  const properties = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`p${at}`, { type: 'string' }]))
  const schema = inlineReferences({}, { properties, required: Object.keys(properties), additionalProperties: false })
  assert.ok(Object.keys(schema.properties as JsonObject).length < MAX_NODES)
  assert.equal(schema.additionalProperties, undefined)
})
