// The inner loops of a text search: the best entries of one segment, window by window.
//
// In each window the terms are ordered by the most they can add there. Those that even together stay below the
// threshold find nothing by themselves ("MaxScore"): only the others are read, and what they find is looked up in them.
import type { Ranking } from './bm25.ts'
import { saturation } from './bm25.ts'
import type { GroupCounter } from './counter.ts'
import type { PostingsCursor } from './postings.ts'
import type { Segment } from './segment.ts'
import type { TopGroups } from './top-groups.ts'

/** Entries in a window: its sums stay in the first-level cache. A multiple of 32. */
const WINDOW = 4096

/** One word of the query in one segment; its cursors are the spellings that occur there. */
export interface ScanWord {
  weight: number
  cursors: PostingsCursor[]
}

export interface ScanContext {
  ranking: Ranking
  averageLength: number
  top: TopGroups
  counter: GroupCounter
}

interface WindowWord extends ScanWord {
  /** The most that the word can add to an entry of the window. */
  bound: number
  /** Its cursors with a block that reaches into the window. */
  present: PostingsCursor[]
}

/** Sums of floats differ by their order; what is this little below the threshold is reckoned exactly. */
const SLACK = 1 - 1e-9

export class Scan {
  readonly #scores = new Float64Array(WINDOW)
  readonly #touched = new Uint32Array(WINDOW / 32)
  readonly #counts = new Uint32Array(WINDOW)
  readonly #spelled = new Uint32Array(WINDOW / 32)
  #context!: ScanContext
  #segment!: Segment
  #mask!: Uint32Array
  /** In the order of the query, for exact sums. */
  #words: WindowWord[] = []
  /** Those with an entry in the window, by ascending bound. */
  #active: WindowWord[] = []
  /** How many of `#active` are only looked up, and the most that they add together. */
  #passive = 0
  #passiveBound = 0
  #threshold = 0
  #baseFill = 0
  #lengthFill = 0
  #boundFactor = 1

  run(context: ScanContext, segment: Segment, mask: Uint32Array, words: readonly ScanWord[]): void {
    const { ranking, averageLength, top, counter } = context
    this.#context = context
    this.#segment = segment
    this.#mask = mask
    this.#words = words.map((it) => ({ ...it, bound: 0, present: [] }))
    this.#baseFill = ranking.k1 * (1 - ranking.b)
    this.#lengthFill = (ranking.k1 * ranking.b) / averageLength
    this.#boundFactor = Math.max(1, averageLength / segment.meta.referenceLength)
    top.startSegment(segment)
    counter.startSegment(segment)
    const { entries } = segment.meta
    for (let from = 0; from < entries; from += WINDOW) this.#window(from, Math.min(from + WINDOW, entries))
  }

  #window(from: number, until: number): void {
    const { top, counter } = this.#context
    this.#threshold = top.threshold * SLACK
    this.#weigh(from, until)
    this.#split(counter.isDone)
    const active = this.#active
    const leading = active.length - this.#passive
    if (leading === 0) return
    if (leading === 1 && counter.isDone && active[this.#passive]!.present.length === 1) {
      this.#followOne(active[this.#passive]!, from, until)
      return
    }
    for (let at = this.#passive; at < active.length; at++) {
      const word = active[at]!
      if (word.present.length === 1) this.#addOne(word, from, until)
      else this.#addSpellings(word, from, until)
    }
    this.#collect(from, until)
  }

