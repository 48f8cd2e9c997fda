// Converts zod issues to validation errors in the form of Pydantic v2: `loc`, `msg` and `type`.
import type { z } from 'zod'
import { MAX_PROBLEMS } from '../../wire/containers.ts'
import { problem } from '../../wire/problem.ts'

export interface ValidationError {
  loc: (string | number)[]
  msg: string
  type: string
}

export type RequestPart = 'body' | 'query' | 'path'

export type ParseResult<T> = { ok: true; value: T } | { ok: false; errors: ValidationError[] }

export function parseOr422<S extends z.ZodType>(
  schema: S,
  input: unknown,
  root: RequestPart,
): ParseResult<z.output<S>> {
  const result = schema.safeParse(input, { reportInput: true })
  if (result.success) return { ok: true, value: result.data }
  return { ok: false, errors: validationErrors(result.error, root) }
}

/** The error must come from a parse with `reportInput`: otherwise missing and invalid fields look alike. */
export const validationErrors = (error: z.ZodError, root: RequestPart): ValidationError[] =>
  error.issues.flatMap((issue) => issueErrors(issue, [root])).slice(0, MAX_PROBLEMS)

/** Errors about unknown fields replace those of the schema at the same path. */
export function mergeUnknownErrors(
  errors: readonly ValidationError[],
  unknown: readonly ValidationError[],
): ValidationError[] {
  if (unknown.length === 0) return [...errors]
  const unknownLocs = new Set(unknown.map((it) => JSON.stringify(it.loc)))
  const others = errors.filter((it) => it.type !== 'extra_forbidden' || !unknownLocs.has(JSON.stringify(it.loc)))
  return [...others, ...unknown].slice(0, MAX_PROBLEMS)
}

export function validationBody(errors: readonly ValidationError[]): {
  detail: readonly ValidationError[]
  message: string
} {
  const [first] = errors
  return { detail: errors, message: first === undefined ? 'Invalid request' : `${first.loc.join('.')}: ${first.msg}` }
}

type RequestIssue = z.core.$ZodIssue
type Loc = ValidationError['loc']

function issueErrors(issue: RequestIssue, parent: Loc): ValidationError[] {
  const loc = [...parent, ...issue.path.map(locSegment)]
  if (isMissing(issue)) return [{ loc, ...problem('missing') }]
  switch (issue.code) {
    case 'invalid_union':
      if (issue.errors.length === 0) return [{ loc, ...problem('value_error', issue.message) }]
      return issue.errors.flat().flatMap((it) => issueErrors(it, loc))
    case 'invalid_key':
      return issue.issues.flatMap((it) => issueErrors(it, [...loc, '[key]']))
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({ loc: [...loc, locSegment(key)], ...problem('extra_forbidden') }))
    default:
      return [{ loc, ...issueMessage(issue) }]
  }
}

/** Truncated, because a key may be megabytes long and occur in a hundred errors. */
export const locSegment = (key: PropertyKey) =>
  typeof key === 'number' ? key : String(key).slice(0, MAX_KEY).toWellFormed()
const MAX_KEY = 200

/** JSON has no undefined, so an undefined input is a missing key. */
const isMissing = (issue: RequestIssue) =>
  ['invalid_type', 'invalid_value', 'invalid_union'].includes(issue.code) &&
  'input' in issue &&
  issue.input === undefined

function issueMessage(issue: RequestIssue): ErrorMessage {
  switch (issue.code) {
    case 'custom': {
      const type: unknown = issue.params?.type
      return typeof type === 'string' ? { msg: issue.message, type } : problem('value_error', issue.message)
    }
    case 'invalid_type':
      return typeProblem(issue)
    case 'invalid_value':
      return problem(issue.values.length === 1 ? 'literal_error' : 'enum', issue.values)
    case 'too_small':
      return tooSmall(issue)
    case 'too_big':
      return tooBig(issue)
    case 'not_multiple_of':
      return problem('multiple_of', issue.divisor)
    case 'invalid_format':
      if (issue.format === 'regex') return problem('string_pattern_mismatch', `${issue.pattern}`.slice(1, -1))
  }
  return problem('value_error', issue.message)
}
type ErrorMessage = Pick<ValidationError, 'msg' | 'type'>

function typeProblem({ expected, input, message }: z.core.$ZodIssueInvalidType): ErrorMessage {
  if (typeof input === 'number' && !Number.isFinite(input)) return problem('finite_number')
  switch (expected) {
    case 'string':
      return problem('string_type')
    case 'number':
      return problem('float_type')
    case 'int':
      return problem('int_from_float')
    case 'boolean':
      return problem('bool_type')
    case 'null':
      return problem('none_required')
    case 'array':
    case 'tuple':
      return problem('list_type')
    case 'record':
      return problem('dict_type')
    case 'object':
      return problem('model_attributes_type')
  }
  return problem('value_error', message)
}

function tooSmall({ origin, minimum, inclusive, input }: z.core.$ZodIssueTooSmall): ErrorMessage {
  if (origin === 'string') return problem('string_too_short', Number(minimum))
  if (Array.isArray(input)) return problem('too_short', Number(minimum), input.length)
  return problem(inclusive === false ? 'greater_than' : 'greater_than_equal', minimum)
}

function tooBig({ origin, maximum, inclusive, input }: z.core.$ZodIssueTooBig): ErrorMessage {
  if (origin === 'string') return problem('string_too_long', Number(maximum))
  if (Array.isArray(input)) return problem('too_long', Number(maximum), input.length)
  if (origin === 'int') return problem('int_parsing_size')
  return problem(inclusive === false ? 'less_than' : 'less_than_equal', maximum)
}
