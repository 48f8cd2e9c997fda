// The types of the wire, as lax as Pydantic v2: "5" is an integer, 1 is true, but a number is no string.
import { z } from 'zod'
import { parseDateTime } from './date-time.ts'
import { Problem, problem } from './problem.ts'
import { isPlainData, WireArray, WireRecord, WireUnion } from './wire-containers.ts'
import { type JsonSchema, wireType } from './wire-type.ts'

interface Range {
  min?: number
  max?: number
}

/** Absent and null are both null. (That null fits a nullable `T` is beyond the compiler.) */
export const nullish = <T extends z.ZodType>(schema: T): z.ZodDefault<z.ZodNullable<T>> =>
  z.nullable(schema).default(null as z.core.util.NoUndefined<z.output<T>> | null)

/** Absent stays absent and null stays null, where the two say different things. */
export const optionalNullable = <T extends z.ZodType>(schema: T): z.ZodOptional<z.ZodNullable<T>> =>
  z.nullable(schema).optional()

/** For texts that get a column of their own: PostgreSQL holds no NUL. */
export const WITHOUT_NUL = /^[^\u0000]*$/

/** And not space alone. */
export const HOLDS_A_WORD = /^[^\u0000]*[^\s\u0000][^\u0000]*$/

/** Lengths count characters, not UTF-16 units, as Pydantic and JSON Schema do. */
export function wireString(limits: Range & { pattern?: RegExp } = {}): z.ZodType<string, unknown> {
  const { min = 0, max = Number.POSITIVE_INFINITY, pattern } = limits
  if (min === 0 && max === Number.POSITIVE_INFINITY && pattern === undefined) return z.string()
  const read = (value: unknown) => {
    if (typeof value !== 'string') return problem('string_type')
    if (isShorter(value, min)) return problem('string_too_short', min)
    if (isLonger(value, max)) return problem('string_too_long', max)
    return pattern === undefined || pattern.test(value) ? value : problem('string_pattern_mismatch', pattern.source)
  }
  return wireType<string>(read, {
    type: 'string',
    ...(min > 0 && { minLength: min }),
    ...(max < Number.POSITIVE_INFINITY && { maxLength: max }),
    ...(pattern !== undefined && { pattern: pattern.source }),
  })
}

const isLonger = (text: string, max: number) => text.length > max && characters(text) > max
const isShorter = (text: string, min: number) => text.length < min * 2 && characters(text) < min
const characters = (text: string) => text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0)

export const wireInteger = (range: Range = {}) =>
  wireType<number>(
    (value) => within(readInteger(value), range),
    { type: 'integer', ...SAFE, ...jsonRange(range) },
    { type: 'integer', ...jsonRange(range) },
  )
/** Beyond these a number is another one than was sent. */
const SAFE: JsonSchema = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }

function readInteger(value: unknown): number | Problem {
  if (typeof value === 'number') return readWhole(value)
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value !== 'string') return problem('int_type')
  const text = value.trim()
  return INTEGER.test(text) ? safeInteger(Number(text.replaceAll('_', ''))) : problem('int_parsing')
}
const INTEGER = /^[+-]?\d+(?:_\d+)*(?:\.0+)?$/

function readWhole(value: number): number | Problem {
  if (!Number.isFinite(value)) return problem('finite_number')
  return Number.isInteger(value) ? safeInteger(value) : problem('int_from_float')
}

/** Adding 0 turns -0 into 0. */
const safeInteger = (value: number) => (Number.isSafeInteger(value) ? value + 0 : problem('int_parsing_size'))

export const wireNumber = (range: Range = {}) =>
  wireType<number>((value) => within(readNumber(value), range), { type: 'number', ...jsonRange(range) })

function readNumber(value: unknown): number | Problem {
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value === 'number') return Number.isFinite(value) ? value : problem('finite_number')
  if (typeof value !== 'string') return problem('float_type')
  const text = value.trim()
  if (NOT_FINITE.test(text)) return problem('finite_number')
  return NUMBER.test(text) ? readNumber(Number(text.replaceAll('_', ''))) : problem('float_parsing')
}
const NUMBER = /^[+-]?(?:\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+(?:_\d+)*)?$/
const NOT_FINITE = /^[+-]?(?:nan|inf|infinity)$/i

function within(value: number | Problem, { min, max }: Range): number | Problem {
  if (value instanceof Problem) return value
  if (min !== undefined && value < min) return problem('greater_than_equal', min)
  return max !== undefined && value > max ? problem('less_than_equal', max) : value
}

