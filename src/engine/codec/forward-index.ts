// The forward index lists the terms of each group. It is read when a group is deleted, to take the group out of the
// statistics.
import { GrowableBytes, type GrowableUint32s } from './growable-buffer.ts'

const CHUNK_BYTES = 1 << 16

export class ForwardIndexWriter {
  readonly #starts: GrowableUint32s
  readonly #write: (bytes: Uint8Array) => void
  readonly #buffer = new GrowableBytes()
  #flushedBytes = 0

  constructor(starts: GrowableUint32s, write: (bytes: Uint8Array) => void) {
    this.#starts = starts
    this.#write = write
  }

  startGroup(): void {
    this.#starts.push(this.#flushedBytes + this.#buffer.length)
    if (this.#buffer.length > CHUNK_BYTES) this.#flush()
  }

  /** Takes ordinals in ascending order. */
  addPassage(terms: Uint32Array): void {
    this.#buffer.appendVarint(terms.length)
    let before = -1
    for (let at = 0; at < terms.length; at++) {
      const term = terms[at]!
      this.#buffer.appendVarint(term - before - 1)
      before = term
    }
  }

  finish(): void {
    this.#flush()
    this.#starts.push(this.#flushedBytes)
  }

  #flush(): void {
    this.#flushedBytes += this.#buffer.length
    // Passes a copy, because the receiver may keep the bytes and the buffer is reused.
    this.#write(Buffer.from(this.#buffer.view()))
    this.#buffer.length = 0
  }
}
