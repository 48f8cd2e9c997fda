// Which terms does a group hold? Read when it is deleted, so that no statistic counts it any longer.
import { GrowingBytes, type GrowingWords } from './growing.ts'

const PIECE_BYTES = 1 << 16

export class ForwardWriter {
  readonly #starts: GrowingWords
  readonly #write: (bytes: Uint8Array) => void
  readonly #piece = new GrowingBytes()
  #written = 0

  constructor(starts: GrowingWords, write: (bytes: Uint8Array) => void) {
    this.#starts = starts
    this.#write = write
  }

  startGroup(): void {
    this.#starts.push(this.#written + this.#piece.length)
    if (this.#piece.length > PIECE_BYTES) this.#flush()
  }

  /** Ordinals in ascending order. */
  addEntry(terms: Uint32Array): void {
    this.#piece.varint(terms.length)
    let before = -1
    for (let at = 0; at < terms.length; at++) {
      this.#piece.varint(terms[at]! - before - 1)
      before = terms[at]!
    }
  }

  finish(): void {
    this.#flush()
    this.#starts.push(this.#written)
  }

  #flush(): void {
    this.#written += this.#piece.length
    // A copy, because the taker may keep the bytes and the piece is used again.
    this.#write(Buffer.from(this.#piece.view()))
    this.#piece.length = 0
  }
}
