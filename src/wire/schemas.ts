// The types of the wire format, as lax as Pydantic v2: "5" is an integer, 1 is true, but a number is not a string.
import { z } from 'zod'
import { isPlainObject, WireArray, WireRecord, WireUnion } from './containers.ts'
import { MAX_DATE_TIME, parseDateTime } from './date-time.ts'
import { Problem, problem } from './problem.ts'
import { type JsonSchema, wireType } from './schema-type.ts'

interface WireLimits {
  min?: number
  max?: number
}

/** Absent becomes null. (The compiler cannot see that null fits a nullable `T`.) */
export const nullish = <T extends z.ZodType>(schema: T): z.ZodDefault<z.ZodNullable<T>> =>
  z.nullable(schema).default(null as z.core.util.NoUndefined<z.output<T>> | null)

/** Keeps absent and null apart, where they differ in meaning. */
export const optionalNullable = <T extends z.ZodType>(schema: T): z.ZodOptional<z.ZodNullable<T>> =>
  z.nullable(schema).optional()

/** For texts with a column of their own: PostgreSQL rejects NUL. */
export const WITHOUT_NUL = /^[^\u0000]*$/

/** Contains a character other than white space. */
export const NOT_BLANK = /^\s*[^\s\u0000][^\u0000]*$/

/** A name: not empty, not blank. */
export const wireName = (max = 1_000): z.ZodType<string, unknown> => wireString({ min: 1, max, pattern: NOT_BLANK })

/** The limit for texts, keys and values without a limit of their own. */
const MAX_SHORT = 8_192

/** Lengths count characters, not UTF-16 units, as in Pydantic and JSON Schema. */
export function wireString(limits: WireLimits & { max: number; pattern?: RegExp }): z.ZodType<string, unknown> {
  const { min = 0, max, pattern } = limits
  const read = (value: unknown) => {
    if (typeof value !== 'string') return problem('string_type')
    if (isShorter(value, min)) return problem('string_too_short', min)
    if (isLonger(value, max)) return problem('string_too_long', max)
    return pattern === undefined || pattern.test(value) ? value : problem('string_pattern_mismatch', pattern.source)
  }
  return wireType<string>(read, {
    type: 'string',
    ...(min > 0 && { minLength: min }),
    maxLength: max,
    ...(pattern !== undefined && { pattern: pattern.source }),
  })
}

const isLonger = (text: string, max: number) => text.length > max && countCharacters(text) > max
const isShorter = (text: string, min: number) => text.length < min * 2 && countCharacters(text) < min
const countCharacters = (text: string) => text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0)

export const wireInteger = (range: WireLimits = {}) =>
  wireType<number>(
    (value) => checkLimits(parseInteger(value), range),
    { type: 'integer', ...SAFE_INTEGERS, ...jsonLimits(range) },
    { type: 'integer', ...jsonLimits(range) },
  )
/** Numbers beyond these lose precision. */
const SAFE_INTEGERS: JsonSchema = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }

function parseInteger(value: unknown): number | Problem {
  if (typeof value === 'number') return parseIntegral(value)
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value !== 'string') return problem('int_type')
  if (value.length > MAX_DIGITS) return problem('int_parsing_size')
  const text = value.trim()
  return INTEGER.test(text) ? safeInteger(Number(text.replaceAll('_', ''))) : problem('int_parsing')
}
/** Python's limit. */
const MAX_DIGITS = 4_300
const INTEGER = /^[+-]?\d+(?:_\d+)*(?:\.0+)?$/

function parseIntegral(value: number): number | Problem {
  if (!Number.isFinite(value)) return problem('finite_number')
  return Number.isInteger(value) ? safeInteger(value) : problem('int_from_float')
}

/** Adding 0 turns -0 into 0. */
const safeInteger = (value: number) => (Number.isSafeInteger(value) ? value + 0 : problem('int_parsing_size'))

export const wireNumber = (range: WireLimits = {}) =>
  wireType<number>((value) => checkLimits(parseNumber(value), range), { type: 'number', ...jsonLimits(range) })

function parseNumber(value: unknown): number | Problem {
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value === 'number') return Number.isFinite(value) ? value : problem('finite_number')
  if (typeof value !== 'string') return problem('float_type')
  if (value.length > MAX_DIGITS) return problem('float_parsing')
  const text = value.trim()
  if (NOT_FINITE.test(text)) return problem('finite_number')
  return NUMBER.test(text) ? parseNumber(Number(text.replaceAll('_', ''))) : problem('float_parsing')
}
const NUMBER = /^[+-]?(?:\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+(?:_\d+)*)?$/
const NOT_FINITE = /^[+-]?(?:nan|inf|infinity)$/i

function checkLimits(value: number | Problem, { min, max }: WireLimits): number | Problem {
  if (value instanceof Problem) return value
  if (min !== undefined && value < min) return problem('greater_than_equal', min)
  return max !== undefined && value > max ? problem('less_than_equal', max) : value
}

const jsonLimits = ({ min, max }: WireLimits): JsonSchema => ({
  ...(min !== undefined && { minimum: min }),
  ...(max !== undefined && { maximum: max }),
})

