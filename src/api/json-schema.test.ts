import assert from 'node:assert/strict'
import test from 'node:test'
import { z } from 'zod'
import {
  documentId,
  nullish,
  optionalNullable,
  pathInteger,
  wireArray,
  wireBoolean,
  wireDateTime,
  wireEnum,
  wireInteger,
  wireMetadataValue,
  wireNumber,
  wireObject,
  wireString,
  wireUnion,
} from '../domain/wire.ts'
import { jsonSchemaOf, jsonSchemas } from './json-schema.ts'

/** An integer of a request, and of a reply. */
const integer = { type: 'integer', minimum: -9_007_199_254_740_991, maximum: 9_007_199_254_740_991 }
const key = { type: 'string', pattern: '^[^\\u0000]*$' }
const replied = { type: 'integer' }
const orNull = (json: object) => ({ anyOf: [json, { type: 'null' }] })
const TextPart = z.object({ text: wireString() }).meta({ id: 'TextPart' })
const ImagePart = z.object({ image: wireString(), at: wireDateTime() }).meta({ id: 'ImagePart' })

const strict: [string, z.ZodType, object][] = [
  ['a text', wireString(), { type: 'string' }],
  [
    'a text with limits',
    wireString({ min: 1, max: 5, pattern: /^a+$/ }),
    { type: 'string', minLength: 1, maxLength: 5, pattern: '^a+$' },
  ],
  ['an integer', wireInteger(), integer],
  ['an integer with limits', wireInteger({ min: 0, max: 9 }), { type: 'integer', minimum: 0, maximum: 9 }],
  ["zod's integer", z.int(), integer],
  ['a path integer', pathInteger(), { ...integer, minimum: 0 }],
  ['a number', wireNumber({ max: 1.5 }), { type: 'number', maximum: 1.5 }],
  ['a boolean', wireBoolean(), { type: 'boolean' }],
  ['a date-time', wireDateTime(), { type: 'string', format: 'date-time' }],
  ['an enum', wireEnum(['a', 'b'], { caseInsensitive: true }), { type: 'string', enum: ['a', 'b'] }],
  ['a document id', documentId(), { type: 'string', maxLength: 2000, pattern: '^[^\\u0000]*$' }],
  ['an object', wireObject(), { type: 'object', additionalProperties: true }],
  [
    'an object of integers',
    wireObject(wireInteger()),
    { type: 'object', propertyNames: key, additionalProperties: integer },
  ],
  ['a list', wireArray(wireInteger(), { min: 1, max: 5 }), { type: 'array', minItems: 1, maxItems: 5, items: integer }],
  [
    'a text or several',
    wireMetadataValue(),
    { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
  ],
  ['null or an integer', z.nullable(wireInteger()), orNull(integer)],
  ['null or a short text', z.nullable(wireString({ max: 5 })), orNull({ type: 'string', maxLength: 5 })],
  ['a described schema', wireInteger().describe('How many'), { ...integer, description: 'How many' }],
  ['one of two types', z.union([z.string(), z.number()]), { anyOf: [{ type: 'string' }, { type: 'number' }] }],
]
for (const [name, schema, json] of strict) {
  test(`${name} shows its strict form`, () => assert.deepEqual(jsonSchemaOf(schema, 'input'), json))
}

test('what may be absent is not required, and what has a default is required in neither direction', () => {
  const schema = z.object({
    a: wireInteger(),
    b: nullish(wireInteger()),
    c: optionalNullable(wireInteger()),
    d: z.boolean().default(true),
  })
  const properties = (whole: object) => ({
    a: whole,
    b: { ...orNull(whole), default: null },
    c: orNull(whole),
    d: { type: 'boolean', default: true },
  })
  assert.deepEqual(jsonSchemaOf(schema, 'input'), { type: 'object', properties: properties(integer), required: ['a'] })
  assert.deepEqual(jsonSchemaOf(schema, 'output'), { type: 'object', properties: properties(replied), required: ['a'] })
})

test('a strict object is closed', () => {
  assert.deepEqual(jsonSchemaOf(z.strictObject({}), 'output'), {
    type: 'object',
    properties: {},
    additionalProperties: false,
  })
})

test('a date-time is a number once it was read', () => {
  assert.deepEqual(jsonSchemaOf(wireDateTime(), 'output'), { type: 'integer' })
})

test('a schema by itself carries its named parts', () => {
  const json = jsonSchemaOf(wireArray(TextPart), 'input')
  assert.deepEqual(json, {
    type: 'array',
    items: { $ref: '#/$defs/TextPart' },
    $defs: { TextPart: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } },
  })
})

test('named parts become components, once, and a union refers to its branches', () => {
  const { schemas, components } = jsonSchemas({
    list: { schema: wireArray(wireUnion({ TextPart, ImagePart })), io: 'input' },
    one: { schema: nullish(TextPart), io: 'input' },
    reply: { schema: TextPart, io: 'output' },
  })
  const text = { $ref: '#/components/schemas/TextPart' }
  assert.deepEqual(schemas, {
    list: { type: 'array', items: { anyOf: [text, { $ref: '#/components/schemas/ImagePart' }] } },
    one: { ...orNull(text), default: null },
    reply: text,
  })
  assert.deepEqual(Object.keys(components), ['ImagePart', 'TextPart'])
})

test('a component that reads otherwise than it writes has two names, and so have those that hold it', () => {
  const Gallery = z.object({ images: wireArray(ImagePart), cover: TextPart }).meta({ id: 'Gallery' })
  const { schemas, components } = jsonSchemas({
    request: { schema: Gallery, io: 'input' },
    reply: { schema: Gallery, io: 'output' },
  })
  assert.deepEqual(schemas.reply, { $ref: '#/components/schemas/Gallery-Output' })
  assert.deepEqual(Object.keys(components), [
    'Gallery-Input',
    'Gallery-Output',
    'ImagePart-Input',
    'ImagePart-Output',
    'TextPart',
  ])
  assert.match(JSON.stringify(components['Gallery-Output']), /schemas\/ImagePart-Output/)
  assert.match(JSON.stringify(components['Gallery-Output']), /schemas\/TextPart"/)
})

test('two schemas with one name are refused', () => {
  const other = z.object({ other: wireString() }).meta({ id: 'TextPart' })
  const both = { a: { schema: TextPart, io: 'input' }, b: { schema: other, io: 'input' } } as const
  assert.throws(() => jsonSchemas(both), /TextPart/)
})

test('a schema may hold itself', () => {
  type Tree = { branches: Tree[] }
  const Tree: z.ZodType<Tree, unknown> = z
    .object({ branches: z.lazy(() => wireArray(Tree)) })
    .meta({ id: 'Tree' }) as z.ZodType<Tree, unknown>
  assert.deepEqual(jsonSchemas({ tree: { schema: Tree, io: 'input' } }).components.Tree, {
    type: 'object',
    properties: { branches: { type: 'array', items: { $ref: '#/components/schemas/Tree' } } },
    required: ['branches'],
  })
})
