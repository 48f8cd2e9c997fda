// What a key looks like: `pharos_<10: which key>_<43: 256 random bits>_<6: checksum>`, all base62, so that a double
// click selects it, a scanner of secrets finds it, and a typing error costs no look-up. A token starts `pharos_pat_`.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'

export const KEY_PATTERN = /^(pharos_(?:pat_)?)([0-9A-Za-z]{10})_([0-9A-Za-z]{43})_([0-9A-Za-z]{6})$/

const PREFIXES = { api_key: 'pharos_', pat: 'pharos_pat_' } as const
export type KeyKind = keyof typeof PREFIXES

export interface ParsedKey {
  kind: KeyKind
  kid: string
  secret: string
}

export interface NewKey extends ParsedKey {
  key: string
  /** What may be shown of it later. */
  display: string
}

export function newKey(kind: KeyKind): NewKey {
  const kid = base62(randomBytes(10), 10)
  const secret = base62(randomBytes(32), 43)
  const body = `${PREFIXES[kind]}${kid}_${secret}`
  const key = `${body}_${checksum(body)}`
  return { kind, kid, secret, key, display: `${PREFIXES[kind]}${kid}_********${key.slice(-4)}` }
}

/** Undefined for whatever is no key of this program; asks no database. */
export function parseKey(text: string): ParsedKey | undefined {
  const [, prefix, kid, secret, sum] = KEY_PATTERN.exec(text) ?? []
  if (kid === undefined || secret === undefined) return undefined
  if (sum !== checksum(`${prefix}${kid}_${secret}`)) return undefined
  return { kind: prefix === PREFIXES.pat ? 'pat' : 'api_key', kid, secret }
}

/** 256 random bits cannot be guessed, so a plain hash protects them (OWASP ASVS 5.0, 6.5.2). */
export const hashSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex')

export const isSecret = (secret: string, hash: string): boolean =>
  timingSafeEqual(Buffer.from(hash), Buffer.from(hashSecret(secret)))

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