const jsonRange = ({ min, max }: Range): JsonSchema => ({
  ...(min !== undefined && { minimum: min }),
  ...(max !== undefined && { maximum: max }),
})

/** An id in a path: digits and nothing else, so that one object has one address. */
export const pathInteger = () =>
  wireType<number>(
    (value) =>
      typeof value === 'string' && PATH_INTEGER.test(value) ? safeInteger(Number(value)) : problem('int_parsing'),
    { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  )
const PATH_INTEGER = /^(?:0|[1-9][0-9]{0,15})$/

export const wireBoolean = () => wireType<boolean>(readBoolean, { type: 'boolean' })

function readBoolean(value: unknown): boolean | Problem {
  if (typeof value === 'boolean') return value
  if (typeof value !== 'string' && !Number.isSafeInteger(value)) return problem('bool_type')
  const text = String(value).toLowerCase()
  if (TRUE.has(text)) return true
  return FALSE.has(text) ? false : problem('bool_parsing')
}
const TRUE = new Set(['1', 't', 'true', 'y', 'yes', 'on'])
const FALSE = new Set(['0', 'f', 'false', 'n', 'no', 'off'])

/** Comes out as epoch milliseconds. */
export const wireDateTime = () =>
  wireType<number>(parseDateTime, { type: 'string', format: 'date-time' }, { type: 'integer' })

export function wireEnum<const T extends string>(
  values: readonly T[],
  options: { caseInsensitive?: boolean } = {},
): z.ZodType<T, unknown> {
  const fold = (text: string) => (options.caseInsensitive === true ? text.toLowerCase() : text)
  const byText = new Map(values.map((it) => [fold(it), it]))
  const read = (value: unknown) =>
    (typeof value === 'string' ? byText.get(fold(value)) : undefined) ?? problem('enum', values)
  return wireType<T>(read, { type: 'string', enum: [...values] })
}

/** A document's own id, kept as it is. An empty one is no id: it comes out as null. */
export const documentId = () =>
  wireType<string | null>(readDocumentId, { type: 'string', maxLength: MAX_DOCUMENT_ID, pattern: WITHOUT_NUL.source })

function readDocumentId(value: unknown): string | null | Problem {
  if (value === '') return null
  if (typeof value !== 'string') return problem('string_type')
  if (isLonger(value, MAX_DOCUMENT_ID)) return problem('string_too_long', MAX_DOCUMENT_ID)
  return wellFormedFault(value) ?? value
}
const MAX_DOCUMENT_ID = 2_000

/** Not every store can hold NUL, and half a surrogate pair is no character: two names would become one. */
function wellFormedFault(text: string): Problem | undefined {
  if (!text.isWellFormed()) return problem('not_well_formed', 'half a surrogate pair')
  return text.includes('\0') ? problem('not_well_formed', 'a NUL character') : undefined
}

/**
 * A free-form object, or one whose values fit a schema. Keys like `__proto__` are plain data: copy it with `{ ...it }`,
 * never with `Object.assign` or `copy[key] = value`, which would set a prototype.
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
  const read = (value: unknown) => (isPlainData(value) ? value : problem('dict_type'))
  return wireType<Record<string, unknown>>(read, { type: 'object', additionalProperties: true })
}

const objectKey = wireType<string>((key) => wellFormedFault(String(key)) ?? String(key), {
  type: 'string',
  pattern: WITHOUT_NUL.source,
})

/** The casts because a zod constructor cannot be generic; so in `wireUnion`. */
export const wireArray = <T extends z.ZodType>(
  element: T,
  { min = 0, max = Number.POSITIVE_INFINITY }: Range = {},
): z.ZodArray<T> => new WireArray({ type: 'array', element, min, max }) as z.ZodArray<z.ZodType> as z.ZodArray<T>

/** The branches by name, the first that fits wins: `wireUnion({ TextSection, ImageSection })`. */
export const wireUnion = <B extends Readonly<Record<string, z.ZodType>>>(
  branches: B,
): z.ZodType<z.output<B[keyof B]>, unknown> =>
  new WireUnion({ type: 'union', names: Object.keys(branches), options: Object.values(branches) }) as z.ZodType<
    z.output<B[keyof B]>,
    unknown
  >

export const wireStringList = (limits: Range = {}) => wireArray(z.string(), limits)

/** Metadata and tags hold a text or several. */
export const wireMetadataValue = (limits: Range = {}) =>
  wireUnion({ str: z.string(), 'list[str]': wireStringList(limits) })
