// What a key looks like: `pharos_<10: which key>_<43: 256 random bits>_<6: checksum>`, all base62, so that a double
// click selects it, a scanner of secrets finds it, and a typing error costs no look-up.
import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

export const KEY_PATTERN = /^pharos_([0-9A-Za-z]{10})_([0-9A-Za-z]{43})_([0-9A-Za-z]{6})$/

export interface ParsedKey {
  kid: string
  secret: string
}

export function newKey(): ParsedKey & { key: string } {
  const kid = base62(randomBytes(10), 10)
  const secret = base62(randomBytes(32), 43)
  const body = `pharos_${kid}_${secret}`
  return { kid, secret, key: `${body}_${checksum(body)}` }
}

/** Undefined for whatever is no key of this program; asks no database. */
export function parseKey(text: string): ParsedKey | undefined {
  const [, kid, secret, sum] = KEY_PATTERN.exec(text) ?? []
  if (kid === undefined || secret === undefined) return undefined
  return sum === checksum(`pharos_${kid}_${secret}`) ? { kid, secret } : undefined
}

/** 256 random bits cannot be guessed, so a plain hash protects them (OWASP ASVS 5.0, 6.5.2). */
export const hashSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex')

const checksum = (body: string) => base62(toBytes(crc32(body)), 6)

function toBytes(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** The number in these bytes, to the base 62, cut or filled to the width from the right. */
function base62(bytes: Buffer, width: number): string {
  let value = BigInt(`0x${bytes.toString('hex')}`)
  let text = ''
  while (text.length < width) {
    text = DIGITS[Number(value % 62n)] + text
    value /= 62n
  }
  return text
}
