// The groups whose vectors are nearest: every vector that may be found is looked at, the best are weighed exactly.
import { hasBit } from './bits.ts'
import type { Conditions } from './conditions.ts'
import { createDots, DOTS, type Dots } from './dots.ts'
import { type EngineHit, hitOf } from './hit.ts'
import type { LiveSegment } from './live-segment.ts'
import { type Filter, maskOf } from './mask.ts'
import type { Among } from './matches.ts'
import { groupWith } from './placements.ts'
import { keyOf } from './segment.ts'
import { select } from './selection.ts'
import { type Found, TopGroups } from './top-groups.ts'
import type { FloatReader } from './vector-files.ts'
import { NO_SLOT, type VectorImage } from './vector-rows.ts'

export interface VectorQuery {
  vector: Float32Array
  filter: Filter
  conditions: Conditions
  offset: number
  limit: number
  /** So many of the hits, from the first, come with what is stored of them. */
  texts: number
}

/** Groups that are weighed exactly, beside those that are wanted: each is a read of the disk. */
const RESCORED = 50
const weighedFor = (wanted: number): number => Math.max(RESCORED, Math.min(2 * wanted, wanted + RESCORED))

/** Entries of a group this close to its best by int8 are weighed too. Largest error seen: .002 at 384, .005 at 40. */
const MARGIN = 0.02

export interface VectorSource {
  image: VectorImage
  floats: FloatReader
  /** Threads that search at the same time have different numbers, from 0. */
  scanner: number
}

/** One search at a time. */
export class VectorSearch {
  readonly #dots: Dots
  readonly #floats: FloatReader
  #damaged: number[] = []

  constructor({ image, floats, scanner }: VectorSource) {
    this.#dots = createDots(image, scanner)
    this.#floats = floats
  }

  /** Rows whose floats were found damaged since the last call; the int8 values stood in for them. */
  takeDamaged(): number[] {
    return this.#damaged.splice(0)
  }

  search(segments: readonly LiveSegment[], query: VectorQuery): EngineHit[] {
    const { vector, filter, conditions, offset, limit, texts } = query
    if (limit === 0) return []
    this.#dots.setQuery(vector)
    const lives = new Map(segments.map((live) => [live.segment, live]))
    const asked = { filter, others: [], conditions }
    const { selections } = select(segments, asked, (among, size) => this.#nearest(among, size))
    const entries = new Map(selections.map((it) => [it.live.segment, it.entries]))
    return this.#nearest(selections, weighedFor(offset + limit))
      .map(({ segment, group }) => this.#weigh(lives.get(segment)!, group, vector, entries.get(segment)!))
      .filter((it) => it !== undefined)
      .sort((a, b) => b.score - a.score || (a.key < b.key ? -1 : 1))
      .slice(offset, offset + limit)
      .map((it, at) => hitOf(it, at < texts))
  }

  /** The scores that `search` would give these groups. Those without a vector, and those left out, have none. */
  scoresOf(
    segments: readonly LiveSegment[],
    { vector, filter, keys }: Pick<VectorQuery, 'vector' | 'filter'> & { keys: readonly string[] },
  ): Map<string, number> {
    const scores = new Map<string, number>()
    this.#dots.setQuery(vector)
    for (const key of new Set(keys)) {
      const found = groupWith(segments, key)
      if (found === undefined || found.live.vectors === 0) continue
      const { live, group } = found
      const mask = maskOf(live, filter)
      if (!hasBit(mask, live.segment.groupStarts[group]!)) continue
      const weighed = this.#weigh(live, group, vector, mask)
      if (weighed !== undefined) scores.set(key, weighed.score)
    }
    return scores
  }

  #nearest(among: readonly Among[], size: number): Found[] {
    const top = new TopGroups(size)
    for (const { live, entries } of among) {
      if (live.vectors === 0) continue
      top.startSegment(live.segment)
      this.#scan(entries, live.slots!, top)
    }
    return top.finish()
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

  /** The exact score of the group's best entry among these; of equals, the first. */
  #weigh(live: LiveSegment, group: number, vector: Float32Array, among: Uint32Array) {
    const approximate = this.#approximate(live, group, among)
    if (approximate.length === 0) return undefined
    const least = approximate.reduce((most, it) => Math.max(most, it.about), -Infinity) - MARGIN
    const { segment } = live
    const best = { key: keyOf(segment, group), score: -Infinity, segment, group, entry: -1 }
    for (const { entry, about } of approximate) {
      const score = about < least ? -Infinity : (this.#exact(live, entry, vector) ?? about)
      if (score <= best.score) continue
      best.score = score
      best.entry = entry
    }
    return best
  }

  #exact({ slots, segment }: LiveSegment, entry: number, vector: Float32Array): number | undefined {
    const slot = slots![entry]!
    const floats = this.#floats.read(slot, segment.marks[entry * 2]!, segment.marks[entry * 2 + 1]!)
    if (floats !== undefined) return dot(vector, floats)
    this.#damaged.push(slot)
    return undefined
  }

  #approximate({ slots, segment }: LiveSegment, group: number, among: Uint32Array): { entry: number; about: number }[] {
    const found: { entry: number; about: number }[] = []
    const until = segment.groupStarts[group + 1]!
    for (let from = segment.groupStarts[group]!; from < until; from += DOTS) {
      const entries: number[] = []
      for (let entry = from; entry < Math.min(from + DOTS, until); entry++) {
        if (slots![entry] !== NO_SLOT && hasBit(among, entry))
          this.#dots.slots[entries.push(entry) - 1] = slots![entry]!
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
