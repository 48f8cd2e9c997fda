// The format of keys: `pharos_<10: key id>_<43: 256 random bits>_<6: checksum>` in base62. A double click selects a
// key, secret scanners find it, and a typing error is detected without a lookup. Personal access tokens start with
// `pharos_pat_`, call tokens with `pharos_call_`,
// tokens of a directory with `pharos_scim_`.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** The prefix of tokens in the existing server; some of its clients reject any other. */
const PAT_ALIAS = 'onyx_pat_'

export const KEY_PATTERN = /^(pharos_(?:pat_|call_|scim_)?)([0-9A-Za-z]{10})_([0-9A-Za-z]{43})_([0-9A-Za-z]{6})$/

const PREFIXES = { api_key: 'pharos_', pat: 'pharos_pat_', call_token: 'pharos_call_', scim: 'pharos_scim_' } as const
export type KeyKind = keyof typeof PREFIXES

export interface ParsedKey {
  kind: KeyKind
  kid: string
  secret: string
}

export interface GeneratedKey extends ParsedKey {
  key: string
  /** The part that may be shown later. */
  display: string
}

export function generateKey(kind: KeyKind): GeneratedKey {
  const kid = base62(randomBytes(10), 10)
  const secret = base62(randomBytes(32), 43)
  const body = `${PREFIXES[kind]}${kid}_${secret}`
  const key = `${body}_${checksum(body)}`
  return { kind, kid, secret, key, display: `${PREFIXES[kind]}${kid}_********${key.slice(-4)}` }
}

/** Undefined if the text is not a valid key; does not access the database. */
export function parseKey(text: string): ParsedKey | undefined {
  const canonical = text.startsWith(PAT_ALIAS) ? PREFIXES.pat + text.slice(PAT_ALIAS.length) : text
  const [, prefix, kid, secret, sum] = KEY_PATTERN.exec(canonical) ?? []
  if (kid === undefined || secret === undefined) return undefined
  if (sum !== checksum(`${prefix}${kid}_${secret}`)) return undefined
  return { kind: keyKindOf(prefix), kid, secret }
}

function keyKindOf(prefix: string | undefined): KeyKind {
  if (prefix === PREFIXES.pat) return 'pat'
  if (prefix === PREFIXES.scim) return 'scim'
  return prefix === PREFIXES.call_token ? 'call_token' : 'api_key'
}

/** 256 random bits cannot be guessed, so a fast hash is sufficient (OWASP ASVS 5.0, 6.5.2). */
export const hashSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex')

export const matchesSecret = (secret: string, hash: string): boolean =>
  timingSafeEqual(Buffer.from(hash), Buffer.from(hashSecret(secret)))

const checksum = (body: string) => base62(uint32Bytes(crc32(body)), 6)

function uint32Bytes(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** The bytes as a base62 number with a fixed width. */
function base62(bytes: Buffer, width: number): string {
  let value = BigInt(`0x${bytes.toString('hex')}`)
  let text = ''
  while (text.length < width) {
    text = DIGITS[Number(value % 62n)] + text
    value /= 62n
  }
  return text
}
