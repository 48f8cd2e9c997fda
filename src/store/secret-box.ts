// Secrets at rest: AES-256-GCM, bound to the place they belong to, so that no row can borrow another's.
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'

export interface SecretBox {
  /** `place` names table, row and column; the same place must be given to open it again. */
  seal(plain: string, place: string): string
  /** Throws when the text was changed, belongs elsewhere, or was sealed with another key. */
  open(sealed: string, place: string): string
}

const NONCE_BYTES = 12
const TAG_BYTES = 16
const VERSION = 'v1'

export function secretBox(secretKey: string): SecretBox {
  const key = Buffer.from(hkdfSync('sha256', secretKey, '', 'pharos secret box', 32))
  const keyId = createHash('sha256').update(key).digest('base64url').slice(0, 8)
  return {
    seal(plain, place) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(place))
      const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return [VERSION, keyId, nonce.toString('base64url'), sealed.toString('base64url')].join('.')
    },
    open(sealed, place) {
      const [version, id, nonce = '', body = ''] = sealed.split('.')
      if (version !== VERSION) throw new Error(`a secret at ${place} has the unknown format ${version}`)
      if (id !== keyId) throw new Error(`a secret at ${place} was sealed with another SECRET_KEY`)
      const bytes = Buffer.from(body, 'base64url')
      const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(nonce, 'base64url'), {
        authTagLength: TAG_BYTES,
      })
      decipher.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(-TAG_BYTES))
      return decipher.update(bytes.subarray(0, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
    },
  }
}
