// Values that are given to a name such as "password" or "api_key".
import { type CharacterTest, countSwitches, endOfRun, entropyOf, isBase64Url, isDigit, isLetter } from './characters.ts'
import type { SensitiveSpan } from './kinds.ts'
import { isPlaceholder } from './placeholders.ts'

export const ASSIGNMENT_ANCHOR =
  /passw|passphrase|kennwort|secret|token|api[_-]?key|auth[_-]?key|access[_-]?key|private[_-]?key|encryption[_-]?key|credential/gi

const MAX_NAME = 40
const MAX_SPACE = 4
const MIN_VALUE = 8
const MAX_VALUE = 200
/** Bits per character. Eight characters that all differ have 3. */
const MIN_ENTROPY = 2.75
const MIN_SWITCHES = 3

/** The value that is assigned to the name that contains `start`; undefined if it does not look like a secret. */
export function assignedSecretAt(text: string, start: number): SensitiveSpan | undefined {
  const nameEnd = endOfRun(text, start, isBase64Url, MAX_NAME)
  const operator = skipSpace(text, skipQuote(text, nameEnd))
  const operatorEnd = endOfRun(text, operator, isOperator, 2)
  if (operatorEnd === operator || text.startsWith('==', operator)) return undefined
  const begin = skipSpace(text, operatorEnd)
  const valueStart = skipQuote(text, begin)
  const end = endOfRun(text, valueStart, isValue, MAX_VALUE + 1)
  const value = text.slice(valueStart, end)
  if (!looksSecret(value)) return undefined
  // Code: a call, a member, an item.
  const isCode = valueStart === begin && (/[.(]$/.test(value) || text[end] === '(')
  return isCode || isMember(value) ? undefined : { kind: 'assigned_secret', start: valueStart, end }
}

const isOperator: CharacterTest = (code) => code === 58 || code === 61 || code === 62
const isQuote: CharacterTest = (code) => code === 34 || code === 39 || code === 96
const isSpace: CharacterTest = (code) => code === 32 || code === 9
const isValue: CharacterTest = (code) =>
  code > 32 && code < 127 && !isQuote(code) && code !== 44 && code !== 59 && code !== 60 && code !== 62 && code !== 92

const skipSpace = (text: string, at: number): number => endOfRun(text, at, isSpace, MAX_SPACE)
const skipQuote = (text: string, at: number): number => endOfRun(text, at, isQuote, 1)

function looksSecret(value: string): boolean {
  if (value.length < MIN_VALUE || value.length > MAX_VALUE || isPlaceholder(value) || isPathLike(value)) return false
  const codes = Array.from(value, (it) => it.charCodeAt(0))
  if (!codes.some(isDigit) || !codes.some(isLetter)) return false
  return countSwitches(value) >= Math.max(MIN_SWITCHES, value.length / 8) && entropyOf(value) >= MIN_ENTROPY
}

/** A path, an address, a query or a version. */
const isPathLike = (value: string): boolean =>
  /^(?:[./~]|https?:|urn:|[a-z]{2,10}:\/\/|v?\d{1,4}\.\d)/i.test(value) ||
  /[=&|]\S{0,40}[=&|]/.test(value) ||
  value.includes('->')

/** Names of code are mostly words: "CompositePrivateKey_1", "scram-sha-256". */
function isMember(value: string): boolean {
  if (endOfRun(value, 0, isMemberSign, MAX_VALUE) < value.length) return false
  let inWords = 0
  for (const [word] of value.matchAll(/[a-z]{3,200}/g)) inWords += word.length
  return inWords > value.length / 2
}
const isMemberSign: CharacterTest = (code) =>
  isBase64Url(code) || code === 36 || code === 46 || code === 91 || code === 93
