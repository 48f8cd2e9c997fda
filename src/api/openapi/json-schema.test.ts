import assert from 'node:assert/strict'
import test from 'node:test'
import { z } from 'zod'
import {
  nullish,
  optionalNullable,
  wireArray,
  wireBoolean,
  wireDateTime,
  wireDocumentId,
  wireEnum,
  wireInteger,
  wireMetadataValue,
  wireNumber,
  wireObject,
  wirePathInteger,
  wireString,
  wireUnion,
} from '../../wire/schemas.ts'
import { toJsonSchema, toJsonSchemas } from './json-schema.ts'

/** An integer in a request and in a reply. */
const integer = { type: 'integer', minimum: -9_007_199_254_740_991, maximum: 9_007_199_254_740_991 }
const text = { type: 'string', maxLength: 1_000 }
const short = { type: 'string', maxLength: 8_192 }
const key = { ...short, pattern: '^[^\\u0000]*$' }
const replied = { type: 'integer' }
const orNull = (json: object) => ({ anyOf: [json, { type: 'null' }] })
const TextPart = z.object({ text: wireString({ max: 1_000 }) }).meta({ id: 'TextPart' })
const ImagePart = z.object({ image: wireString({ max: 1_000 }), at: wireDateTime() }).meta({ id: 'ImagePart' })

const strict: [string, z.ZodType, object][] = [
  ['a text', wireString({ max: 1_000 }), text],
  [
    'a text with limits',
    wireString({ min: 1, max: 5, pattern: /^a+$/ }),
    { type: 'string', minLength: 1, maxLength: 5, pattern: '^a+$' },
  ],
  ['an integer', wireInteger(), integer],
  ['an integer with limits', wireInteger({ min: 0, max: 9 }), { type: 'integer', minimum: 0, maximum: 9 }],
  ["zod's integer", z.int(), integer],
  ['a path integer', wirePathInteger(), { ...integer, minimum: 0 }],
  ['a number', wireNumber({ max: 1.5 }), { type: 'number', maximum: 1.5 }],
  ['a boolean', wireBoolean(), { type: 'boolean' }],
  ['a date-time', wireDateTime(), { type: 'string', format: 'date-time', maxLength: 64 }],
  ['an enum', wireEnum(['a', 'b']), { type: 'string', enum: ['a', 'b'] }],
  [
    'an enum in any case',
    wireEnum(['a', 'b_c'], { caseInsensitive: true }),
    {
      anyOf: [
        { type: 'string', enum: ['a', 'b_c'] },
        { type: 'string', maxLength: 3, pattern: '^(?:[Aa]|[Bb]_[Cc])$' },
      ],
    },
  ],
  ['a document id', wireDocumentId(), { type: 'string', maxLength: 2000, pattern: '^[^\\u0000]*$' }],
  ['an object', wireObject(), { type: 'object', additionalProperties: true }],
  [
    'an object of integers',
    wireObject(wireInteger()),
    { type: 'object', propertyNames: key, additionalProperties: integer },
  ],
  ['a list', wireArray(wireInteger(), { min: 1, max: 5 }), { type: 'array', minItems: 1, maxItems: 5, items: integer }],
  ['a text or several', wireMetadataValue(), { anyOf: [short, { type: 'array', items: short }] }],
  ['null or an integer', z.nullable(wireInteger()), orNull(integer)],
  ['null or a short text', z.nullable(wireString({ max: 5 })), orNull({ type: 'string', maxLength: 5 })],
  ['a described schema', wireInteger().describe('How many'), { ...integer, description: 'How many' }],
  ['one of two types', z.union([z.string(), z.number()]), { anyOf: [{ type: 'string' }, { type: 'number' }] }],
]
for (const [name, schema, json] of strict) {
  test(`${name} shows its strict form`, () => assert.deepEqual(toJsonSchema(schema, 'input'), json))
}

test('optional fields are not required, and fields with a default are required in neither direction', () => {
  const schema = z.object({
    a: wireInteger(),
    b: nullish(wireInteger()),
    c: optionalNullable(wireInteger()),
    d: z.boolean().default(true),
  })
  const properties = (whole: object, d: object) => ({
    a: whole,
    b: orNull(whole),
    c: orNull(whole),
    d,
  })
  const boolean = { type: 'boolean' }
  const [sent, answered] = [properties(integer, boolean), properties(replied, { ...boolean, default: true })]
  assert.deepEqual(toJsonSchema(schema, 'input'), { type: 'object', properties: sent, required: ['a'] })
  assert.deepEqual(toJsonSchema(schema, 'output'), { type: 'object', properties: answered, required: ['a'] })
})

test('a constant that is not a string is a type with limits', () => {
  const schema = z.object({ a: z.literal(250), b: z.literal(false), c: z.literal(null), d: z.literal('text') })
  assert.deepEqual(toJsonSchema(schema, 'output').properties, {
    a: { type: 'integer', minimum: 250, maximum: 250 },
    b: { type: 'boolean', not: { const: true } },
    c: { type: 'null' },
    d: { type: 'string', const: 'text' },
  })
})

test('a strict object allows no additional properties', () => {
  assert.deepEqual(toJsonSchema(z.strictObject({}), 'output'), {
    type: 'object',
    properties: {},
    additionalProperties: false,
  })
})

test('a parsed date-time is a number', () => {
  assert.deepEqual(toJsonSchema(wireDateTime(), 'output'), { type: 'integer' })
})

test('a single schema contains its named parts', () => {
  const json = toJsonSchema(wireArray(TextPart), 'input')
  assert.deepEqual(json, {
    type: 'array',
    items: { $ref: '#/$defs/TextPart' },
    $defs: { TextPart: { type: 'object', properties: { text }, required: ['text'] } },
  })
})

test('named parts become components once, and a union refers to its branches', () => {
  const { schemas, components } = toJsonSchemas({
    list: { schema: wireArray(wireUnion({ TextPart, ImagePart })), io: 'input' },
    one: { schema: nullish(TextPart), io: 'input' },
    reply: { schema: TextPart, io: 'output' },
  })
  const text = { $ref: '#/components/schemas/TextPart' }
  assert.deepEqual(schemas, {
    list: { type: 'array', items: { anyOf: [text, { $ref: '#/components/schemas/ImagePart' }] } },
    one: orNull(text),
    reply: text,
  })
  assert.deepEqual(Object.keys(components), ['ImagePart', 'TextPart'])
})

test('a component that differs between input and output gets two names, and so do schemas that contain it', () => {
  const Gallery = z.object({ images: wireArray(ImagePart), cover: TextPart }).meta({ id: 'Gallery' })
  const { schemas, components } = toJsonSchemas({
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

test('two schemas with the same name are an error', () => {
  const other = z.object({ other: wireString({ max: 1_000 }) }).meta({ id: 'TextPart' })
  const both = { a: { schema: TextPart, io: 'input' }, b: { schema: other, io: 'input' } } as const
  assert.throws(() => toJsonSchemas(both), /TextPart/)
})

test('a schema may be recursive', () => {
  type Tree = { branches: Tree[] }
  const Tree: z.ZodType<Tree, unknown> = z
    .object({ branches: z.lazy(() => wireArray(Tree)) })
    .meta({ id: 'Tree' }) as z.ZodType<Tree, unknown>
  assert.deepEqual(toJsonSchemas({ tree: { schema: Tree, io: 'input' } }).components.Tree, {
    type: 'object',
    properties: { branches: { type: 'array', items: { $ref: '#/components/schemas/Tree' } } },
    required: ['branches'],
  })
})
