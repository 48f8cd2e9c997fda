import { NO_SLOT } from '../segment/live-segment.ts'

const TAKEN = 0xfffffffe

/** Maps content hashes to vector slots. A Map would need 100 MB for a million entries. */
export class ContentHashTable {
  readonly #high: Uint32Array
  readonly #low: Uint32Array
  readonly #slots: Uint32Array
  readonly #mask: number
  size = 0

  constructor(capacity: number) {
    const capacityWithGaps = 2 ** Math.ceil(Math.log2(capacity * 2 + 2))
    this.#mask = capacityWithGaps - 1
    this.#high = new Uint32Array(capacityWithGaps)
    this.#low = new Uint32Array(capacityWithGaps)
    this.#slots = new Uint32Array(capacityWithGaps).fill(NO_SLOT)
  }

  add(high: number, low: number, slot: number): void {
    let at = low & this.#mask
    while (this.#slots[at] !== NO_SLOT) at = (at + 1) & this.#mask
    this.#high[at] = high
    this.#low[at] = low
    this.#slots[at] = slot
    this.size++
  }

  /** Returns a slot of the hash that was not taken yet, or NO_SLOT. */
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

  /** The slots that were not taken. */
  remaining(): number[] {
    const slots: number[] = []
    for (const slot of this.#slots) if (slot !== NO_SLOT && slot !== TAKEN) slots.push(slot)
    return slots
  }
}