/** An id in a path: digits only, so that each object has one address. */
export const wirePathInteger = () =>
  wireType<number>(
    (value) =>
      typeof value === 'string' && PATH_INTEGER.test(value) ? safeInteger(Number(value)) : problem('int_parsing'),
    { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  )
const PATH_INTEGER = /^(?:0|[1-9][0-9]{0,15})$/

export const wireBoolean = () => wireType<boolean>(parseBoolean, { type: 'boolean' })

function parseBoolean(value: unknown): boolean | Problem {
  if (typeof value === 'boolean') return value
  if (typeof value !== 'string' && !Number.isSafeInteger(value)) return problem('bool_type')
  const text = String(value).toLowerCase()
  if (TRUE.has(text)) return true
  return FALSE.has(text) ? false : problem('bool_parsing')
}
const TRUE = new Set(['1', 't', 'true', 'y', 'yes', 'on'])
const FALSE = new Set(['0', 'f', 'false', 'n', 'no', 'off'])

/** Outputs epoch milliseconds. */
export const wireDateTime = () =>
  wireType<number>(
    parseDateTime,
    { type: 'string', format: 'date-time', maxLength: MAX_DATE_TIME },
    { type: 'integer' },
  )

export function wireEnum<const T extends string>(
  values: readonly T[],
  options: { caseInsensitive?: boolean } = {},
): z.ZodType<T, unknown> {
  const fold = (text: string) => (options.caseInsensitive === true ? text.toLowerCase() : text)
  const byText = new Map(values.map((it) => [fold(it), it]))
  const read = (value: unknown) =>
    (typeof value === 'string' ? byText.get(fold(value)) : undefined) ?? problem('enum', values)
  const enumeration: JsonSchema = { type: 'string', enum: [...values] }
  const input = options.caseInsensitive === true ? { anyOf: [enumeration, inAnyCase(values)] } : enumeration
  return wireType<T>(read, input, enumeration)
}

/** JSON Schema has no flag for case-insensitivity. */
const inAnyCase = (values: readonly string[]): JsonSchema => ({
  type: 'string',
  maxLength: Math.max(...values.map((it) => it.length)),
  pattern: `^(?:${values.map((it) => it.replace(/[a-z]/gi, eitherCase)).join('|')})$`,
})

const eitherCase = (letter: string) => `[${letter.toUpperCase()}${letter.toLowerCase()}]`

/** A document's own id, unchanged. An empty one becomes null. */
export const wireDocumentId = () =>
  wireType<string | null>(parseDocumentId, { type: 'string', maxLength: MAX_DOCUMENT_ID, pattern: WITHOUT_NUL.source })

function parseDocumentId(value: unknown): string | null | Problem {
  if (value === '') return null
  if (typeof value !== 'string') return problem('string_type')
  if (isLonger(value, MAX_DOCUMENT_ID)) return problem('string_too_long', MAX_DOCUMENT_ID)
  return wellFormedProblem(value) ?? value
}
const MAX_DOCUMENT_ID = 2_000

/** Not every store accepts NUL, and replacing unpaired surrogates could make two names equal. */
function wellFormedProblem(text: string): Problem | undefined {
  if (!text.isWellFormed()) return problem('not_well_formed', 'half a surrogate pair')
  return text.includes('\0') ? problem('not_well_formed', 'a NUL character') : undefined
}

/**
 * A free-form object, or one whose values match a schema. Keys like `__proto__` are plain data: copy it with `{ ...it
 * }`, never with `Object.assign` or `copy[key] = value`, which would set a prototype.
 */
export function wireObject(): z.ZodType<Record<string, unknown>, unknown>
export function wireObject<T extends z.ZodType>(
  values: T,
  limits?: { max: number },
): z.ZodType<Record<string, z.output<T>>, unknown>
export function wireObject(
  values?: z.ZodType,
  { max } = { max: Number.POSITIVE_INFINITY },
): z.ZodType<Record<string, unknown>, unknown> {
  if (values !== undefined) return new WireRecord({ type: 'record', keyType: objectKey, valueType: values, max })
  const read = (value: unknown) => (isPlainObject(value) ? value : problem('dict_type'))
  return wireType<Record<string, unknown>>(read, { type: 'object', additionalProperties: true })
}

const objectKey = wireType<string>((key) => parseKey(String(key)), {
  type: 'string',
  maxLength: MAX_SHORT,
  pattern: WITHOUT_NUL.source,
})

const parseKey = (key: string): string | Problem =>
  isLonger(key, MAX_SHORT) ? problem('string_too_long', MAX_SHORT) : (wellFormedProblem(key) ?? key)

/** The casts are needed because a zod constructor cannot be generic; likewise in `wireUnion`. */
export const wireArray = <T extends z.ZodType>(
  element: T,
  { min = 0, max = Number.POSITIVE_INFINITY }: WireLimits = {},
): z.ZodArray<T> => new WireArray({ type: 'array', element, min, max }) as z.ZodArray<z.ZodType> as z.ZodArray<T>

/** Takes the branches by name; the first match wins: `wireUnion({ TextSection, ImageSection })`. */
export const wireUnion = <B extends Readonly<Record<string, z.ZodType>>>(
  branches: B,
): z.ZodType<z.output<B[keyof B]>, unknown> =>
  new WireUnion({ type: 'union', names: Object.keys(branches), options: Object.values(branches) }) as z.ZodType<
    z.output<B[keyof B]>,
    unknown
  >

export const wireStringList = (limits: WireLimits = {}) => wireArray(wireString({ max: MAX_SHORT }), limits)

/** The value of a metadata field or tag: a text or a list of texts. */
export const wireMetadataValue = (limits: WireLimits = {}) =>
  wireUnion({ str: wireString({ max: MAX_SHORT }), 'list[str]': wireStringList(limits) })
