// Keys and tokens that begin with a documented prefix.
import {
  type CharacterTest,
  countSwitches,
  endOfRun,
  entropyOf,
  isAlphanumeric,
  isBase64,
  isBase64Url,
  isBoundaryBefore,
  isWord,
} from './characters.ts'
import { hasTokenChecksum } from './checksums.ts'
import type { SecretKind, SensitiveSpan } from './kinds.ts'
import { isPlaceholder, isTokenPlaceholder } from './placeholders.ts'

/** The beginnings of all of them, so that one expression reads the text. */
export const TOKEN_ANCHOR =
  /-----BEGIN |AKIA|ASIA|gh[pousr]_|github_pat_|gl[a-z]{2,4}-|xox[abeprs]-|hooks\.slack\.com\/services\/|[rs]k_live_|whsec_|AIza|npm_|pypi-Ag|eyJ|:\/\//g

/** The token that begins at `start` with `anchor`; undefined if there is none. Reads at most 4000 characters. */
export function tokenAt(text: string, start: number, anchor: string): SensitiveSpan | undefined {
  if (anchor === '-----BEGIN ') return privateKeyAt(text, start)
  if (anchor === '://') return urlPasswordAt(text, start)
  if (!isBoundaryBefore(text, start, isBase64Url)) return undefined
  if (anchor === 'eyJ') return jwtAt(text, start)
  if (anchor === 'AKIA' || anchor === 'ASIA') return awsKeyAt(text, start)
  const form = FORMS.find((it) =>
    it.prefix.endsWith('*') ? anchor.startsWith(it.prefix.slice(0, -1)) : it.prefix === anchor,
  )
  if (form === undefined) return undefined
  const begin = start + anchor.length
  const end = endOfRun(text, begin, form.test, MAX_BODY)
  const body = text.slice(begin, end)
  const isLengthRight = body.length >= form.min && body.length <= (form.max ?? MAX_BODY)
  if (!isLengthRight || isTokenPlaceholder(body) || form.check?.(body) === false) return undefined
  return { kind: form.kind, start, end }
}

const MAX_BODY = 400

interface TokenForm {
  /** "*" stands for any end. */
  prefix: string
  kind: SecretKind
  test: CharacterTest
  /** Lengths without the prefix. */
  min: number
  max?: number
  check?: (body: string) => boolean
}

const isSlackPath: CharacterTest = (code) => isAlphanumeric(code) || code === 47
const GITLAB_PREFIXES = ['glpat-', 'gldt-', 'glrt-', 'glft-', 'glsoat-', 'glcbt-', 'glptt-', 'glimt-', 'glagent-']

const FORMS: readonly TokenForm[] = [
  { prefix: 'github_pat_', kind: 'github_token', test: isWord, min: 82, max: 82 },
  { prefix: 'gh*', kind: 'github_token', test: isAlphanumeric, min: 36, max: 255, check: hasTokenChecksum },
  ...GITLAB_PREFIXES.map((prefix): TokenForm => ({ prefix, kind: 'gitlab_token', test: isBase64Url, min: 20 })),
  { prefix: 'xox*', kind: 'slack_token', test: isBase64Url, min: 24, check: (it) => /^\d?-?[0-9A-Z]{6}/.test(it) },
  { prefix: 'hooks.*', kind: 'slack_token', test: isSlackPath, min: 40, check: (it) => it.split('/').length === 3 },
  { prefix: 'whsec_', kind: 'stripe_key', test: isBase64, min: 24 },
  { prefix: 'rk_live_', kind: 'stripe_key', test: isAlphanumeric, min: 24 },
  { prefix: 'sk_live_', kind: 'stripe_key', test: isAlphanumeric, min: 24 },
  { prefix: 'AIza', kind: 'google_api_key', test: isBase64Url, min: 35, max: 35 },
  { prefix: 'npm_', kind: 'npm_token', test: isAlphanumeric, min: 36, max: 36, check: hasTokenChecksum },
  // "pypi.org" and "test.pypi.org" as a macaroon begins, in base64.
  {
    prefix: 'pypi-Ag',
    kind: 'pypi_token',
    test: isBase64Url,
    min: 60,
    check: (it) => /^E(?:IcHlwaS5vcmc|NdGVzdC5weXBpLm9yZ)/.test(it),
  },
]

const PRIVATE_KEY = /^-----BEGIN (?:(?:RSA|DSA|EC|OPENSSH|ENCRYPTED|PGP) )?PRIVATE KEY(?: BLOCK)?-----/
const MIN_KEY_LINE = 40
const KEY_HEAD = 400
const MAX_KEY = 4_000

