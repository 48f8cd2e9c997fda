// Exact arithmetic for models. Expressions have their own parser; no code is ever evaluated.
import { z } from 'zod'
import { defineBuiltInTool, errorResult, okResult } from './define-built-in-tool.ts'
import {
  add,
  compare,
  divide,
  floor,
  modulo,
  multiply,
  NumberError,
  negate,
  parseRational,
  power,
  type Rational,
  rational,
  round,
  squareRoot,
  subtract,
  toDecimal,
  withinWorkLimit,
} from './rational.ts'

const MAX_EXPRESSION = 1_000
const MAX_DEPTH = 50
/** Decimal places to which a result without a finite decimal form is rounded. */
const MAX_FRACTION_DIGITS = 20

const Arguments = z.object({
  expression: z
    .string()
    .min(1)
    .max(MAX_EXPRESSION)
    .describe(
      'For example (1200 - 1100) / 1100 * 100. Supports + - * / % ^, abs, ceil, floor, max, mean, min, round(x, digits), sqrt, sum.',
    ),
})

export const calculatorTool = defineBuiltInTool({
  in_code_tool_id: 'CalculatorTool',
  name: 'calculator',
  display_name: 'Calculator',
  description: 'Computes with exact numbers.',
  descriptionForModel: 'Evaluates arithmetic exactly. Use it for every sum, percentage or average.',
  default_enabled: true,
  arguments: Arguments,
  call: async (_deps: object, { expression }) => {
    try {
      return okResult(calculate(expression))
    } catch (error) {
      if (error instanceof NumberError) return errorResult(`"${expression}" cannot be evaluated. ${error.message}`)
      throw error
    }
  },
})

/** `= 0.3`, or `≈ 0.33333333333333333333` for a rounded result. Throws a NumberError. */
export function calculate(expression: string): string {
  if (expression.length > MAX_EXPRESSION) {
    throw new NumberError(`An expression may have at most ${MAX_EXPRESSION} characters.`)
  }
  return withinWorkLimit(() => evaluate(expression))
}

function evaluate(expression: string): string {
  const reader = createTokenReader(expression)
  const value = parseSum(reader, 0)
  if (reader.peek() !== undefined) throw new NumberError(`"${reader.peek()}" is unexpected.`)
  const { text, isExact } = toDecimal(value, MAX_FRACTION_DIGITS)
  return `${isExact && !reader.isRounded ? '=' : '≈'} ${text}`
}

interface TokenReader {
  peek(): string | undefined
  take(): string | undefined
  /** True if any intermediate result was rounded. */
  isRounded: boolean
}

const TOKEN = /\s*(?:((?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,4})?)|([a-z]+)|(\*\*|[-+*/%^(),×÷−]))/giy
const OPERATOR_ALIASES = new Map([
  ['×', '*'],
  ['÷', '/'],
  ['−', '-'],
  ['**', '^'],
])

function createTokenReader(expression: string): TokenReader {
  const tokens: string[] = []
  const text = expression.trim()
  TOKEN.lastIndex = 0
  for (let at = 0; at < text.length; at = TOKEN.lastIndex) {
    const match = TOKEN.exec(text)
    if (match === null)
      throw new NumberError(`"${text.slice(at, at + 10)}" is not a number, an operator or a function.`)
    const [spelled, number] = match
    const token = number?.replaceAll('_', '') ?? spelled.trim().toLowerCase()
    tokens.push(OPERATOR_ALIASES.get(token) ?? token)
  }
  let at = 0
  return { peek: () => tokens[at], take: () => tokens[at++], isRounded: false }
}

function parseSum(reader: TokenReader, depth: number): Rational {
  if (depth > MAX_DEPTH) throw new NumberError('The brackets are nested too deeply.')
  let value = parseProduct(reader, depth)
  for (let sign = reader.peek(); sign === '+' || sign === '-'; sign = reader.peek()) {
    reader.take()
    const next = parseProduct(reader, depth)
    value = sign === '+' ? add(value, next) : subtract(value, next)
  }
  return value
}

