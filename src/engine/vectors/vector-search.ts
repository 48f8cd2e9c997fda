// Nearest-neighbour search: scans the int8 rows of all passages that may be found, then rescores the best groups with the
// original floats.
import { hasBit } from '../codec/bits.ts'
import type { Conditions } from '../query/conditions.ts'
import { type Filter, filterMask } from '../query/filter-mask.ts'
import { createEngineHit, type EngineHit } from '../query/hit.ts'
import { selectPassages } from '../query/selection.ts'
import { type ScoredGroup, TopGroupsCollector } from '../query/top-groups-collector.ts'
import type { PassageSet } from '../query/word-matches.ts'
import { findGroup } from '../segment/find-passage.ts'
import { type LiveSegment, NO_SLOT } from '../segment/live-segment.ts'
import { firstPassageOf, groupKey, hashHighOf, hashLowOf, passagesEndOf, type Segment } from '../segment/segment.ts'
import { createDotProducts, type DotProducts, MAX_BATCH } from './dot-products.ts'
import type { FloatReader } from './vector-files.ts'
import type { VectorImage } from './vector-rows.ts'

export interface VectorQuery {
  vector: Float32Array
  filter: Filter
  conditions: Conditions
  offset: number
  limit: number
  /** The number of leading hits that are returned with their stored text. */
  texts: number
}

/**
 * The number of groups that are rescored. Each costs a disk read. Lower ranks keep the score by the int8 values: an error
 * of .002 does not matter there.
 */
const RESCORED = 60

/**
 * Passages whose int8 score is this close to the best of their group are rescored too. Largest error seen: .002 at
 * dimension 384, .005 at 40.
 */
const MARGIN = 0.02

export interface VectorSource {
  image: VectorImage
  floats: FloatReader
  /** Threads that search at the same time have different numbers, counted from 0. */
  scanner: number
}

/** An instance runs one search at a time. */
export class VectorSearch {
  readonly #dotProducts: DotProducts
  readonly #floats: FloatReader
  #damagedSlots: number[] = []

  constructor({ image, floats, scanner }: VectorSource) {
    this.#dotProducts = createDotProducts(image, scanner)
    this.#floats = floats
  }

  /** The slots whose floats were found damaged since the last call; the int8 values were used instead. */
  takeDamaged(): number[] {
    return this.#damagedSlots.splice(0)
  }

  search(segments: readonly LiveSegment[], query: VectorQuery): EngineHit[] {
    const { vector, filter, conditions, offset, limit, texts } = query
    if (limit === 0) return []
    this.#dotProducts.setQuery(vector)
    const request = { filter, otherFilters: [], conditions }
    const { selections } = selectPassages(segments, request, (among, size) => this.#nearest(among, size))
    const bySegment = new Map(selections.map((it) => [it.live.segment, it]))
    const found = this.#nearest(selections, Math.max(RESCORED, offset + limit))
    const rescored = found.slice(0, RESCORED).flatMap(({ segment, group }) => {
      const selection = bySegment.get(segment)
      return (selection && this.#rescore(selection.live, group, vector, selection.passages)) ?? []
    })
    rescored.sort((a, b) => b.score - a.score || (a.key < b.key ? -1 : 1))
    // The others stay behind, so that a group has the same place on every page.
    return [...rescored, ...found.slice(RESCORED).map(withKey)]
      .slice(offset, offset + limit)
      .map((it, at) => createEngineHit(it, at < texts))
  }

  /**
   * Returns the scores of these groups by the int8 values. Groups without a vector and groups that do not pass the filter
   * have none.
   */
  scoreKeys(
    segments: readonly LiveSegment[],
    { vector, filter, keys }: Pick<VectorQuery, 'vector' | 'filter'> & { keys: readonly string[] },
  ): Map<string, number> {
    const scores = new Map<string, number>()
    const batch: string[] = []
    const { slots, out } = this.#dotProducts
    const finishBatch = () => {
      this.#dotProducts.run(batch.length)
      for (const [at, key] of batch.entries()) {
        scores.set(key, Math.max(out[at] ?? -Infinity, scores.get(key) ?? -Infinity))
      }
      batch.length = 0
    }
    const masks = new Map(segments.map((live) => [live, filterMask(live, filter).groups]))
    this.#dotProducts.setQuery(vector)
    for (const key of new Set(keys)) {
      const found = findGroup(segments, key)
      const mask = found && masks.get(found.live)
      if (found === undefined || mask === undefined || !hasBit(mask, found.group)) continue
      for (const slot of slotsOfGroup(found.live, found.group)) {
        slots[batch.push(key) - 1] = slot
        if (batch.length === MAX_BATCH) finishBatch()
      }
    }
    finishBatch()
    return scores
  }

  #nearest(passageSets: readonly PassageSet[], size: number): ScoredGroup[] {
    const collector = new TopGroupsCollector(size)
    for (const { live, passages } of passageSets) {
      if (live.vectors === 0 || live.slots === undefined) continue
      collector.startSegment(live.segment)
      this.#scanSlots(passages, live.slots, collector)
    }
    return collector.finish()
  }

  #scanSlots(mask: Uint32Array, slots: Uint32Array, collector: TopGroupsCollector): void {
    const passages = new Uint32Array(MAX_BATCH)
    const wanted = this.#dotProducts.slots
    let count = 0
    for (let word = 0; word < mask.length; word++) {
      for (let bits = mask[word]!; bits !== 0; bits &= bits - 1) {
        const passage = (word << 5) + 31 - Math.clz32(bits & -bits)
        const slot = slots[passage]!
        if (slot === NO_SLOT) continue
        wanted[count] = slot
        passages[count++] = passage
        if (count < MAX_BATCH) continue
        this.#collectBatch(passages, count, collector)
        count = 0
      }
    }
    this.#collectBatch(passages, count, collector)
  }

