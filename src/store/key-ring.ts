// The keys that secrets are sealed with: the newest seals, every one opens.
import { createHash, hkdfSync } from 'node:crypto'

/** Where a key comes from, and so who can take it away. */
export type KeyOrigin = 'SECRET_KEY' | 'SECRET_KEY_PREVIOUS' | 'file'

export interface SecretKey {
  /** Follows from the key: the same text is the same key everywhere. */
  kid: string
  key: Buffer
  origin: KeyOrigin
}

export interface KeyRing {
  newest(): SecretKey
  find(kid: string): SecretKey | undefined
  /** The oldest first. */
  list(): readonly SecretKey[]
  /** From now on it seals. */
  add(key: SecretKey): void
  remove(kid: string): void
}

/** Of a text of any length; short ones are refused before. */
export function secretKeyOf(text: string, origin: KeyOrigin): SecretKey {
  const key = Buffer.from(hkdfSync('sha256', text, '', 'pharos secret box', 32))
  return { kid: createHash('sha256').update(key).digest('base64url').slice(0, 8), key, origin }
}

/** `older`: the oldest first. */
export function keyRing(older: readonly SecretKey[], first: SecretKey): KeyRing {
  const byKid = new Map<string, SecretKey>()
  let newest = first
  const add = (key: SecretKey) => {
    byKid.delete(key.kid)
    byKid.set(key.kid, key)
    newest = key
  }
  for (const it of [...older, first]) add(it)
  return {
    newest: () => newest,
    find: (kid) => byKid.get(kid),
    list: () => [...byKid.values()],
    add,
    remove: (kid) => void byKid.delete(kid),
  }
}