const PRODUCT_OPERATIONS = new Map([
  ['*', multiply],
  ['/', divide],
  ['%', modulo],
])

function parseProduct(reader: TokenReader, depth: number): Rational {
  const operation = () => PRODUCT_OPERATIONS.get(reader.peek() ?? '')
  let value = parseSigned(reader, depth)
  for (let next = operation(); next !== undefined; next = operation()) {
    reader.take()
    value = next(value, parseSigned(reader, depth))
  }
  return value
}

/** A sign binds less tightly than a power: -2^2 is -4. */
function parseSigned(reader: TokenReader, depth: number): Rational {
  if (depth > MAX_DEPTH) throw new NumberError('There are too many consecutive signs.')
  const sign = reader.peek()
  if (sign !== '+' && sign !== '-') return parsePower(reader, depth)
  reader.take()
  const value = parseSigned(reader, depth + 1)
  return sign === '-' ? negate(value) : value
}

/** Powers associate to the right: 2^3^2 is 2^9. */
function parsePower(reader: TokenReader, depth: number): Rational {
  const base = parseValue(reader, depth)
  if (reader.peek() !== '^') return base
  reader.take()
  return power(base, parseSigned(reader, depth + 1))
}

function parseValue(reader: TokenReader, depth: number): Rational {
  const token = reader.take()
  if (token === undefined) throw new NumberError('The expression is incomplete.')
  if (token === '(') {
    const value = parseSum(reader, depth + 1)
    expectToken(reader, ')')
    return value
  }
  if (/^[\d.]/.test(token)) return parseRational(token)
  const calculatorFunction = FUNCTIONS.get(token)
  if (calculatorFunction !== undefined) return calculatorFunction(parseArguments(reader, depth), reader)
  throw new NumberError(`"${token}" is unexpected.`)
}

function parseArguments(reader: TokenReader, depth: number): [Rational, ...Rational[]] {
  expectToken(reader, '(')
  const values: [Rational, ...Rational[]] = [parseSum(reader, depth + 1)]
  while (reader.peek() === ',') {
    reader.take()
    values.push(parseSum(reader, depth + 1))
  }
  expectToken(reader, ')')
  return values
}

function expectToken(reader: TokenReader, token: string): void {
  if (reader.take() !== token) throw new NumberError(`"${token}" is missing.`)
}

type CalculatorFunction = (values: readonly [Rational, ...Rational[]], reader: TokenReader) => Rational

const total: CalculatorFunction = (values) => values.reduce(add, rational(0n))
const mean: CalculatorFunction = (values, reader) => divide(total(values, reader), rational(BigInt(values.length)))
const unary =
  (calculate: (value: Rational, reader: TokenReader) => Rational): CalculatorFunction =>
  ([value, ...more], reader) => {
    if (more.length > 0) throw new NumberError('This function takes exactly one number.')
    return calculate(value, reader)
  }

const FUNCTIONS = new Map<string, CalculatorFunction>([
  ['sum', total],
  ['avg', mean],
  ['mean', mean],
  ['min', (values) => values.reduce((a, b) => (compare(b, a) < 0 ? b : a))],
  ['max', (values) => values.reduce((a, b) => (compare(b, a) > 0 ? b : a))],
  ['abs', unary((value) => (value.numerator < 0n ? negate(value) : value))],
  ['floor', unary((value) => rational(floor(value)))],
  ['ceil', unary((value) => rational(-floor(negate(value))))],
  [
    'round',
    ([value, digits = rational(0n), ...more]) => {
      const places = Number(digits.numerator)
      if (more.length > 0 || digits.denominator !== 1n || Math.abs(places) > 100) {
        throw new NumberError('The syntax is round(x) or round(x, digits).')
      }
      return round(value, places)
    },
  ],
  [
    'sqrt',
    unary((value, reader) => {
      const { root, isExact } = squareRoot(value, MAX_FRACTION_DIGITS + 10)
      if (!isExact) reader.isRounded = true
      return root
    }),
  ],
])
