const SHORTEST_SHOWN = 14

/**
 * How a secret is shown after the moment it was set: its ends, or nothing of it when it is short. A character that an
 * end cuts in two is shown as none.
 */
export const mask = (secret: string): string =>
  secret.length < SHORTEST_SHOWN ? '•'.repeat(12) : `${secret.slice(0, 4)}...${secret.slice(-4)}`.toWellFormed()

type Json = Record<string, unknown>

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Every text and number in it, however deep; which fields there are, and what is switched on, is no secret. */
export const maskDeep = (secrets: Json): Json =>
  Object.fromEntries(Object.entries(secrets).map(([key, value]) => [key, masked(value)]))

function masked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(masked)
  if (isObject(value)) return maskDeep(value)
  return typeof value === 'string' || typeof value === 'number' ? mask(String(value)) : value
}

/** What to store when somebody writes back what they read: a value that is the stored one's mask keeps the stored one. */
export const unmaskDeep = (sent: Json, stored: Json): Json =>
  Object.fromEntries(
    Object.entries(sent).map(([key, value]) => [
      key,
      Object.hasOwn(stored, key) ? unmasked(value, stored[key]) : value,
    ]),
  )

function unmasked(sent: unknown, stored: unknown): unknown {
  if (Array.isArray(sent) && Array.isArray(stored)) return sent.map((it, at) => unmasked(it, stored[at]))
  if (isObject(sent) && isObject(stored)) return unmaskDeep(sent, stored)
  return sent === masked(stored) ? stored : sent
}