/** The header counts only with a line of its key: documentation shows it with dots. */
function privateKeyAt(text: string, start: number): SensitiveSpan | undefined {
  const header = PRIVATE_KEY.exec(text.slice(start, start + 60))?.[0]
  if (header === undefined) return undefined
  const begin = start + header.length
  for (let at = begin; at < begin + KEY_HEAD && at < text.length; ) {
    const end = endOfRun(text, at, isBase64, MAX_KEY)
    if (end - at >= MIN_KEY_LINE && !isTokenPlaceholder(text.slice(at, end)))
      return { kind: 'private_key', start, end: endOfKey(text, end) }
    if (text.startsWith('-----', end)) return undefined
    at = end + 1
  }
  return undefined
}

function endOfKey(text: string, from: number): number {
  const footer = text.slice(from, from + MAX_KEY).indexOf('-----END ')
  return footer < 0 ? from : from + footer
}

const AWS_ID_LENGTH = 20
const AWS_SECRET_LENGTH = 40
const AWS_NEAR = 200
const isAwsId: CharacterTest = (code) => (code >= 65 && code <= 90) || (code >= 50 && code <= 55)

/** An access key id alone opens nothing, so its secret must be near. */
function awsKeyAt(text: string, start: number): SensitiveSpan | undefined {
  const end = endOfRun(text, start, isAwsId, AWS_ID_LENGTH + 1)
  if (end - start !== AWS_ID_LENGTH || text.startsWith('EXAMPLE', end - 7)) return undefined
  if (!isBoundaryBefore(text, end + 1, isAwsId) && isAlphanumeric(text.charCodeAt(end))) return undefined
  const near = text.slice(Math.max(0, start - AWS_NEAR), end + AWS_NEAR)
  return hasAwsSecret(near) ? { kind: 'aws_key', start, end } : undefined
}

function hasAwsSecret(text: string): boolean {
  for (let at = 0; at < text.length; ) {
    const end = endOfRun(text, at, isBase64, text.length)
    const run = text.slice(at, end)
    if (run.length === AWS_SECRET_LENGTH && entropyOf(run) > 4 && !/EXAMPLE/.test(run) && countSwitches(run) > 10)
      return true
    at = end + 1
  }
  return false
}

const MAX_PART = 1_300

/** Its header and its claims are JSON objects, and it has a signature. */
function jwtAt(text: string, start: number): SensitiveSpan | undefined {
  const ends: number[] = []
  for (let begin = start; ends.length < 3; ) {
    const end = endOfRun(text, begin, isBase64Url, MAX_PART)
    if (end === begin || (ends.length < 2 && text[end] !== '.')) return undefined
    ends.push(end)
    begin = end + 1
  }
  const [header = 0, claims = 0, end = 0] = ends
  if (end - claims < 20) return undefined
  const isToken = isJsonObject(text.slice(start, header), '"alg"') && isJsonObject(text.slice(header + 1, claims), '')
  return isToken ? { kind: 'jwt', start, end } : undefined
}

function isJsonObject(base64: string, part: string): boolean {
  const json = Buffer.from(base64, 'base64url').toString()
  if (!json.startsWith('{') || !json.includes(part)) return false
  try {
    JSON.parse(json)
    return true
  } catch {
    return false
  }
}

const MAX_USER = 100
const MAX_PASSWORD = 200
const NO_HOST_OF_ANYONE = /^(?:[\w.-]{0,100}\.)?(?:example(?:\.(?:com|org|net))?|test|invalid)(?![\w.-])/i
const isUserSign: CharacterTest = (code) => code > 32 && code !== 47 && code !== 58 && code !== 64 && code < 127
const isPasswordSign: CharacterTest = (code) =>
  code > 32 && code !== 47 && code !== 64 && code < 127 && code !== 34 && code !== 39 && code !== 60 && code !== 62

function urlPasswordAt(text: string, start: number): SensitiveSpan | undefined {
  const begin = start + 3
  const userEnd = endOfRun(text, begin, isUserSign, MAX_USER)
  if (text[userEnd] !== ':' || !isWord(text.charCodeAt(start - 1))) return undefined
  const end = endOfRun(text, userEnd + 1, isPasswordSign, MAX_PASSWORD)
  if (text[end] !== '@' || !isAlphanumeric(text.charCodeAt(end + 1))) return undefined
  const password = text.slice(userEnd + 1, end)
  if (password.length < 6 || isPlaceholder(password) || isPlainWord(password)) return undefined
  return NO_HOST_OF_ANYONE.test(text.slice(end + 1, end + 200))
    ? undefined
    : { kind: 'url_password', start: userEnd + 1, end }
}

/** "password", "geheim": documentation writes a word where a password has more. */
const isPlainWord = (text: string): boolean => countSwitches(text) === 0
