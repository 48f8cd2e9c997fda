import assert from 'node:assert/strict'
import { test } from 'node:test'
import { argumentFault } from './callable.ts'
import { checkOf, type Json, MAX_NODES, standalone } from './schema.ts'

const to = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const withSchemas = (schemas: Json): Json => ({ components: { schemas } })

test('what a reference leads to stands in its place', () => {
  const definition = withSchemas({
    Pet: { type: 'object', properties: { name: to('Name') } },
    Name: { type: 'string' },
  })
  assert.deepEqual(standalone(definition, to('Pet')), { type: 'object', properties: { name: { type: 'string' } } })
})

test('a schema that holds itself is any value in there', () => {
  const definition = withSchemas({ Tree: { properties: { left: to('Tree'), value: { type: 'number' } } } })
  assert.deepEqual(standalone(definition, to('Tree')), {
    type: 'object',
    properties: { left: {}, value: { type: 'number' } },
  })
})

test('S22 a definition that says one thing a billion times is cut', () => {
  const levels = Array.from({ length: 40 }, (_, at): [string, Json] => [
    `L${at}`,
    { properties: { a: to(`L${at + 1}`), b: to(`L${at + 1}`) } },
  ])
  const text = JSON.stringify(standalone(withSchemas(Object.fromEntries(levels)), to('L0')))
  assert.ok(text.length < MAX_NODES * 60, `${text.length} characters`)
})

for (const reference of ['#/nothing', '#', '#/components', 'https://evil.example/x', '#/__proto__', '#/%zz']) {
  test(`a reference to ${reference} is no fault`, () => {
    assert.equal(typeof standalone(withSchemas({}), { $ref: reference }), 'object')
  })
}

test('keywords that are not what they should be are left out', () => {
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
  assert.deepEqual(standalone({}, odd), { type: 'object', properties: { a: {}, b: {} } })
})

test('OpenAPI 3.0 says null and exclusive bounds in its own way', () => {
  assert.deepEqual(standalone({}, { type: 'string', nullable: true, enum: ['a'] }), {
    type: ['string', 'null'],
    enum: ['a', null],
  })
  assert.deepEqual(standalone({}, { type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 9 }), {
    type: 'number',
    exclusiveMinimum: 0,
    maximum: 9,
  })
})

test('what only comes in answers is not asked for', () => {
  const schema = {
    properties: { id: { type: 'integer', readOnly: true }, name: { type: 'string' } },
    required: ['id', 'name'],
  }
  assert.deepEqual(standalone({}, schema), {
    type: 'object',
    properties: { name: { type: 'string' } },
    required: ['name'],
  })
})

const schema = standalone(
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
const FITS: Json[] = [
  { city: 'Bonn' },
  { city: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!' },
  { city: 'Bonn', days: 7, unit: 'c', tags: ['a', 'b'], at: 'x', all: { a: 'x', b: 1 }, maybe: null, properties: true },
  { city: 'Bonn', at: { x: 1 } },
]
for (const args of FITS) {
  test(`${JSON.stringify(args)} fits`, () => assert.equal(checkOf(schema).safeParse(args).success, true))
}

const FAULTS: [args: Json, said: RegExp][] = [
  [{}, /"city"/],
  [{ city: 5 }, /"city" does not fit\. .*string/],
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
  test(`${JSON.stringify(args)} does not fit, and why is said`, () => {
    const { error } = checkOf(schema).safeParse(args)
    assert.match(argumentFault(error!), said)
  })
}