  /** Finds out which words matter in the window, and how much. */
  #weigh(from: number, until: number): void {
    const active = this.#active
    const { k1 } = this.#context.ranking
    active.length = 0
    for (const word of this.#words) {
      let fill = 0
      word.present.length = 0
      for (const cursor of word.cursors) {
        const bound = cursor.moveTo(from) ? cursor.boundUntil(until) : 0
        if (bound === 0) continue
        word.present.push(cursor)
        fill = Math.max(fill, bound)
      }
      if (fill === 0) continue
      fill *= this.#boundFactor
      word.bound = (word.weight * fill) / (fill + k1)
      let at = active.length
      while (at > 0 && active[at - 1]!.bound > word.bound) at--
      active.splice(at, 0, word)
    }
  }

  #split(mayPrune: boolean): void {
    this.#passive = 0
    this.#passiveBound = 0
    if (!mayPrune) return
    for (const { bound } of this.#active) {
      if (this.#passiveBound + bound >= this.#threshold) return
      this.#passiveBound += bound
      this.#passive++
    }
  }

  #addOne({ present, weight }: WindowWord, from: number, until: number): void {
    const cursor = present[0]!
    const { entries, counts } = cursor
    const { lengths } = this.#segment
    const mask = this.#mask
    const scores = this.#scores
    const touched = this.#touched
    const baseFill = this.#baseFill
    const lengthFill = this.#lengthFill
    for (let block = cursor.block; block < cursor.blocks; block++) {
      if (block > cursor.block && cursor.lastOf(block - 1) >= until - 1) return
      cursor.unpack(block)
      const filled = cursor.filled
      for (let at = cursor.indexOf(from); at < filled; at++) {
        const entry = entries[at]!
        if (entry >= until) return
        if ((mask[entry >>> 5]! & (1 << (entry & 31))) === 0) continue
        const count = counts[at]!
        const place = entry - from
        scores[place]! += (weight * count) / (count + baseFill + lengthFill * lengths[entry]!)
        touched[place >>> 5]! |= 1 << (place & 31)
      }
    }
  }

  /** An entry counts the spelling that it holds most often. */
  #addSpellings({ present, weight }: WindowWord, from: number, until: number): void {
    const most = this.#counts
    const spelled = this.#spelled
    for (const cursor of present) {
      for (let block = cursor.block; block < cursor.blocks; block++) {
        if (block > cursor.block && cursor.lastOf(block - 1) >= until - 1) break
        cursor.unpack(block)
        for (let at = cursor.indexOf(from); at < cursor.filled && cursor.entries[at]! < until; at++) {
          const place = cursor.entries[at]! - from
          if (cursor.counts[at]! > most[place]!) most[place] = cursor.counts[at]!
          spelled[place >>> 5]! |= 1 << (place & 31)
        }
      }
    }
    // `from` is a multiple of 32, so that the words of the mask and of the window lie alike.
    for (let word = 0; word < (until - from + 31) >>> 5; word++) {
      const masked = spelled[word]! & this.#mask[(from >>> 5) + word]!
      this.#touched[word]! |= masked
      for (let bits = spelled[word]!; bits !== 0; bits &= bits - 1) {
        const bit = bits & -bits
        const place = (word << 5) + 31 - Math.clz32(bit)
        const count = most[place]!
        most[place] = 0
        if ((masked & bit) === 0) continue
        const fill = this.#baseFill + this.#lengthFill * this.#segment.lengths[from + place]!
        this.#scores[place]! += (weight * count) / (count + fill)
      }
      spelled[word] = 0
    }
  }

  #collect(from: number, until: number): void {
    const { counter } = this.#context
    const scores = this.#scores
    const touched = this.#touched
    const words = (until - from + 31) >>> 5
    for (let word = 0; word < words; word++) {
      let bits = touched[word]!
      touched[word] = 0
      while (bits !== 0) {
        const bit = bits & -bits
        bits ^= bit
        const place = (word << 5) + 31 - Math.clz32(bit)
        const score = scores[place]!
        scores[place] = 0
        if (!counter.isDone) counter.add(from + place)
        if (score + this.#passiveBound >= this.#threshold) this.#consider(from + place, score)
      }
    }
  }

  /** A single leading word needs no sums, and can leave out blocks that promise too little. */
  #followOne({ present, weight }: WindowWord, from: number, until: number): void {
    const cursor = present[0]!
    const { k1 } = this.#context.ranking
    const { lengths } = this.#segment
    for (let block = cursor.block; block < cursor.blocks; block++) {
      if (block > cursor.block && cursor.lastOf(block - 1) >= until - 1) return
      const fill = cursor.boundOf(block) * this.#boundFactor
      if ((weight * fill) / (fill + k1) + this.#passiveBound < this.#threshold) continue
      cursor.unpack(block)
      for (let at = cursor.indexOf(from); at < cursor.filled; at++) {
        const entry = cursor.entries[at]!
        if (entry >= until) return
        if ((this.#mask[entry >>> 5]! & (1 << (entry & 31))) === 0) continue
        const count = cursor.counts[at]!
        const score = (weight * count) / (count + this.#baseFill + this.#lengthFill * lengths[entry]!)
        if (score + this.#passiveBound < this.#threshold) continue
        this.#consider(entry, score)
        // Looking the entry up may have unpacked another block of this very term.
        cursor.unpack(block)
      }
    }
  }

  /** Adds what the passive words give, as long as the sum can still reach the threshold. */
  #consider(entry: number, leadingScore: number): void {
    const { ranking } = this.#context
    let score = leadingScore
    let rest = this.#passiveBound
    for (let at = this.#passive - 1; at >= 0; at--) {
      const word = this.#active[at]!
      rest -= word.bound
      const bound = this.#boundAt(word, entry)
      if (score + bound + rest < this.#threshold) return
      const count = countAt(word, entry)
      if (count > 0) {
        score += (word.weight * count) / (count + this.#baseFill + this.#lengthFill * this.#segment.lengths[entry]!)
      }
      if (score + rest < this.#threshold) return
    }
    this.#context.top.offer(entry, this.#exactScore(ranking, entry))
    this.#threshold = this.#context.top.threshold * SLACK
  }

  /** The most that the word adds to entries in the block that would hold this one. */
  #boundAt({ cursors, weight }: ScanWord, entry: number): number {
    let fill = 0
    for (const cursor of cursors) {
      const block = cursor.blockOf(entry)
      if (block < cursor.blocks) fill = Math.max(fill, cursor.boundOf(block))
    }
    fill *= this.#boundFactor
    return (weight * fill) / (fill + this.#context.ranking.k1)
  }

  /** Summed in the order of the query, so that equal entries have equal scores wherever they lie. */
  #exactScore(ranking: Ranking, entry: number): number {
    const length = this.#segment.lengths[entry]!
    let score = 0
    for (const word of this.#words) {
      const count = countAt(word, entry)
      if (count > 0) score += word.weight * saturation(ranking, count, length, this.#context.averageLength)
    }
    return score
  }
}

function countAt({ cursors }: ScanWord, entry: number): number {
  let count = 0
  for (const cursor of cursors) count = Math.max(count, cursor.countAt(entry))
  return count
}
