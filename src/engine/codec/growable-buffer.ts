// Buffers that grow as they are written to.
import { encodeText } from './text-encoding.ts'

export class GrowableBytes {
  bytes = Buffer.allocUnsafe(1024)
  length = 0

  reserve(count: number): void {
    if (this.length + count <= this.bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.bytes.length * 2, this.length + count))
    larger.set(this.bytes.subarray(0, this.length))
    this.bytes = larger
  }

  appendVarint(value: number): void {
    this.reserve(5)
    let rest = value
    while (rest > 127) {
      this.bytes[this.length++] = (rest & 127) | 128
      rest >>>= 7
    }
    this.bytes[this.length++] = rest
  }

  append(bytes: Uint8Array): void {
    this.reserve(bytes.length)
    this.bytes.set(bytes, this.length)
    this.length += bytes.length
  }

  /** Appends the bytes of `other` from `start` on. Copies byte by byte, which is faster for short strings. */
  appendFrom(other: GrowableBytes, start: number): void {
    this.reserve(other.length - start)
    for (let at = start; at < other.length; at++) this.bytes[this.length++] = other.bytes[at]!
  }

  /**
   * Appends what `encodeText` returns. Allocates nothing for ASCII text, of which a segment takes many thousand
   * strings.
   */
  appendText(text: string): void {
    this.reserve(text.length)
    const start = this.length
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at)
      if (unit > 127) {
        this.length = start
        this.append(encodeText(text))
        return
      }
      this.bytes[this.length++] = unit
    }
  }

  view(): Buffer {
    return this.bytes.subarray(0, this.length)
  }
}

export class GrowableUint32s {
  values = new Uint32Array(256)
  length = 0

  reserve(count: number): void {
    if (this.length + count <= this.values.length) return
    const larger = new Uint32Array(Math.max(this.values.length * 2, this.length + count))
    larger.set(this.values.subarray(0, this.length))
    this.values = larger
  }

  push(value: number): void {
    if (this.length === this.values.length) this.reserve(1)
    this.values[this.length++] = value
  }

  view(): Uint32Array {
    return this.values.subarray(0, this.length)
  }
}

/** Reads what `GrowableBytes.appendVarint` wrote. */
export class ByteReader {
  bytes: Uint8Array
  offset: number

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes
    this.offset = at
  }

  readVarint(): number {
    const { bytes } = this
    let byte = bytes[this.offset++]!
    if (byte < 128) return byte
    let value = byte & 127
    for (let shift = 7; ; shift += 7) {
      byte = bytes[this.offset++]!
      value |= (byte & 127) << shift
      if (byte < 128) return value >>> 0
    }
  }

  readBytes(count: number): Uint8Array {
    this.offset += count
    return this.bytes.subarray(this.offset - count, this.offset)
  }
}
