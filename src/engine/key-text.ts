// Strings as bytes and back, without loss: UTF-8, or UTF-16 where a string holds half a character.

const HALVES = 0xff

/** UTF-8 never has the byte 0xff, so it can mark the other form. */
export function bytesOfText(text: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text, 'utf8')
  return Buffer.concat([Buffer.of(HALVES), Buffer.from(text, 'utf16le')])
}

/** `bytes` must be a Buffer because a TextDecoder refuses shared memory. */
export const textOfBytes = (bytes: Buffer): string =>
  bytes[0] === HALVES ? bytes.toString('utf16le', 1) : bytes.toString('utf8')

export function compareBytes(one: Uint8Array, other: Uint8Array): number {
  const length = Math.min(one.length, other.length)
  for (let at = 0; at < length; at++) {
    const difference = one[at]! - other[at]!
    if (difference !== 0) return difference
  }
  return one.length - other.length
}

/**
 * By their bytes. Strings sort by UTF-16 units, which is the order of their UTF-8 bytes unless there are surrogates:
 * those belong after U+FFFF.
 */
export function inByteOrder(names: Iterable<string>): string[] {
  const sorted = [...names].sort()
  if (!sorted.some((name) => /[\ud800-\udfff]/.test(name))) return sorted
  const bytes = new Map(sorted.map((name) => [name, bytesOfText(name)]))
  return sorted.sort((a, b) => Buffer.compare(bytes.get(a)!, bytes.get(b)!))
}

export const bytesInOrder = (names: Iterable<string>): Buffer[] => inByteOrder(names).map(bytesOfText)

/** FNV-1a. */
export function hashOf(bytes: Uint8Array): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < bytes.length; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193)
  return hash >>> 0
}
