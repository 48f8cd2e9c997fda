// Secrets at rest: AES-256-GCM, bound to the place they belong to, so that no row can borrow another's.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { KeyRing } from './key-ring.ts'
import type { Place } from './sealed-columns.ts'

export interface SecretBox {
  /** With the newest key of the ring; the same place must be given to open it again. */
  seal(plain: string, place: Place): string
  /** Throws when the text was changed, belongs elsewhere, or was sealed with a key that is not in the ring. */
  open(sealed: string, place: Place): string
}

const NONCE_BYTES = 12
const TAG_BYTES = 16
const VERSION = 'v1'

/** `v1.<kid>.<nonce>.<ciphertext and tag>`, the last two as base64url. */
export function secretBox(ring: Pick<KeyRing, 'newest' | 'find'>): SecretBox {
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
