// The groups whose vectors are nearest: every vector that may be found is looked at, the best are weighed exactly.
import { createDots, DOTS, type Dots } from './dots.ts'
import type { LiveSegment } from './live-segment.ts'
import { type Filter, maskOf } from './mask.ts'
import { keyOf } from './segment.ts'
import { storedText } from './stored-text.ts'
import { type Found, TopGroups } from './top-groups.ts'
import type { VectorFile } from './vector-file.ts'
import { NO_SLOT, type VectorImage } from './vector-rows.ts'

export interface VectorQuery {
  vector: Float32Array
  filter: Filter
  offset: number
  limit: number
}

export interface VectorHit {
  key: string
  /** The dot product with the query. */
  score: number
  stored: string
}

/** Groups that are weighed exactly, and at least twice as many as are wanted. */
const RESCORED = 50
/** Entries of a group this close to its best by int8 are weighed too. Largest error seen: .002 at 384, .005 at 40. */
const MARGIN = 0.02

export interface VectorSource {
  image: VectorImage
  file: Pick<VectorFile, 'read'>
  /** Threads that search at the same time have different numbers, from 0. */
  scanner: number
}

export class VectorSearch {
  readonly #dots: Dots
  readonly #file: Pick<VectorFile, 'read'>

  constructor({ image, file, scanner }: VectorSource) {
    this.#dots = createDots(image, scanner)
    this.#file = file
  }

  search(segments: readonly LiveSegment[], { vector, filter, offset, limit }: VectorQuery): VectorHit[] {
    if (limit === 0) return []
    const top = new TopGroups(Math.max(RESCORED, 2 * (offset + limit)))
    this.#dots.setQuery(vector)
    const slotsOf = new Map(segments.map((it) => [it.segment, it.slots]))
    for (const live of segments) {
      if (live.slots === undefined) continue
      top.startSegment(live.segment)
      this.#scan(maskOf(live, filter), live.slots, top)
    }
    return top
      .finish()
      .map((found) => this.#weigh(found, slotsOf.get(found.segment)!, vector))
      .sort((a, b) => b.score - a.score || (a.key < b.key ? -1 : 1))
      .slice(offset, offset + limit)
      .map(({ key, score, found }) => ({ key, score, stored: storedText(found.segment.stored, found.entry) }))
  }

  #scan(mask: Uint32Array, slots: Uint32Array, top: TopGroups): void {
    const entries = new Uint32Array(DOTS)
    const wanted = this.#dots.slots
    let count = 0
    for (let word = 0; word < mask.length; word++) {
      for (let bits = mask[word]!; bits !== 0; bits &= bits - 1) {
        const entry = (word << 5) + 31 - Math.clz32(bits & -bits)
        const slot = slots[entry]!
        if (slot === NO_SLOT) continue
        wanted[count] = slot
        entries[count++] = entry
        if (count < DOTS) continue
        this.#offer(entries, count, top)
        count = 0
      }
    }
    this.#offer(entries, count, top)
  }

  #offer(entries: Uint32Array, count: number, top: TopGroups): void {
    this.#dots.run(count)
    const { out } = this.#dots
    for (let at = 0; at < count; at++) if (out[at]! >= top.threshold) top.offer(entries[at]!, out[at]!)
  }

  /** The exact score of the group's best entry. */
  #weigh(found: Found, slots: Uint32Array, vector: Float32Array): { key: string; score: number; found: Found } {
    const { segment, group } = found
    const best = { key: keyOf(segment, group), score: -Infinity, found }
    for (const { entry, about } of this.#approximate(segment.groupStarts, group, slots)) {
      if (about < found.score - MARGIN) continue
      const score = dot(vector, this.#file.read(slots[entry]!))
      if (score <= best.score) continue
      best.score = score
      best.found = { ...found, entry }
    }
    return best
  }

  #approximate(starts: Uint32Array, group: number, slots: Uint32Array): { entry: number; about: number }[] {
    const found: { entry: number; about: number }[] = []
    const until = starts[group + 1]!
    for (let from = starts[group]!; from < until; from += DOTS) {
      const entries: number[] = []
      for (let entry = from; entry < Math.min(from + DOTS, until); entry++) {
        if (slots[entry] !== NO_SLOT) this.#dots.slots[entries.push(entry) - 1] = slots[entry]!
      }
      this.#dots.run(entries.length)
      for (const [at, entry] of entries.entries()) found.push({ entry, about: this.#dots.out[at]! })
    }
    return found
  }
}

export function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0
  for (let at = 0; at < one.length; at++) sum += one[at]! * other[at]!
  return sum
}
