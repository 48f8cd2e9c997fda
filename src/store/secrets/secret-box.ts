// Encrypts secrets at rest with AES-256-GCM, bound to their location, so that rows cannot be swapped.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { Database, Queryable } from '../database/database.ts'
import type { KeyRing } from './key-ring.ts'
import type { SecretLocation } from './sealed-columns.ts'

export interface SecretBox {
  /** Seals with the newest key. The same location is needed to open it. */
  seal(plain: string, place: SecretLocation): string
  /** Throws when the text was altered, belongs elsewhere, or was sealed with an unknown key. */
  open(sealed: string, place: SecretLocation): string
}

/** For functions that write rows with secrets. */
export interface DatabaseWithSecrets {
  db: Database
  secrets: SecretBox
}

/** For functions that only read secrets, or run inside a transaction of their caller. */
export interface QueryableWithSecrets {
  db: Queryable
  secrets: SecretBox
}

const NONCE_BYTES = 12
const TAG_BYTES = 16
const VERSION = 'v1'

/** `v1.<kid>.<nonce>.<ciphertext and tag>`, the last two in base64url. */
export function createSecretBox(ring: Pick<KeyRing, 'newest' | 'find'>): SecretBox {
  return {
    seal(plain, place) {
      const { kid, key } = ring.newest()
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(place))
      const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return [VERSION, kid, nonce.toString('base64url'), sealed.toString('base64url')].join('.')
    },
    open(sealed, place) {
      const [version, kid = '', nonce = '', body = ''] = sealed.split('.')
      if (version !== VERSION) throw new Error(`the secret at ${place} has an unknown format`)
      const key = ring.find(kid)?.key
      if (key === undefined) throw new Error(`the secret at ${place} was sealed with another SECRET_KEY`)
      const bytes = Buffer.from(body, 'base64url')
      const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(nonce, 'base64url'), {
        authTagLength: TAG_BYTES,
      })
      decipher.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(-TAG_BYTES))
      return decipher.update(bytes.subarray(0, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
    },
  }
}
