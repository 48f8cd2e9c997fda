import assert from 'node:assert/strict'
import test from 'node:test'
import { z } from 'zod'
import {
  NOT_BLANK,
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
  wireStringList,
  wireUnion,
} from './schemas.ts'

// Cases shared with Pydantic are in api/validation-cases.json; these are differences from Pydantic, and types it lacks.

const types = (schema: z.ZodType, input: unknown) =>
  schema.safeParse(input).error?.issues.map((it) => (it.code === 'custom' ? it.params?.type : it.code))

const refused: [string, z.ZodType, unknown, string][] = [
  ['an integer beyond 2^53-1', wireInteger(), JSON.parse('9007199254740993'), 'int_parsing_size'],
  ['an integer beyond 2^53-1 as text', wireInteger(), '9007199254740993', 'int_parsing_size'],
  ['an integer below -(2^53-1)', wireInteger(), -9007199254740992, 'int_parsing_size'],
  ['an integer of a million digits', wireInteger(), '9'.repeat(1e6), 'int_parsing_size'],
  ['an integer that JSON made infinite', wireInteger(), JSON.parse('1e400'), 'finite_number'],
  ['an infinite number', wireNumber(), JSON.parse('-1e400'), 'finite_number'],
  ['a number that is none', wireNumber(), 'NaN', 'finite_number'],
  ['infinity as text', wireNumber(), '-Infinity', 'finite_number'],
  ['a number too big for a double', wireNumber(), '1e400', 'finite_number'],
  ['a million digits and a letter, at once', wireNumber(), `${'9'.repeat(1e6)}x`, 'float_parsing'],
  ['an infinite boolean', wireBoolean(), JSON.parse('1e400'), 'bool_type'],
  ['a moment after 9999 by its offset', wireDateTime(), '9999-12-31T23:59:59-01:00', 'datetime_parsing'],
  ['a moment before year 1 by its offset', wireDateTime(), '0001-01-01T00:00:00+14:00', 'datetime_parsing'],
  ['an infinite moment', wireDateTime(), JSON.parse('1e400'), 'datetime_parsing'],
  ['a moment of a million digits', wireDateTime(), '9'.repeat(1e6), 'string_too_long'],
  ['a moment of 65 characters', wireDateTime(), '1'.padStart(65, '0'), 'string_too_long'],
  ['30 February', wireDateTime(), '2026-02-30', 'datetime_from_date_parsing'],
  ['another case of an enum', wireEnum(['a']), 'A', 'enum'],
  ['a key of an object as an enum', wireEnum(['a'], { caseInsensitive: true }), '__proto__', 'enum'],
  ['a number as document id', wireDocumentId(), 5, 'string_type'],
  ['an integer of 4,301 digits', wireInteger(), '1'.repeat(4_301), 'int_parsing_size'],
  ['a number of 4,301 digits', wireNumber(), '1'.repeat(4_301), 'float_parsing'],
  ['a key of 8,193 characters', wireObject(wireInteger()), { ['a'.repeat(8_193)]: 1 }, 'string_too_long'],
  ['a text of a list of 8,193 characters', wireStringList(), ['a'.repeat(8_193)], 'string_too_long'],
  ['a document id of 2,001 characters', wireDocumentId(), 'x'.repeat(2_001), 'string_too_long'],
  ['a document id with NUL', wireDocumentId(), 'a\0b', 'not_well_formed'],
  ['a document id with half a surrogate pair', wireDocumentId(), 'a\ud800', 'not_well_formed'],
  ['a metadata key with half a surrogate pair', wireObject(wireMetadataValue()), { 'a\ud800': '' }, 'not_well_formed'],
  ...['1e3', '0x1', '+1', ' 1', '1\0', '01', '1.0', '-1', '１', 'NaN', '', '12345678901234567', 1].map(
    (id): [string, z.ZodType, unknown, string] => [
      `the path integer ${JSON.stringify(id)}`,
      wirePathInteger(),
      id,
      'int_parsing',
    ],
  ),
  ['a path integer beyond 2^53-1', wirePathInteger(), '9007199254740993', 'int_parsing_size'],
]
for (const [name, schema, input, type] of refused) {
  test(`${name} is rejected: ${type}`, () => assert.deepEqual(types(schema, input), [type]))
}

