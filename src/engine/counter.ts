// How many groups match? Exact up to a limit; after that the search may leave out what cannot be among the best.
import type { Segment } from './segment.ts'

export class GroupCounter {
  readonly #limit: number
  #starts!: Uint32Array
  #group = -1
  count = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  get isDone(): boolean {
    return this.count > this.#limit
  }

  startSegment(segment: Segment): void {
    this.#starts = segment.groupStarts
    this.#group = -1
  }

  /** Entries come in ascending order. */
  add(entry: number): void {
    const starts = this.#starts
    if (this.#group >= 0 && entry < starts[this.#group + 1]!) return
    this.#group++
    while (starts[this.#group + 1]! <= entry) this.#group++
    this.count++
  }

  total(): { total: number; isExact: boolean } {
    return { total: Math.min(this.count, this.#limit), isExact: !this.isDone }
  }
}
