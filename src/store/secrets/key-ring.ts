// The keys of secrets: the newest one seals, all of them open.
import { createHash, hkdfSync } from 'node:crypto'

/** Where a key comes from, which decides who can remove it. */
export type KeyOrigin = 'SECRET_KEY' | 'SECRET_KEY_PREVIOUS' | 'file'

export interface SecretKey {
  /** Derived from the key, so equal keys have equal ids everywhere. */
  kid: string
  key: Buffer
  origin: KeyOrigin
}

export interface KeyRing {
  newest(): SecretKey
  find(kid: string): SecretKey | undefined
  /** Lists the oldest first. */
  list(): readonly SecretKey[]
  /** Makes this key the sealing one. */
  add(key: SecretKey): void
  remove(kid: string): void
}

/** Accepts a text of any length; the caller refuses short ones. */
export function deriveSecretKey(text: string, origin: KeyOrigin): SecretKey {
  const key = Buffer.from(hkdfSync('sha256', text, '', 'pharos secret box', 32))
  return { kid: createHash('sha256').update(key).digest('base64url').slice(0, 8), key, origin }
}

/** `older` lists the oldest key first. */
export function createKeyRing(older: readonly SecretKey[], first: SecretKey): KeyRing {
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
