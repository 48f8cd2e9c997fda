// Counts matching groups, exactly up to a limit. Above the limit the search may skip what cannot reach the top k.
import type { Segment } from '../segment/segment.ts'

export class GroupCounter {
  readonly #limit: number
  #starts!: Uint32Array
  #group = -1
  count = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  get isOverLimit(): boolean {
    return this.count > this.#limit
  }

  startSegment(segment: Segment): void {
    this.#starts = segment.groupStarts
    this.#group = -1
  }

  /** Passages come in ascending order. */
  add(passage: number): void {
    const starts = this.#starts
    if (this.#group >= 0 && passage < starts[this.#group + 1]!) return
    this.#group++
    while (starts[this.#group + 1]! <= passage) this.#group++
    this.count++
  }

  total(): { total: number; isExact: boolean } {
    return { total: Math.min(this.count, this.#limit), isExact: !this.isOverLimit }
  }
}
