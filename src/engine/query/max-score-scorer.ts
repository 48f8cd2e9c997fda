// The inner loops of a text search: they score one segment, window by window.
//
// In each window the words are sorted by the most that they can add to a score there. Words that together stay below
// the threshold are non-essential ("MaxScore"): they cannot lift a passage into the top k alone. Only the postings of
// the essential words are read; the non-essential words are looked up for the passages that these find.

import type { PostingsCursor } from '../codec/postings.ts'
import type { Segment } from '../segment/segment.ts'
import type { Bm25Parameters } from './bm25.ts'
import { saturation } from './bm25.ts'
import type { GroupCounter } from './group-counter.ts'
import type { TopGroupsCollector } from './top-groups-collector.ts'

/** The number of passages in a window. The scores of a window fit into the L1 cache. Must be a multiple of 32. */
const WINDOW = 4096

/** A word of the query in one segment, with a cursor per spelling that occurs there. */
export interface ScorerWord {
  weight: number
  cursors: PostingsCursor[]
}

export interface ScorerContext {
  ranking: Bm25Parameters
  averageLength: number
  collector: TopGroupsCollector
  counter: GroupCounter
}

interface ScorerWordInWindow extends ScorerWord {
  /** The most that the word can add to the score of a passage in the window. */
  bound: number
  /** The cursors that have a block in the window. */
  present: PostingsCursor[]
}

/** Sums of floats depend on their order. Scores this close below the threshold are recomputed exactly. */
const SLACK = 1 - 1e-9

export class MaxScoreScorer {
  readonly #scores = new Float64Array(WINDOW)
  readonly #matched = new Uint32Array(WINDOW / 32)
  readonly #maxFrequencies = new Uint32Array(WINDOW)
  readonly #spellingMatches = new Uint32Array(WINDOW / 32)
  #context!: ScorerContext
  #segment!: Segment
  #mask!: Uint32Array
  /** In query order, for exact sums. */
  #words: ScorerWordInWindow[] = []
  /** The words with a passage in the window, in ascending order of their bounds. */
  #wordsInWindow: ScorerWordInWindow[] = []
  /** The number of non-essential words at the start of `#wordsInWindow`, and the sum of their bounds. */
  #nonEssentialCount = 0
  #nonEssentialBound = 0
  #threshold = 0
  #baseNorm = 0
  #lengthNorm = 0
  #boundFactor = 1

  run(context: ScorerContext, segment: Segment, mask: Uint32Array, words: readonly ScorerWord[]): void {
    const { ranking, averageLength, collector, counter } = context
    this.#context = context
    this.#segment = segment
    this.#mask = mask
    this.#words = words.map((it) => ({ ...it, bound: 0, present: [] }))
    this.#baseNorm = ranking.k1 * (1 - ranking.b)
    this.#lengthNorm = (ranking.k1 * ranking.b) / averageLength
    this.#boundFactor = Math.max(1, averageLength / segment.meta.referenceLength)
    collector.startSegment(segment)
    counter.startSegment(segment)
    const { entries: passages } = segment.meta
    for (let from = 0; from < passages; from += WINDOW) this.#scoreWindow(from, Math.min(from + WINDOW, passages))
  }

  #scoreWindow(from: number, until: number): void {
    const { collector, counter } = this.#context
    this.#threshold = collector.threshold * SLACK
    this.#computeBounds(from, until)
    this.#splitEssential(counter.isOverLimit)
    const wordsInWindow = this.#wordsInWindow
    const essential = wordsInWindow[this.#nonEssentialCount]
    if (essential === undefined) return
    const isSingle = wordsInWindow.length - this.#nonEssentialCount === 1
    if (isSingle && counter.isOverLimit && essential.present.length === 1) {
      this.#scoreSingleWord(essential, from, until)
      return
    }
    for (let at = this.#nonEssentialCount; at < wordsInWindow.length; at++) {
      const word = wordsInWindow[at]!
      if (word.present.length === 1) this.#addSingleCursor(word, from, until)
      else this.#addSpellings(word, from, until)
    }
    this.#collectWindow(from, until)
  }