const accepted: [string, z.ZodType, unknown, unknown][] = [
  ['a boolean as integer', wireInteger(), true, 1],
  ['-0 as 0', wireInteger(), -0, 0],
  ['a second has a fraction', wireDateTime(), 1704164645.123, 1704164645123],
  ['digits below the millisecond are cut', wireDateTime(), '2024-01-02T03:04:05.1239999Z', 1704164645123],
  ['a moment before 1970 has a fraction', wireDateTime(), '1969-12-31T23:59:59.500Z', -500],
  ['a leap day of a year below 100', wireDateTime(), '0004-02-29', -62035891200000],
  ['another case of an enum that allows it', wireEnum(['public'], { caseInsensitive: true }), 'PUBLIC', 'public'],
  ['an enum written in capitals', wireEnum(['REGULAR'], { caseInsensitive: true }), 'regular', 'REGULAR'],
  ['an empty document id as none', wireDocumentId(), '', null],
  ['a document id of 2,000 astral characters', wireDocumentId(), '😀'.repeat(2_000), '😀'.repeat(2_000)],
  ['a document id verbatim', wireDocumentId(), ' ../../x\u202e e\u0301', ' ../../x\u202e e\u0301'],
  ['the path integer 0', wirePathInteger(), '0', 0],
  ['the largest path integer', wirePathInteger(), '9007199254740991', 9007199254740991],
  ['a text or several', wireArray(wireMetadataValue()), ['a', ['b']], ['a', ['b']]],
  ['a list of texts', wireStringList({ max: 1 }), ['a'], ['a']],
]
for (const [name, schema, input, output] of accepted) {
  test(`${name} is accepted`, () => assert.deepEqual(schema.parse(input), output))
}

for (const text of [`${'a'.repeat(1e6)}\0`, ' '.repeat(1e6)]) {
  test(`a million characters of ${JSON.stringify(text[0])} are blank or contain NUL, and are scanned in linear time`, () => {
    assert.equal(NOT_BLANK.test(text), false)
  })
}
test('a text that is not blank has a character other than white space, and no NUL', () => {
  for (const text of ['a', ' a ', '\n.']) assert.equal(NOT_BLANK.test(text), true, text)
  for (const text of ['', ' \n', 'a\0', ' \0 a']) assert.equal(NOT_BLANK.test(text), false, text)
})

test('nullish: absent and null both become null', () => {
  const schema = z.object({ a: nullish(wireInteger()) })
  assert.deepEqual(
    [{}, { a: null }, { a: '1' }].map((it) => schema.parse(it)),
    [{ a: null }, { a: null }, { a: 1 }],
  )
})

test('optionalNullable: absent stays absent, null stays null', () => {
  const schema = z.object({ a: optionalNullable(wireInteger()) })
  assert.deepEqual(
    [{}, { a: null }, { a: '1' }].map((it) => schema.parse(it)),
    [{}, { a: null }, { a: 1 }],
  )
})

const dangerous = '{"__proto__":{"polluted":"yes"},"constructor":{"prototype":{"polluted":"yes"}}}'
for (const [name, schema] of [
  ['a free-form object', wireObject()],
  ['an object of objects', wireObject(wireObject(wireObject()).or(wireObject()))],
] as const) {
  test(`${name} keeps __proto__ and constructor as data`, () => {
    const output = schema.parse(JSON.parse(dangerous))
    assert.equal(JSON.stringify(output), dangerous)
    assert.equal(Object.getPrototypeOf(output), Object.prototype)
    assert.equal(({} as { polluted?: string }).polluted, undefined)
  })
}

test('the first matching branch of a union wins', () => {
  const union = wireUnion({
    Text: z.object({ text: wireString({ max: 1_000 }) }),
    Image: z.object({ image: wireString({ max: 1_000 }) }),
  })
  assert.deepEqual(union.parse({ text: 'a', image: 'b' }), { text: 'a' })
  assert.deepEqual(union.parse({ image: 'b' }), { image: 'b' })
})

test('a list that is too long is rejected before its items are parsed', () => {
  let reads = 0
  const item = z.unknown().refine(() => ++reads > 0)
  assert.deepEqual(types(wireArray(item, { max: 1 }), [1, 2]), ['too_long'])
  assert.equal(reads, 0)
})

test('a schema keeps its type with metadata, a check or a transform', () => {
  const list = wireArray(wireInteger(), { max: 1 }).meta({ id: 'WireTestList' })
  assert.deepEqual(list.parse(['1']), [1])
  assert.deepEqual(types(list, [1, 2]), ['too_long'])
  assert.deepEqual(
    types(
      wireInteger().refine((it) => it > 1),
      'x',
    ),
    ['int_parsing'],
  )
  assert.equal(
    wireUnion({ a: wireInteger(), b: wireString({ max: 1_000 }) })
      .describe('one')
      .transform(String)
      .parse('5'),
    '5',
  )
  assert.deepEqual(wireObject(wireInteger()).readonly().parse({ a: '1' }), { a: 1 })
})

test('types follow the schema', () => {
  const schema = z.object({
    id: nullish(wireDocumentId()),
    name: wireEnum(['a', 'b']),
    count: optionalNullable(wireInteger()),
    tags: wireArray(wireMetadataValue()),
    free: wireObject(),
  })
  const output: z.output<typeof schema> = { id: null, name: 'a', tags: ['a', ['b']], free: { a: 1 } }
  const same: { id: string | null; name: 'a' | 'b'; count?: number | null | undefined } = output
  assert.ok(same)
})
