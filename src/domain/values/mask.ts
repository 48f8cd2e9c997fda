const MIN_SHOWN_LENGTH = 14

/**
 * How a secret is shown after it was set: its two ends, or nothing if it is short. A surrogate pair that an end cuts in
 * two is replaced.
 */
export const maskSecret = (secret: string): string =>
  secret.length < MIN_SHOWN_LENGTH ? '•'.repeat(12) : `${secret.slice(0, 4)}...${secret.slice(-4)}`.toWellFormed()

type SecretFields = Record<string, unknown>

const isJsonObject = (value: unknown): value is SecretFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Masks every text and number, at any depth; field names and booleans are not secret. */
export const maskDeep = (secrets: SecretFields): SecretFields =>
  Object.fromEntries(Object.entries(secrets).map(([key, value]) => [key, maskValue(value)]))

function maskValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(maskValue)
  if (isJsonObject(value)) return maskDeep(value)
  return typeof value === 'string' || typeof value === 'number' ? maskSecret(String(value)) : value
}

/** Merges what a client sends back: a value equal to the stored value's mask keeps the stored value. */
export const unmaskDeep = (sent: SecretFields, stored: SecretFields): SecretFields =>
  Object.fromEntries(
    Object.entries(sent).map(([key, value]) => [
      key,
      Object.hasOwn(stored, key) ? unmaskValue(value, stored[key]) : value,
    ]),
  )

function unmaskValue(sent: unknown, stored: unknown): unknown {
  if (Array.isArray(sent) && Array.isArray(stored)) return sent.map((it, at) => unmaskValue(it, stored[at]))
  if (isJsonObject(sent) && isJsonObject(stored)) return unmaskDeep(sent, stored)
  return sent === maskValue(stored) ? stored : sent
}
