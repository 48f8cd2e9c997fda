import assert from 'node:assert/strict'
import test from 'node:test'
import { z } from 'zod'
import {
  nullish,
  wireArray,
  wireBoolean,
  wireDateTime,
  wireEnum,
  wireInteger,
  wireMetadataValue,
  wireNumber,
  wireObject,
  wirePathInteger,
  wireString,
  wireUnion,
} from '../../wire/schemas.ts'
import { parseOr422, validationBody } from './validation.ts'
import cases from './validation-cases.json' with { type: 'json' }

const TextSection = z.object({ text: wireString({ max: 1_000 }), link: nullish(wireString({ max: 1_000 })) })
const ImageSection = z.object({ image_file_id: wireString({ max: 1_000 }), link: nullish(wireString({ max: 1_000 })) })
const Header = z.object({ key: wireString({ max: 1_000 }), value: wireString({ max: 1_000 }) })
const Either = z
  .object({ a: nullish(wireString({ max: 1_000 })), b: nullish(wireString({ max: 1_000 })) })
  .refine(({ a, b }) => a !== null || b !== null, 'either a or b is needed')
const IngestionDocument = z.object({
  id: nullish(wireString({ max: 1_000 })),
  semantic_identifier: wireString({ max: 1_000 }),
  sections: wireArray(wireUnion({ TextSection, ImageSection })),
  metadata: wireObject(wireMetadataValue()),
  doc_updated_at: nullish(wireDateTime()),
})

const value = (schema: z.ZodType) => z.object({ value: schema })
const schemas: Record<string, z.ZodType> = {
  '{value: string}': value(wireString({ max: 1_000 })),
  '{value: string 2 to 5}': value(wireString({ min: 2, max: 5 })),
  '{value: string of 1}': value(wireString({ min: 1, max: 1 })),
  '{value: pattern}': value(wireString({ max: 1_000, pattern: /^a+$/ })),
  '{value: integer}': value(wireInteger()),
  '{value: integer 1 to 10}': value(wireInteger({ min: 1, max: 10 })),
  '{value: integer above 1 below 10}': value(z.int().gt(1).lt(10)),
  '{value: multiple of 5}': value(z.int().multipleOf(5)),
  '{value: number}': value(wireNumber()),
  '{value: number 0.5 to 1.5}': value(wireNumber({ min: 0.5, max: 1.5 })),
  '{value: boolean}': value(wireBoolean()),
  '{value: date-time}': value(wireDateTime()),
  '{value: object}': value(wireObject()),
  '{value: enum}': value(wireEnum(['a', 'b', 'c'])),
  '{value: literal}': value(z.literal('a')),
  '{value: strings}': value(wireArray(wireString({ max: 1_000 }))),
  '{value: 1 to 2 integers}': value(wireArray(wireInteger(), { min: 1, max: 2 })),
  '{value: 0 to 1 integers}': value(wireArray(wireInteger(), { max: 1 })),
  '{value: metadata value}': value(wireMetadataValue()),
  '{value: metadata}': value(wireObject(wireMetadataValue())),
  '{value: integer or null}': value(z.nullable(wireInteger())),
  '{value: model}': value(Header),
  '{value: models}': value(wireArray(Either)),
  'ingestion request': z.object({ document: IngestionDocument, cc_pair_id: nullish(wireInteger()) }),
  strict: z.strictObject({ a: wireInteger(), b: wireString({ max: 1_000 }).default('x') }),
  either: Either,
  'tool update': z.object({
    name: nullish(wireString({ max: 1_000 })),
    definition: nullish(wireObject()),
    custom_headers: nullish(wireArray(Header)),
    passthrough_auth: nullish(wireBoolean()),
    oauth_config_id: nullish(wireInteger()),
  }),
}

// Responses of FastAPI 0.165 with Pydantic 2.14; date-times as epoch milliseconds.
for (const { schema, body, ...expected } of cases) {
  test(`${schema} reads ${body} as Pydantic does`, () => {
    const result = parseOr422(schemas[schema]!, JSON.parse(body), 'body')
    assert.deepEqual(result.ok ? { value: result.value } : { errors: result.errors }, expected)
  })
}

test('the table has at least 60 cases, half of them errors', () => {
  assert.ok(cases.length >= 60)
  assert.ok(cases.filter((it) => 'errors' in it).length >= cases.length / 2)
})

const error = (type: string, msg: string, ...loc: (string | number)[]) => ({ loc, msg, type })
const Native = { t: z.literal('a'), n: z.number() }

