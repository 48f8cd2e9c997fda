// Computes what a model should not guess. What it is given is read by a grammar of its own: nothing is ever run.
import { z } from 'zod'
import { callable, failed, said } from './callable.ts'
import {
  add,
  compare,
  decimalOf,
  divide,
  floor,
  modulo,
  multiply,
  NumberFault,
  negate,
  parseRational,
  power,
  type Rational,
  rational,
  round,
  squareRoot,
  subtract,
} from './rational.ts'
import type { Callable } from './tool.ts'

const MAX_EXPRESSION = 1_000
const MAX_DEPTH = 50
/** Behind the point, of what does not end. */
const DIGITS = 20

const Arguments = z.object({
  expression: z
    .string()
    .min(1)
    .max(MAX_EXPRESSION)
    .describe(
      'Such as (1200 - 1100) / 1100 * 100. Knows + - * / % ^, abs, ceil, floor, max, mean, min, round(x, digits), sqrt, sum.',
    ),
})

export const calculatorTool = (): Callable =>
  callable({
    name: 'calculator',
    description: 'Computes with exact numbers. Use it for every sum, share or average.',
    arguments: Arguments,
    call: async ({ expression }) => {
      try {
        return said(calculate(expression))
      } catch (error) {
        if (error instanceof NumberFault) return failed(`"${expression}" cannot be computed. ${error.message}`)
        throw error
      }
    },
  })

/** `= 0.3`, or `≈ 0.33333333333333333333` where it was rounded. Throws a NumberFault. */
export function calculate(expression: string): string {
  const reader = openReader(expression)
  const value = sumIn(reader, 0)
  if (reader.peek() !== undefined) throw new NumberFault(`"${reader.peek()}" is not expected there.`)
  const { text, isExact } = decimalOf(value, DIGITS)
  return `${isExact && !reader.isRounded ? '=' : '≈'} ${text}`
}

interface Reader {
  peek(): string | undefined
  take(): string | undefined
  /** Whether anything on the way was. */
  isRounded: boolean
}

const TOKEN = /\s*(?:((?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,4})?)|([a-z]+)|(\*\*|[-+*/%^(),×÷−]))/giy
const SPELLED = new Map([
  ['×', '*'],
  ['÷', '/'],
  ['−', '-'],
  ['**', '^'],
])

function openReader(expression: string): Reader {
  const tokens: string[] = []
  const text = expression.trim()
  TOKEN.lastIndex = 0
  for (let at = 0; at < text.length; at = TOKEN.lastIndex) {
    const match = TOKEN.exec(text)
    if (match === null) throw new NumberFault(`"${text.slice(at, at + 10)}" is not understood.`)
    const token = match[1]?.replaceAll('_', '') ?? match[2]?.toLowerCase() ?? match[3]!
    tokens.push(SPELLED.get(token) ?? token)
  }
  let at = 0
  return { peek: () => tokens[at], take: () => tokens[at++], isRounded: false }
}

function sumIn(reader: Reader, depth: number): Rational {
  if (depth > MAX_DEPTH) throw new NumberFault('There are too many brackets.')
  let value = productIn(reader, depth)
  for (let sign = reader.peek(); sign === '+' || sign === '-'; sign = reader.peek()) {
    reader.take()
    const next = productIn(reader, depth)
    value = sign === '+' ? add(value, next) : subtract(value, next)
  }
  return value
}

const PRODUCTS = new Map([
  ['*', multiply],
  ['/', divide],
  ['%', modulo],
])

function productIn(reader: Reader, depth: number): Rational {
  const operation = () => PRODUCTS.get(reader.peek() ?? '')
  let value = signedIn(reader, depth)
  for (let next = operation(); next !== undefined; next = operation()) {
    reader.take()
    value = next(value, signedIn(reader, depth))
  }
  return value
}

/** A sign binds less than a power: -2^2 is -4. */
function signedIn(reader: Reader, depth: number): Rational {
  if (depth > MAX_DEPTH) throw new NumberFault('There are too many signs.')
  const sign = reader.peek()
  if (sign !== '+' && sign !== '-') return powerIn(reader, depth)
  reader.take()
  const value = signedIn(reader, depth + 1)
  return sign === '-' ? negate(value) : value
}

/** From the right: 2^3^2 is 2^9. */
function powerIn(reader: Reader, depth: number): Rational {
  const base = valueIn(reader, depth)
  if (reader.peek() !== '^') return base
  reader.take()
  return power(base, signedIn(reader, depth + 1))
}

function valueIn(reader: Reader, depth: number): Rational {
  const token = reader.take()
  if (token === undefined) throw new NumberFault('Something is missing at the end.')
  if (token === '(') {
    const value = sumIn(reader, depth + 1)
    expect(reader, ')')
    return value
  }
  if (/^[\d.]/.test(token)) return parseRational(token)
  if (FUNCTIONS.has(token)) return FUNCTIONS.get(token)!(argumentsIn(reader, depth), reader)
  throw new NumberFault(`"${token}" is not expected there.`)
}

function argumentsIn(reader: Reader, depth: number): Rational[] {
  expect(reader, '(')
  const values = [sumIn(reader, depth + 1)]
  while (reader.peek() === ',') {
    reader.take()
    values.push(sumIn(reader, depth + 1))
  }
  expect(reader, ')')
  return values
}

function expect(reader: Reader, token: string): void {
  if (reader.take() !== token) throw new NumberFault(`A "${token}" is missing.`)
}

type Calculation = (values: readonly Rational[], reader: Reader) => Rational

const total: Calculation = (values) => values.reduce(add, rational(0n))
const mean: Calculation = (values, reader) => divide(total(values, reader), rational(BigInt(values.length)))
const ofOne =
  (calculate: (value: Rational, reader: Reader) => Rational): Calculation =>
  ([value, ...more], reader) => {
    if (more.length > 0) throw new NumberFault('That takes one number only.')
    return calculate(value!, reader)
  }

const FUNCTIONS = new Map<string, Calculation>([
  ['sum', total],
  ['avg', mean],
  ['mean', mean],
  ['min', (values) => values.reduce((a, b) => (compare(b, a) < 0 ? b : a))],
  ['max', (values) => values.reduce((a, b) => (compare(b, a) > 0 ? b : a))],
  ['abs', ofOne((value) => (value.numerator < 0n ? negate(value) : value))],
  ['floor', ofOne((value) => rational(floor(value)))],
  ['ceil', ofOne((value) => rational(-floor(negate(value))))],
  [
    'round',
    ([value, digits = rational(0n), ...more]) => {
      const places = Number(digits.numerator)
      if (more.length > 0 || digits.denominator !== 1n || Math.abs(places) > 100) {
        throw new NumberFault('It is written round(x) or round(x, digits).')
      }
      return round(value!, places)
    },
  ],
  [
    'sqrt',
    ofOne((value, reader) => {
      const { root, isExact } = squareRoot(value, DIGITS + 10)
      if (!isExact) reader.isRounded = true
      return root
    }),
  ],
])
