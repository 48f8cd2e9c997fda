// Exact rational numbers of any length, limited so that each computation takes little time.
import { trimEndCharacters } from '../../domain/values/trim.ts'

export interface Rational {
  numerator: bigint
  /** Positive, and coprime to the numerator. */
  denominator: bigint
}

/** An invalid number, or one that takes too long to compute. The message is for the user. */
export class NumberError extends Error {}

const MAX_BITS = 20_000
/** The time for a common divisor grows with the square of the length; about five of the longest numbers take a second. */
const MAX_WORK = 5 * MAX_BITS ** 2
let workDone = 0

/** Limits the total time of all computations in `compute`. */
export function withinWorkLimit<T>(compute: () => T): T {
  workDone = 0
  return compute()
}

const DIVIDES_BY_ZERO = 'Division by zero.'

export function rational(numerator: bigint, denominator = 1n): Rational {
  if (denominator === 0n) throw new NumberError(DIVIDES_BY_ZERO)
  if (bitLength(numerator) > MAX_BITS || bitLength(denominator) > MAX_BITS)
    throw new NumberError('The number is too long.')
  workDone += bitLength(numerator) * bitLength(denominator)
  if (workDone > MAX_WORK) throw new NumberError('The computation takes too long.')
  const divisor = greatestCommonDivisor(abs(numerator), abs(denominator))
  const sign = denominator < 0n ? -1n : 1n
  return { numerator: (sign * numerator) / divisor, denominator: (sign * denominator) / divisor }
}

/** Parses a decimal number such as 12, 1.5 or 2e-3. */
export function parseRational(text: string): Rational {
  const [, whole = '', fraction = '', exponent = '0'] = /^(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/.exec(text) ?? []
  const power = Number(exponent) - fraction.length
  if (Math.abs(power) > 4_000) throw new NumberError('The number is too long.')
  const digits = BigInt(`${whole}${fraction}` || '0')
  return power >= 0 ? rational(digits * 10n ** BigInt(power)) : rational(digits, 10n ** BigInt(-power))
}

export const add = (a: Rational, b: Rational) =>
  rational(a.numerator * b.denominator + b.numerator * a.denominator, a.denominator * b.denominator)
export const negate = (a: Rational): Rational => ({ ...a, numerator: -a.numerator })
export const subtract = (a: Rational, b: Rational) => add(a, negate(b))
export const multiply = (a: Rational, b: Rational) => rational(a.numerator * b.numerator, a.denominator * b.denominator)
export const divide = (a: Rational, b: Rational) => rational(a.numerator * b.denominator, a.denominator * b.numerator)
export const compare = (a: Rational, b: Rational): number => Number(sign(subtract(a, b).numerator))

/** Rounds towards minus infinity. */
export const floor = ({ numerator, denominator }: Rational): bigint => {
  const quotient = numerator / denominator
  return numerator < 0n && numerator % denominator !== 0n ? quotient - 1n : quotient
}

/** The remainder has the sign of the divisor. */
export const modulo = (a: Rational, b: Rational) => subtract(a, multiply(b, rational(floor(divide(a, b)))))

export function power(base: Rational, exponent: Rational): Rational {
  if (exponent.denominator !== 1n)
    throw new NumberError('Exponents must be whole numbers. For a square root, write sqrt(x).')
  const times = abs(exponent.numerator)
  const bits = BigInt(Math.max(bitLength(base.numerator), bitLength(base.denominator)))
  const isUnit = base.denominator === 1n && abs(base.numerator) <= 1n
  if (!isUnit && times * bits > BigInt(MAX_BITS)) throw new NumberError('The number is too long.')
  const [up, down] = isUnit ? unitPower(base, times) : [base.numerator ** times, base.denominator ** times]
  // Powers of coprime numbers are coprime.
  if (exponent.numerator >= 0n) return { numerator: up, denominator: down }
  if (up === 0n) throw new NumberError(DIVIDES_BY_ZERO)
  return up < 0n ? { numerator: -down, denominator: -up } : { numerator: down, denominator: up }
}

/** Powers of 0, 1 and -1. */
const unitPower = ({ numerator }: Rational, times: bigint): [bigint, bigint] => {
  if (times === 0n) return [1n, 1n]
  return [numerator < 0n && times % 2n === 0n ? 1n : numerator, 1n]
}

/** Rounds halves away from zero. */
export function round(a: Rational, digits: number): Rational {
  const scale = 10n ** BigInt(Math.abs(digits))
  const scaled = digits >= 0 ? multiply(a, rational(scale)) : divide(a, rational(scale))
  const half = rational(1n, 2n)
  const whole = scaled.numerator < 0n ? -floor(add(negate(scaled), half)) : floor(add(scaled, half))
  return digits >= 0 ? rational(whole, scale) : rational(whole * scale)
}

/** Returns the root with the given number of decimal places, or exactly if it has a finite form. */
export function squareRoot(a: Rational, digits: number): { root: Rational; isExact: boolean } {
  if (a.numerator < 0n) throw new NumberError('A negative number has no real square root.')
  const [up, down] = [integerSquareRoot(a.numerator), integerSquareRoot(a.denominator)]
  if (up * up === a.numerator && down * down === a.denominator) return { root: rational(up, down), isExact: true }
  const scale = 10n ** BigInt(digits)
  return { root: rational(integerSquareRoot((a.numerator * scale * scale) / a.denominator), scale), isExact: false }
}

/** Formats a number with at most `digits` decimal places; `isExact` is false if it was rounded. */
export function toDecimal(a: Rational, digits: number): { text: string; isExact: boolean } {
  const rounded = round(a, digits)
  const isExact = compare(a, rounded) === 0
  const scaled = abs(multiply(rounded, rational(10n ** BigInt(digits))).numerator)
    .toString()
    .padStart(digits + 1, '0')
  const fraction = digits === 0 ? '' : trimEndCharacters(scaled.slice(-digits), '0')
  const whole = digits === 0 ? scaled : scaled.slice(0, -digits)
  const text = `${rounded.numerator < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`
  return { text, isExact }
}

/** Newton's method, from above. */
function integerSquareRoot(n: bigint): bigint {
  if (n < 2n) return n
  let root = 1n << BigInt(Math.ceil(bitLength(n) / 2))
  for (let next = (root + n / root) / 2n; next < root; next = (root + n / root) / 2n) root = next
  return root
}

const abs = (n: bigint) => (n < 0n ? -n : n)
const sign = (n: bigint) => (n < 0n ? -1n : n > 0n ? 1n : 0n)
const bitLength = (n: bigint) => abs(n).toString(16).length * 4

function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  let [one, other] = [a, b]
  while (other !== 0n) [one, other] = [other, one % other]
  return one === 0n ? 1n : one
}
