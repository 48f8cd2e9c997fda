// Converts strings to bytes and back without loss: UTF-8, or UTF-16 for strings with a lone surrogate.

const UTF16_MARKER = 0xff

/** UTF-8 never contains the byte 0xff, so it can mark the other encoding. */
export function encodeText(text: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text, 'utf8')
  return Buffer.concat([Buffer.of(UTF16_MARKER), Buffer.from(text, 'utf16le')])
}

/** Takes a Buffer because TextDecoder rejects shared memory. */
export const decodeText = (bytes: Buffer): string =>
  bytes[0] === UTF16_MARKER ? bytes.toString('utf16le', 1) : bytes.toString('utf8')

export function compareBytes(one: Uint8Array, other: Uint8Array): number {
  const length = Math.min(one.length, other.length)
  for (let at = 0; at < length; at++) {
    const difference = one[at]! - other[at]!
    if (difference !== 0) return difference
  }
  return one.length - other.length
}

/**
 * Sorts strings by their bytes. The default order, by UTF-16 units, equals the order of the UTF-8 bytes unless there
 * are surrogates, which belong after U+FFFF.
 */
export function sortByBytes(names: Iterable<string>): string[] {
  const sorted = [...names].sort()
  if (!sorted.some((name) => /[\ud800-\udfff]/.test(name))) return sorted
  const encoded = sorted.map((name) => ({ name, bytes: encodeText(name) }))
  return encoded.sort((a, b) => Buffer.compare(a.bytes, b.bytes)).map((it) => it.name)
}

export const encodeSorted = (names: Iterable<string>): Buffer[] => sortByBytes(names).map(encodeText)

/** The hash is FNV-1a. */
export function fnv1aHash(bytes: Uint8Array): number {
  let hash = 0x811c9dc5
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193)
  return hash >>> 0
}
