// The best groups seen so far: a heap with the worst of them on top.
import { groupOf, keyOf, type Segment } from './segment.ts'

export interface Found {
  segment: Segment
  group: number
  entry: number
  score: number
}

/** Where a page ended. */
export interface Place {
  score: number
  key: string
}

export class TopGroups {
  readonly #size: number
  readonly #after: Place | undefined
  readonly #heap: (Found & { key?: string })[] = []
  /** What a group must reach to be among the best. An equal score may still come first by its key. */
  threshold: number
  #segment!: Segment
  #open: Found | undefined
  #until = 0

  /** Only what comes behind `after`, if that is given. */
  constructor(size: number, after?: Place) {
    this.#size = size
    this.#after = after
    this.threshold = size === 0 ? Infinity : -Infinity
  }

  /** Between segments: a group lies in one segment only. */
  startSegment(segment: Segment): void {
    this.#close()
    this.#segment = segment
    this.#until = 0
  }

  /** Entries come in ascending order, so that the entries of a group come together. */
  offer(entry: number, score: number): void {
    if (this.#open !== undefined && entry < this.#until) {
      if (score <= this.#open.score) return
      this.#open.score = score
      this.#open.entry = entry
      return
    }
    this.#close()
    const group = groupOf(this.#segment, entry)
    this.#until = this.#segment.groupStarts[group + 1]!
    this.#open = { segment: this.#segment, group, entry, score }
  }

  /** Best first. */
  finish(): Found[] {
    this.#close()
    return this.#heap.sort((a, b) => (isWorse(a, b) ? 1 : -1))
  }

  #close(): void {
    const found = this.#open
    this.#open = undefined
    if (found === undefined || this.#size === 0) return
    if (this.#after !== undefined && !isBehind(found, this.#after)) return
    if (this.#heap.length < this.#size) {
      this.#heap.push(found)
      this.#rise()
    } else {
      if (!isWorse(this.#heap[0]!, found)) return
      this.#heap[0] = found
      this.#sink()
    }
    if (this.#heap.length === this.#size) this.threshold = this.#heap[0]!.score
  }

  #rise(): void {
    const heap = this.#heap
    let at = heap.length - 1
    while (at > 0) {
      const parent = (at - 1) >>> 1
      if (!isWorse(heap[at]!, heap[parent]!)) return
      swap(heap, at, parent)
      at = parent
    }
  }

  #sink(): void {
    const heap = this.#heap
    let at = 0
    for (;;) {
      let worst = at
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < heap.length && isWorse(heap[child]!, heap[worst]!)) worst = child
      }
      if (worst === at) return
      swap(heap, at, worst)
      at = worst
    }
  }
}

type Keyed = Found & { key?: string }

function isWorse(one: Keyed, other: Keyed): boolean {
  if (one.score !== other.score) return one.score < other.score
  return keyFor(one) > keyFor(other)
}

const isBehind = (found: Keyed, { score, key }: Place): boolean =>
  found.score < score || (found.score === score && keyFor(found) > key)

/** Read only when scores are equal. */
function keyFor(found: Keyed): string {
  found.key ??= keyOf(found.segment, found.group)
  return found.key
}

function swap<T>(items: T[], one: number, other: number): void {
  const kept = items[one]!
  items[one] = items[other]!
  items[other] = kept
}
