// Validation errors in Pydantic's wording, because clients rely on its types and messages.

const PROBLEM_MESSAGES = {
  missing: () => 'Field required',
  extra_forbidden: () => 'Extra inputs are not permitted',
  too_many_unknown: () => 'The request contains too many unknown fields',
  string_type: () => 'Input should be a valid string',
  string_too_short: (min: number) => `String should have at least ${pluralize(min, 'character')}`,
  string_too_long: (max: number) => `String should have at most ${pluralize(max, 'character')}`,
  string_pattern_mismatch: (pattern: string) => `String should match pattern '${pattern}'`,
  not_well_formed: (what: string) => `String should not contain ${what}`,
  int_type: () => 'Input should be a valid integer',
  int_parsing: () => 'Input should be a valid integer, unable to parse string as an integer',
  int_parsing_size: () => 'Unable to parse input string as an integer, exceeded maximum size',
  int_from_float: () => 'Input should be a valid integer, got a number with a fractional part',
  float_type: () => 'Input should be a valid number',
  float_parsing: () => 'Input should be a valid number, unable to parse string as a number',
  finite_number: () => 'Input should be a finite number',
  greater_than: (min: NumericBound) => `Input should be greater than ${min}`,
  greater_than_equal: (min: NumericBound) => `Input should be greater than or equal to ${min}`,
  less_than: (max: NumericBound) => `Input should be less than ${max}`,
  less_than_equal: (max: NumericBound) => `Input should be less than or equal to ${max}`,
  multiple_of: (divisor: NumericBound) => `Input should be a multiple of ${divisor}`,
  bool_type: () => 'Input should be a valid boolean',
  bool_parsing: () => 'Input should be a valid boolean, unable to interpret input',
  datetime_type: () => 'Input should be a valid datetime',
  datetime_parsing: (reason: string) => `Input should be a valid datetime, ${reason}`,
  datetime_from_date_parsing: (reason: string) => `Input should be a valid datetime or date, ${reason}`,
  none_required: () => 'Input should be None',
  list_type: () => 'Input should be a valid list',
  dict_type: () => 'Input should be a valid dictionary',
  model_attributes_type: () => 'Input should be a valid dictionary or object to extract fields from',
  too_short: (min: number, length: number) =>
    `List should have at least ${pluralize(min, 'item')} after validation, not ${length}`,
  too_long: (max: number, length: number) =>
    `List should have at most ${pluralize(max, 'item')} after validation, not ${length}`,
  too_many_keys: (max: number, length: number) =>
    `Dictionary should have at most ${pluralize(max, 'item')} after validation, not ${length}`,
  enum: (values: readonly unknown[]) => `Input should be ${joinWithOr(values)}`,
  literal_error: (values: readonly unknown[]) => `Input should be ${joinWithOr(values)}`,
  value_error: (reason: string) => `Value error, ${reason}`,
}

export type ProblemType = keyof typeof PROBLEM_MESSAGES

/** A class, so that a problem cannot be mistaken for a parsed value. */
export class Problem {
  readonly type: ProblemType
  readonly msg: string
  constructor(type: ProblemType, msg: string) {
    this.type = type
    this.msg = msg
  }
}

export function problem<T extends ProblemType>(type: T, ...facts: Parameters<(typeof PROBLEM_MESSAGES)[T]>): Problem {
  const sentence = PROBLEM_MESSAGES[type] as (...facts: unknown[]) => string // The signature above ties the facts to the type.
  return new Problem(type, sentence(...facts))
}

type NumericBound = number | bigint

const pluralize = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`

function joinWithOr(values: readonly unknown[]): string {
  const quoted = values.map((it) => (typeof it === 'string' ? `'${it}'` : String(it)))
  if (quoted.length < 2) return quoted.join()
  return `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`
}
