// Exact numbers: fractions of whole numbers of any length, within what can be computed in no time.

export interface Rational {
  numerator: bigint
  /** Above zero; no divisor is shared with the numerator. */
  denominator: bigint
}

/** A number that would take too long, or that is none. The sentence is for who asked. */
export class NumberFault extends Error {}

const MAX_BITS = 20_000

export function rational(numerator: bigint, denominator = 1n): Rational {
  if (denominator === 0n) throw new NumberFault('That divides by zero.')
  if (bitsOf(numerator) > MAX_BITS || bitsOf(denominator) > MAX_BITS) throw new NumberFault('That number is too long.')
  const divisor = commonDivisor(abs(numerator), abs(denominator))
  const sign = denominator < 0n ? -1n : 1n
  return { numerator: (sign * numerator) / divisor, denominator: (sign * denominator) / divisor }
}

/** A decimal number such as 12, 1.5 or 2e-3. */
export function parseRational(text: string): Rational {
  const [, whole = '', fraction = '', exponent = '0'] = /^(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/.exec(text) ?? []
  const power = Number(exponent) - fraction.length
  if (Math.abs(power) > 4_000) throw new NumberFault('That number is too long.')
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

/** Towards minus infinity. */
export const floor = ({ numerator, denominator }: Rational): bigint => {
  const quotient = numerator / denominator
  return numerator < 0n && numerator % denominator !== 0n ? quotient - 1n : quotient
}

/** What is left has the sign of the divisor. */
export const modulo = (a: Rational, b: Rational) => subtract(a, multiply(b, rational(floor(divide(a, b)))))

export function power(base: Rational, exponent: Rational): Rational {
  if (exponent.denominator !== 1n)
    throw new NumberFault('Only whole exponents are computed; for a square root write sqrt(x).')
  const times = abs(exponent.numerator)
  const bits = BigInt(Math.max(bitsOf(base.numerator), bitsOf(base.denominator)))
  const isUnit = base.denominator === 1n && abs(base.numerator) <= 1n
  if (!isUnit && times * bits > BigInt(MAX_BITS)) throw new NumberFault('That number is too long.')
  const [up, down] = isUnit ? unit(base, times) : [base.numerator ** times, base.denominator ** times]
  return exponent.numerator < 0n ? rational(down, up) : rational(up, down)
}

/** Of 0, 1 and -1. */
const unit = ({ numerator }: Rational, times: bigint): [bigint, bigint] => {
  if (times === 0n) return [1n, 1n]
  return [numerator < 0n && times % 2n === 0n ? 1n : numerator, 1n]
}

/** Halves away from zero, as people round. */
export function round(a: Rational, digits: number): Rational {
  const scale = 10n ** BigInt(Math.abs(digits))
  const scaled = digits >= 0 ? multiply(a, rational(scale)) : divide(a, rational(scale))
  const half = rational(1n, 2n)
  const whole = scaled.numerator < 0n ? -floor(add(negate(scaled), half)) : floor(add(scaled, half))
  return digits >= 0 ? rational(whole, scale) : rational(whole * scale)
}

/** To so many digits behind the point; exact where it ends before. */
export function squareRoot(a: Rational, digits: number): { root: Rational; isExact: boolean } {
  if (a.numerator < 0n) throw new NumberFault('A negative number has no square root here.')
  const [up, down] = [wholeRoot(a.numerator), wholeRoot(a.denominator)]
  if (up * up === a.numerator && down * down === a.denominator) return { root: rational(up, down), isExact: true }
  const scale = 10n ** BigInt(digits)
  return { root: rational(wholeRoot((a.numerator * scale * scale) / a.denominator), scale), isExact: false }
}

/** As a decimal number; at most so many digits behind the point, and whether these are all. */
export function decimalOf(a: Rational, digits: number): { text: string; isExact: boolean } {
  const rounded = round(a, digits)
  const isExact = compare(a, rounded) === 0
  const scaled = abs(multiply(rounded, rational(10n ** BigInt(digits))).numerator)
    .toString()
    .padStart(digits + 1, '0')
  const fraction = digits === 0 ? '' : scaled.slice(-digits).replace(/0+$/, '')
  const whole = digits === 0 ? scaled : scaled.slice(0, -digits)
  const text = `${rounded.numerator < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`
  return { text, isExact }
}

/** Newton's way, from above. */
function wholeRoot(n: bigint): bigint {
  if (n < 2n) return n
  let root = 1n << BigInt(Math.ceil(bitsOf(n) / 2))
  for (let next = (root + n / root) / 2n; next < root; next = (root + n / root) / 2n) root = next
  return root
}

const abs = (n: bigint) => (n < 0n ? -n : n)
const sign = (n: bigint) => (n < 0n ? -1n : n > 0n ? 1n : 0n)
const bitsOf = (n: bigint) => abs(n).toString(16).length * 4

function commonDivisor(a: bigint, b: bigint): bigint {
  let [one, other] = [a, b]
  while (other !== 0n) [one, other] = [other, one % other]
  return one === 0n ? 1n : one
}
