// Replaces the values of a credential in a text.

/** Shorter values would hide common words. */
const MIN_LENGTH = 4
const MASK = '•••'

/** Also hides the values as they stand in URLs and in base64. */
export function hideSecrets(credential_json: Record<string, unknown>): (text: string) => string {
  const values = textsIn(credential_json).filter((it) => it.length >= MIN_LENGTH)
  const secrets = [...new Set(values.flatMap((it) => [it, encodeURIComponent(it.toWellFormed()), toBase64(it)]))]
  // A secret may contain another one.
  const longestFirst = secrets.toSorted((a, b) => b.length - a.length)
  return (text) => longestFirst.reduce((hidden, secret) => hidden.replaceAll(secret, MASK), text)
}

const toBase64 = (text: string) => Buffer.from(text).toString('base64')

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}
