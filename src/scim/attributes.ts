// Reads single values of resources as directories send them. Names of attributes have no case.
import { AppError } from '../domain/errors.ts'

export const MAX_TEXT = 500
export const MAX_EMAILS = 20
/** Names that a directory may send and the service does not keep: they are ignored. */
const IGNORED = new Set(
  (
    'schemas id meta groups password nickname profileurl title usertype preferredlanguage locale timezone phonenumbers ' +
    'ims photos addresses entitlements roles x509certificates name.middlename name.honorificprefix name.honorificsuffix'
  ).split(' '),
)
const EXTENSION = /^urn:ietf:params:scim:schemas:extension:/i
const EMAIL = /^[^\s@\u0000]+@[^\s@\u0000]+$/

export const isIgnored = (path: string): boolean => {
  const [name = ''] = path.toLowerCase().split('[', 1)
  return EXTENSION.test(path) || IGNORED.has(name) || IGNORED.has(name.split('.', 1)[0] ?? '')
}

export const isEmail = (text: string): boolean => text.length <= 320 && EMAIL.test(text)

export const invalidValue = (reason: string) => new AppError('SCIM_INVALID_VALUE', { reason })

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The attributes by their names in lower case. */
export function readAttributes(value: unknown, what: string): Map<string, unknown> {
  if (!isObject(value)) throw new AppError('SCIM_INVALID_SYNTAX', { reason: `${what} must be a JSON object.` })
  return new Map(Object.entries(value).map(([name, it]) => [name.toLowerCase(), it]))
}

/** Null for an absent and an empty text. */
export function readText(value: unknown, name: string): string | null {
  if (value === undefined || value === null || value === '') return null
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string' || text.length > MAX_TEXT || text.includes('\u0000') || !text.isWellFormed())
    throw invalidValue(`\`${name}\` must be a text of at most ${MAX_TEXT} characters.`)
  return text
}

export function readRequired(value: unknown, name: string): string {
  const text = readText(value, name)?.trim() ?? ''
  if (text === '') throw invalidValue(`\`${name}\` is required.`)
  return text
}

/** Entra ID sends `"True"` and `"False"`. */
export function readBoolean(value: unknown, name: string): boolean {
  if (typeof value === 'boolean') return value
  const word = typeof value === 'string' ? value.toLowerCase() : ''
  if (word === 'true' || word === 'false') return word === 'true'
  throw invalidValue(`\`${name}\` must be true or false.`)
}
