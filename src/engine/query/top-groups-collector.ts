// Collects the top k groups in a heap with the worst of them on top.
import { findGroupOfPassage, groupKey, passagesEndOf, type Segment } from '../segment/segment.ts'

export interface ScoredGroup {
  segment: Segment
  group: number
  passage: number
  score: number
}

/** The last hit of the previous page. */
export interface SearchAfter {
  score: number
  key: string
}

export class TopGroupsCollector {
  readonly #size: number
  readonly #searchAfter: SearchAfter | undefined
  readonly #heap: (ScoredGroup & { key?: string })[] = []
  /** The score that a group must reach to enter the top k. A group with an equal score may still win by its key. */
  threshold: number
  #segment!: Segment
  #currentGroup: ScoredGroup | undefined
  #currentGroupEnd = 0

  /** With `after`, only groups that sort after it are collected. */
  constructor(size: number, after?: SearchAfter) {
    this.#size = size
    this.#searchAfter = after
    this.threshold = size === 0 ? Infinity : -Infinity
  }

  /** Must be called before each segment. A group lies in one segment only. */
  startSegment(segment: Segment): void {
    this.#finishGroup()
    this.#segment = segment
    this.#currentGroupEnd = 0
  }

  /** Passages come in ascending order, so the passages of a group are adjacent. */
  collect(passage: number, score: number): void {
    if (this.#currentGroup !== undefined && passage < this.#currentGroupEnd) {
      if (score <= this.#currentGroup.score) return
      this.#currentGroup.score = score
      this.#currentGroup.passage = passage
      return
    }
    this.#finishGroup()
    const group = findGroupOfPassage(this.#segment, passage)
    this.#currentGroupEnd = passagesEndOf(this.#segment, group)
    this.#currentGroup = { segment: this.#segment, group, passage, score }
  }

  /** Returns the groups, best first. */
  finish(): ScoredGroup[] {
    this.#finishGroup()
    return this.#heap.sort((a, b) => (isWorse(a, b) ? 1 : -1))
  }

  #finishGroup(): void {
    const found = this.#currentGroup
    this.#currentGroup = undefined
    if (found === undefined || this.#size === 0) return
    if (this.#searchAfter !== undefined && !isAfter(found, this.#searchAfter)) return
    const worst = this.#heap[0]
    if (worst === undefined || this.#heap.length < this.#size) this.#push(found)
    else if (isWorse(worst, found)) this.#replaceWorst(found)
    else return
    if (this.#heap.length === this.#size) this.threshold = this.#heap[0]!.score
  }

  /** Moves better groups down until the place of the new one is free. */
  #push(found: KeyedGroup): void {
    const heap = this.#heap
    let at = heap.length
    while (at > 0) {
      const parent = (at - 1) >>> 1
      const above = heap[parent]!
      if (!isWorse(found, above)) break
      heap[at] = above
      at = parent
    }
    heap[at] = found
  }

  /** Moves worse groups up until the place of the new one is free. */
  #replaceWorst(found: KeyedGroup): void {
    const heap = this.#heap
    let at = 0
    for (;;) {
      let worst = found
      let next = at
      for (const child of [2 * at + 1, 2 * at + 2]) {
        const below = child < heap.length ? heap[child] : undefined
        if (below === undefined || !isWorse(below, worst)) continue
        worst = below
        next = child
      }
      if (next === at) break
      heap[at] = worst
      at = next
    }
    heap[at] = found
  }
}

type KeyedGroup = ScoredGroup & { key?: string }

function isWorse(one: KeyedGroup, other: KeyedGroup): boolean {
  if (one.score !== other.score) return one.score < other.score
  return cachedKey(one) > cachedKey(other)
}

const isAfter = (found: KeyedGroup, { score, key }: SearchAfter): boolean =>
  found.score < score || (found.score === score && cachedKey(found) > key)

/** Keys are read only to break ties. */
function cachedKey(found: KeyedGroup): string {
  found.key ??= groupKey(found.segment, found.group)
  return found.key
}