// Cases without a Pydantic equivalent, deviations from Pydantic, and zod's own types.
const others: [string, z.ZodType, unknown, 'body' | 'query' | 'path', unknown][] = [
  ['no body', Header, undefined, 'body', [error('missing', 'Field required', 'body')]],
  [
    'a query',
    z.object({ n: wireInteger() }),
    { n: 'x' },
    'query',
    [error('int_parsing', 'Input should be a valid integer, unable to parse string as an integer', 'query', 'n')],
  ],
  [
    'a path',
    z.object({ id: wirePathInteger() }),
    { id: '01' },
    'path',
    [error('int_parsing', 'Input should be a valid integer, unable to parse string as an integer', 'path', 'id')],
  ],
  ['a missing null', z.object({ a: z.null() }), {}, 'body', [error('missing', 'Field required', 'body', 'a')]],
  ['a missing anything', z.object({ a: z.unknown() }), {}, 'body', [error('missing', 'Field required', 'body', 'a')]],
  [
    'a missing enum',
    z.object({ a: z.enum(['x', 'y']) }),
    {},
    'body',
    [error('missing', 'Field required', 'body', 'a')],
  ],
  [
    'a missing union',
    z.object({ a: z.union([z.string(), z.null()]) }),
    {},
    'body',
    [error('missing', 'Field required', 'body', 'a')],
  ],
  ['an enum', z.enum(['x', 'y']), 'z', 'body', [error('enum', "Input should be 'x' or 'y'", 'body')]],
  ['not null', z.null(), 1, 'body', [error('none_required', 'Input should be None', 'body')]],
  [
    'an infinite integer',
    z.int(),
    Number.POSITIVE_INFINITY,
    'body',
    [error('finite_number', 'Input should be a finite number', 'body')],
  ],
  [
    'a huge integer',
    z.int(),
    1e30,
    'body',
    [error('int_parsing_size', 'Unable to parse input string as an integer, exceeded maximum size', 'body')],
  ],
  [
    'a fraction',
    z.int(),
    1.5,
    'body',
    [error('int_from_float', 'Input should be a valid integer, got a number with a fractional part', 'body')],
  ],
  [
    'a small number',
    z.number().min(3),
    1,
    'body',
    [error('greater_than_equal', 'Input should be greater than or equal to 3', 'body')],
  ],
  [
    'a big number',
    z.number().max(3),
    5,
    'body',
    [error('less_than_equal', 'Input should be less than or equal to 3', 'body')],
  ],
  [
    'a short list',
    z.array(z.string()).min(2),
    ['a'],
    'body',
    [error('too_short', 'List should have at least 2 items after validation, not 1', 'body')],
  ],
  [
    'a long list',
    z.array(z.string()).max(1),
    ['a', 'b'],
    'body',
    [error('too_long', 'List should have at most 1 item after validation, not 2', 'body')],
  ],
  [
    'a short text',
    z.string().min(2),
    'a',
    'body',
    [error('string_too_short', 'String should have at least 2 characters', 'body')],
  ],
  [
    'a long text',
    z.string().max(1),
    'ab',
    'body',
    [error('string_too_long', 'String should have at most 1 character', 'body')],
  ],
  [
    'a pattern',
    z.string().regex(/^a$/),
    'b',
    'body',
    [error('string_pattern_mismatch', "String should match pattern '^a$'", 'body')],
  ],
  ['a format', z.email(), 'b', 'body', [error('value_error', 'Value error, Invalid email address', 'body')]],
  [
    'a record',
    z.record(z.string(), z.string()),
    1,
    'body',
    [error('dict_type', 'Input should be a valid dictionary', 'body')],
  ],
  [
    'a key of a record',
    z.record(z.string().max(1), z.string()),
    { ab: '' },
    'body',
    [error('string_too_long', 'String should have at most 1 character', 'body', 'ab', '[key]')],
  ],
  ['a tuple', z.tuple([z.string()]), 'a', 'body', [error('list_type', 'Input should be a valid list', 'body')]],
  ['a boolean', z.boolean(), 'true', 'body', [error('bool_type', 'Input should be a valid boolean', 'body')]],
  [
    "a union of zod's",
    z.union([z.string(), z.array(z.string())]),
    [1],
    'body',
    [
      error('string_type', 'Input should be a valid string', 'body'),
      error('string_type', 'Input should be a valid string', 'body', 0),
    ],
  ],
  [
    'a tagged union',
    z.discriminatedUnion('t', [z.object(Native), z.object({ ...Native, t: z.literal('b') })]),
    { t: 'c' },
    'body',
    [error('value_error', "Value error, Invalid discriminator value. Expected 'a' | 'b'", 'body', 't')],
  ],
  [
    'a date',
    z.date(),
    1,
    'body',
    [error('value_error', 'Value error, Invalid input: expected date, received number', 'body')],
  ],
]
for (const [name, schema, input, root, errors] of others) {
  test(`${name} has its error`, () => assert.deepEqual(parseOr422(schema, input, root), { ok: false, errors }))
}

test('a refinement may name its own type', () => {
  const schema = z.string().superRefine((_, context) => {
    context.addIssue({ code: 'custom', message: 'Too deep', params: { type: 'too_deep' } })
  })
  assert.deepEqual(parseOr422(schema, 'a', 'body'), { ok: false, errors: [error('too_deep', 'Too deep', 'body')] })
})

test('a million wrong items give a hundred errors', () => {
  const result = parseOr422(
    wireArray(wireArray(wireUnion({ a: wireInteger(), b: Header }))),
    [Array(1e6).fill('x')],
    'body',
  )
  assert.equal(result.ok ? 0 : result.errors.length, 100)
})

test('a million unknown keys give a hundred errors', () => {
  const keys = Object.fromEntries(Array.from({ length: 1e5 }, (_, index) => [`key${index}`, 1]))
  const result = parseOr422(z.strictObject({}), keys, 'body')
  assert.equal(result.ok ? 0 : result.errors.length, 100)
})

test('a key of megabytes is truncated in the errors', () => {
  const result = parseOr422(wireObject(wireInteger()), { ['k'.repeat(1e6)]: 'x' }, 'body')
  const [first] = result.ok ? [] : result.errors
  assert.deepEqual([first?.type, first?.loc], ['string_too_long', ['body', 'k'.repeat(200), '[key]']])
})

test('a million wrong items of a zod array do not overflow the stack', () => {
  const result = parseOr422(wireArray(z.union([z.array(z.string())])), [Array(1e5).fill(1)], 'body')
  assert.equal(result.ok ? 0 : result.errors.length, 100)
})

test('the body of a 422 has the errors and the first one as text', () => {
  const detail = [
    error('missing', 'Field required', 'body', 'document', 'sections', 0, 'text'),
    error('x', 'y', 'body'),
  ]
  assert.deepEqual(validationBody(detail), { detail, message: 'body.document.sections.0.text: Field required' })
})