  /** Determines which words occur in the window and the bound of each. */
  #computeBounds(from: number, until: number): void {
    const wordsInWindow = this.#wordsInWindow
    const { k1 } = this.#context.ranking
    wordsInWindow.length = 0
    for (const word of this.#words) {
      let fill = 0
      word.present.length = 0
      for (const cursor of word.cursors) {
        const bound = cursor.advanceTo(from) ? cursor.boundUntil(until) : 0
        if (bound === 0) continue
        word.present.push(cursor)
        fill = Math.max(fill, bound)
      }
      if (fill === 0) continue
      fill *= this.#boundFactor
      word.bound = (word.weight * fill) / (fill + k1)
      let at = wordsInWindow.length
      while (at > 0 && wordsInWindow[at - 1]!.bound > word.bound) at--
      wordsInWindow.splice(at, 0, word)
    }
  }

  #splitEssential(mayPrune: boolean): void {
    this.#nonEssentialCount = 0
    this.#nonEssentialBound = 0
    if (!mayPrune) return
    for (const { bound } of this.#wordsInWindow) {
      if (this.#nonEssentialBound + bound >= this.#threshold) return
      this.#nonEssentialBound += bound
      this.#nonEssentialCount++
    }
  }

  #addSingleCursor({ present, weight }: ScorerWordInWindow, from: number, until: number): void {
    const cursor = present[0]
    if (cursor === undefined) return
    const { passages, frequencies } = cursor
    const { lengths } = this.#segment
    const mask = this.#mask
    const scores = this.#scores
    const matched = this.#matched
    const baseNorm = this.#baseNorm
    const lengthNorm = this.#lengthNorm
    for (let block = cursor.block; block < cursor.blocks; block++) {
      if (block > cursor.block && cursor.lastPassageOf(block - 1) >= until - 1) return
      cursor.unpack(block)
      const filled = cursor.unpackedCount
      for (let at = cursor.firstIndexFrom(from); at < filled; at++) {
        const passage = passages[at]!
        if (passage >= until) return
        if ((mask[passage >>> 5]! & (1 << (passage & 31))) === 0) continue
        const count = frequencies[at]!
        const offset = passage - from
        scores[offset]! += (weight * count) / (count + baseNorm + lengthNorm * lengths[passage]!)
        matched[offset >>> 5]! |= 1 << (offset & 31)
      }
    }
  }

  /** A passage is scored with the spelling that it contains most often. */
  #addSpellings({ present, weight }: ScorerWordInWindow, from: number, until: number): void {
    const most = this.#maxFrequencies
    const spellingMatches = this.#spellingMatches
    for (const cursor of present) {
      for (let block = cursor.block; block < cursor.blocks; block++) {
        if (block > cursor.block && cursor.lastPassageOf(block - 1) >= until - 1) break
        cursor.unpack(block)
        for (let at = cursor.firstIndexFrom(from); at < cursor.unpackedCount; at++) {
          const passage = cursor.passages[at]!
          if (passage >= until) break
          const offset = passage - from
          const frequency = cursor.frequencies[at]!
          if (frequency > most[offset]!) most[offset] = frequency
          spellingMatches[offset >>> 5]! |= 1 << (offset & 31)
        }
      }
    }
    // `from` is a multiple of 32, so the words of the mask are aligned with the words of the window.
    for (let word = 0; word < (until - from + 31) >>> 5; word++) {
      const found = spellingMatches[word]!
      const masked = found & this.#mask[(from >>> 5) + word]!
      this.#matched[word]! |= masked
      for (let bits = found; bits !== 0; bits &= bits - 1) {
        const bit = bits & -bits
        const offset = (word << 5) + 31 - Math.clz32(bit)
        const count = most[offset]!
        most[offset] = 0
        if ((masked & bit) === 0) continue
        const fill = this.#baseNorm + this.#lengthNorm * this.#segment.lengths[from + offset]!
        this.#scores[offset]! += (weight * count) / (count + fill)
      }
      spellingMatches[word] = 0
    }
  }

  #collectWindow(from: number, until: number): void {
    const { counter } = this.#context
    const scores = this.#scores
    const matched = this.#matched
    const words = (until - from + 31) >>> 5
    for (let word = 0; word < words; word++) {
      let bits = matched[word]!
      matched[word] = 0
      while (bits !== 0) {
        const bit = bits & -bits
        bits ^= bit
        const offset = (word << 5) + 31 - Math.clz32(bit)
        const score = scores[offset]!
        scores[offset] = 0
        if (!counter.isOverLimit) counter.add(from + offset)
        if (score + this.#nonEssentialBound >= this.#threshold) this.#completeScore(from + offset, score)
      }
    }
  }

  /** A single essential word needs no sums and can skip blocks with a low bound. */
  #scoreSingleWord({ present, weight }: ScorerWordInWindow, from: number, until: number): void {
    const cursor = present[0]
    if (cursor === undefined) return
    const { k1 } = this.#context.ranking
    const { lengths } = this.#segment
    for (let block = cursor.block; block < cursor.blocks; block++) {
      if (block > cursor.block && cursor.lastPassageOf(block - 1) >= until - 1) return
      const fill = cursor.boundOf(block) * this.#boundFactor
      if ((weight * fill) / (fill + k1) + this.#nonEssentialBound < this.#threshold) continue
      cursor.unpack(block)
      for (let at = cursor.firstIndexFrom(from); at < cursor.unpackedCount; at++) {
        const passage = cursor.passages[at]!
        if (passage >= until) return
        if ((this.#mask[passage >>> 5]! & (1 << (passage & 31))) === 0) continue
        const count = cursor.frequencies[at]!
        const score = (weight * count) / (count + this.#baseNorm + this.#lengthNorm * lengths[passage]!)
        if (score + this.#nonEssentialBound < this.#threshold) continue
        this.#completeScore(passage, score)
        // Looking up the passage may have unpacked another block of the same term.
        cursor.unpack(block)
      }
    }
  }

  /** Adds the scores of the non-essential words while the sum can still reach the threshold. */
  #completeScore(passage: number, essentialScore: number): void {
    const { ranking } = this.#context
    let score = essentialScore
    let rest = this.#nonEssentialBound
    for (let at = this.#nonEssentialCount - 1; at >= 0; at--) {
      const word = this.#wordsInWindow[at]!
      rest -= word.bound
      const bound = this.#boundAt(word, passage)
      if (score + bound + rest < this.#threshold) return
      const count = maxFrequency(word, passage)
      if (count > 0) {
        score += (word.weight * count) / (count + this.#baseNorm + this.#lengthNorm * this.#segment.lengths[passage]!)
      }
      if (score + rest < this.#threshold) return
    }
    this.#context.collector.collect(passage, this.#exactScore(ranking, passage))
    this.#threshold = this.#context.collector.threshold * SLACK
  }

  /** The most that the word adds to passages in the block that would contain this one. */
  #boundAt({ cursors, weight }: ScorerWord, passage: number): number {
    let fill = 0
    for (const cursor of cursors) {
      const block = cursor.blockFor(passage)
      if (block < cursor.blocks) fill = Math.max(fill, cursor.boundOf(block))
    }
    fill *= this.#boundFactor
    return (weight * fill) / (fill + this.#context.ranking.k1)
  }

  /** Sums in query order, so that equal passages get equal scores in every segment. */
  #exactScore(ranking: Bm25Parameters, passage: number): number {
    const length = this.#segment.lengths[passage]!
    let score = 0
    for (const word of this.#words) {
      const count = maxFrequency(word, passage)
      if (count > 0) score += word.weight * saturation(ranking, count, length, this.#context.averageLength)
    }
    return score
  }
}

function maxFrequency({ cursors }: ScorerWord, passage: number): number {
  let count = 0
  for (const cursor of cursors) count = Math.max(count, cursor.frequencyAt(passage))
  return count
}
