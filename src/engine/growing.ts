// Arrays that grow while something is written to them.
import { bytesOfText } from './key-text.ts'

export class GrowingBytes {
  bytes = Buffer.allocUnsafe(1024)
  length = 0

  reserve(count: number): void {
    if (this.length + count <= this.bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.bytes.length * 2, this.length + count))
    larger.set(this.bytes.subarray(0, this.length))
    this.bytes = larger
  }

  varint(value: number): void {
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

  /** What the other holds from `start` on; for short pieces, byte by byte. */
  appendFrom(other: GrowingBytes, start: number): void {
    this.reserve(other.length - start)
    for (let at = start; at < other.length; at++) this.bytes[this.length++] = other.bytes[at]!
  }

  /** As `bytesOfText` gives it. Makes no object for plain words, of which a segment takes many thousands. */
  appendText(text: string): void {
    this.reserve(text.length)
    const start = this.length
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at)
      if (unit > 127) {
        this.length = start
        this.append(bytesOfText(text))
        return
      }
      this.bytes[this.length++] = unit
    }
  }

  view(): Buffer {
    return this.bytes.subarray(0, this.length)
  }
}

export class GrowingWords {
  words = new Uint32Array(256)
  length = 0

  reserve(count: number): void {
    if (this.length + count <= this.words.length) return
    const larger = new Uint32Array(Math.max(this.words.length * 2, this.length + count))
    larger.set(this.words.subarray(0, this.length))
    this.words = larger
  }

  push(value: number): void {
    if (this.length === this.words.length) this.reserve(1)
    this.words[this.length++] = value
  }

  view(): Uint32Array {
    return this.words.subarray(0, this.length)
  }
}

/** Reads what `GrowingBytes.varint` wrote. */
export class ByteReader {
  bytes: Uint8Array
  at: number

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes
    this.at = at
  }

  varint(): number {
    const { bytes } = this
    let byte = bytes[this.at++]!
    if (byte < 128) return byte
    let value = byte & 127
    for (let shift = 7; ; shift += 7) {
      byte = bytes[this.at++]!
      value |= (byte & 127) << shift
      if (byte < 128) return value >>> 0
    }
  }

  take(count: number): Uint8Array {
    this.at += count
    return this.bytes.subarray(this.at - count, this.at)
  }
}
