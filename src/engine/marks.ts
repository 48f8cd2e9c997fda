// A mark stands for what a vector is made of: equal marks, equal text. Entries and rows carry it, as two words.
import { NO_SLOT } from './vector-rows.ts'

/** 16 hexadecimal digits. No mark is two zeros. */
export const wordsOfMark = (mark: string | undefined): [high: number, low: number] =>
  mark === undefined ? [0, 0] : [Number.parseInt(mark.slice(0, 8), 16), Number.parseInt(mark.slice(8, 16), 16)]

export const markOfWords = (high: number, low: number): string =>
  high.toString(16).padStart(8, '0') + low.toString(16).padStart(8, '0')

const TAKEN = 0xfffffffe

/** Rows by their marks. A Map would need 100 MB for a million. */
export class MarkTable {
  readonly #high: Uint32Array
  readonly #low: Uint32Array
  readonly #slots: Uint32Array
  readonly #mask: number
  size = 0

  constructor(capacity: number) {
    const places = 2 ** Math.ceil(Math.log2(capacity * 2 + 2))
    this.#mask = places - 1
    this.#high = new Uint32Array(places)
    this.#low = new Uint32Array(places)
    this.#slots = new Uint32Array(places).fill(NO_SLOT)
  }

  add(high: number, low: number, slot: number): void {
    let at = low & this.#mask
    while (this.#slots[at] !== NO_SLOT) at = (at + 1) & this.#mask
    this.#high[at] = high
    this.#low[at] = low
    this.#slots[at] = slot
    this.size++
  }

  /** A row of the mark that was not taken yet, or NO_SLOT. */
  take(high: number, low: number): number {
    for (let at = low & this.#mask; this.#slots[at] !== NO_SLOT; at = (at + 1) & this.#mask) {
      if (this.#low[at] !== low || this.#high[at] !== high || this.#slots[at] === TAKEN) continue
      const slot = this.#slots[at]!
      this.#slots[at] = TAKEN
      this.size--
      return slot
    }
    return NO_SLOT
  }

  /** What nobody took. */
  rest(): number[] {
    const slots: number[] = []
    for (const slot of this.#slots) if (slot !== NO_SLOT && slot !== TAKEN) slots.push(slot)
    return slots
  }
}