  #collectBatch(passages: Uint32Array, count: number, collector: TopGroupsCollector): void {
    this.#dotProducts.run(count)
    const { out } = this.#dotProducts
    for (let at = 0; at < count; at++) {
      const score = out[at]!
      if (score >= collector.threshold) collector.collect(passages[at]!, score)
    }
  }

  /** Returns the exact score of the group's best passage among these. Of equal passages the first one wins. */
  #rescore(live: LiveSegment, group: number, vector: Float32Array, among: Uint32Array) {
    const approximate = this.#scoreApproximately(live, group, among)
    if (approximate.length === 0) return undefined
    const least = approximate.reduce((most, it) => Math.max(most, it.about), -Infinity) - MARGIN
    const { segment } = live
    const best = { key: groupKey(segment, group), score: -Infinity, segment, group, passage: -1 }
    for (const it of approximate) {
      const score = it.about < least ? -Infinity : (this.#scoreExactly(segment, it, vector) ?? it.about)
      if (score <= best.score) continue
      best.score = score
      best.passage = it.passage
    }
    return best
  }

  #scoreExactly(segment: Segment, { passage, slot }: ScoredSlot, vector: Float32Array): number | undefined {
    const floats = this.#floats.read(slot, hashHighOf(segment, passage), hashLowOf(segment, passage))
    if (floats !== undefined) return dot(vector, floats)
    this.#damagedSlots.push(slot)
    return undefined
  }

  #scoreApproximately({ slots, segment }: LiveSegment, group: number, among: Uint32Array): ScoredSlot[] {
    const found: ScoredSlot[] = []
    const until = passagesEndOf(segment, group)
    for (let from = firstPassageOf(segment, group); from < until; from += MAX_BATCH) {
      const batch: { passage: number; slot: number }[] = []
      for (let passage = from; passage < Math.min(from + MAX_BATCH, until); passage++) {
        const slot = slots?.[passage] ?? NO_SLOT
        if (slot !== NO_SLOT && hasBit(among, passage))
          this.#dotProducts.slots[batch.push({ passage, slot }) - 1] = slot
      }
      this.#dotProducts.run(batch.length)
      for (const [at, it] of batch.entries()) found.push({ ...it, about: this.#dotProducts.out[at]! })
    }
    return found
  }
}

const withKey = (found: ScoredGroup) => ({ ...found, key: groupKey(found.segment, found.group) })

function slotsOfGroup({ slots, segment }: LiveSegment, group: number): Uint32Array {
  const own = slots?.subarray(firstPassageOf(segment, group), passagesEndOf(segment, group))
  return own?.filter((it) => it !== NO_SLOT) ?? new Uint32Array()
}

interface ScoredSlot {
  passage: number
  slot: number
  /** The score by the int8 values. */
  about: number
}

export function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0
  for (let at = 0; at < one.length; at++) sum += one[at]! * other[at]!
  return sum
}
