// A segment and what has been deleted from it since it was written. Each thread keeps its own.
import { bitSet, hasBit, setBit } from './bits.ts'
import type { SegmentImage } from './layout.ts'
import { openSegment, type Segment, termsOfGroup } from './segment.ts'
import { NO_SLOT } from './vector-rows.ts'

export interface Deletion {
  segment: number
  groups: Uint32Array
  /** The ordinals of their terms, once per entry that holds the term. */
  terms: Uint32Array
}

/** In which rows the vectors of some live entries are; NO_SLOT takes one away. */
export interface Placement {
  segment: number
  entries: Uint32Array
  slots: Uint32Array
}

/** What passes a filter in one segment, as long as nothing is deleted there. */
export interface Mask {
  groups: Uint32Array
  entries?: Uint32Array
  /** Per list of terms, how many of the groups hold one of them, where somebody wanted to know. */
  holders: Map<string, number>
}

export class LiveSegment {
  readonly segment: Segment
  readonly deleted: Uint32Array
  deletedGroups = 0
  liveEntries: number
  liveLength: number
  /** Per entry, the row of its vector; none as long as no entry has one. */
  slots: Uint32Array | undefined
  /** Live entries with a vector, and those that take one and have none. */
  vectors = 0
  wanting = 0
  /** Of the filters that were asked for last. */
  readonly masks = new Map<string, Mask>()
  /** Per term, how many postings are of deleted entries; none as long as nothing is deleted. */
  #lost: Uint32Array | undefined
  /** Live groups per language of the segment. */
  readonly #groupsOfLanguage: Uint32Array

  constructor(image: SegmentImage) {
    this.segment = openSegment(image)
    const { groups, entries, totalLength, languages } = image.meta
    this.deleted = bitSet(groups)
    this.liveEntries = entries
    this.liveLength = totalLength
    this.#groupsOfLanguage = new Uint32Array(languages.length)
    for (const code of this.segment.languages) this.#groupsOfLanguage[code]!++
    for (let entry = 0; entry < entries; entry++) if (this.takesVector(entry)) this.wanting++
  }

  get liveGroups(): number {
    return this.segment.meta.groups - this.deletedGroups
  }

  isDeleted(group: number): boolean {
    return hasBit(this.deleted, group)
  }

  /** What another thread needs to delete these groups too. Groups that are gone already are left out. */
  deletionOf(groups: readonly number[]): Deletion {
    const live = [...new Set(groups)].filter((group) => !this.isDeleted(group))
    const terms = live.flatMap((group) => termsOfGroup(this.segment, group))
    return { segment: this.segment.id, groups: Uint32Array.from(live), terms: Uint32Array.from(terms) }
  }

  delete({ groups, terms }: Deletion): void {
    if (groups.length === 0) return
    this.masks.clear()
    const { groupStarts, lengths, languages } = this.segment
    for (const group of groups) {
      setBit(this.deleted, group)
      this.deletedGroups++
      this.#groupsOfLanguage[languages[group]!]!--
      for (let entry = groupStarts[group]!; entry < groupStarts[group + 1]!; entry++) {
        this.liveEntries--
        this.liveLength -= lengths[entry]!
        if (this.takesVector(entry)) this.#forgetSlot(entry)
      }
    }
    this.#lost ??= new Uint32Array(this.segment.meta.terms)
    for (const term of terms) this.#lost[term]!++
  }

  takesVector(entry: number): boolean {
    const { marks } = this.segment
    return marks[entry * 2] !== 0 || marks[entry * 2 + 1] !== 0
  }

  setSlots({ entries, slots }: Placement): void {
    this.slots ??= new Uint32Array(this.segment.meta.entries).fill(NO_SLOT)
    let more = 0
    for (let at = 0; at < entries.length; at++) {
      const entry = entries[at]!
      const slot = slots[at]!
      more += Number(slot !== NO_SLOT) - Number(this.slots[entry] !== NO_SLOT)
      this.slots[entry] = slot
    }
    this.vectors += more
    this.wanting -= more
  }

  #forgetSlot(entry: number): void {
    if (this.slots === undefined || this.slots[entry] === NO_SLOT) {
      this.wanting--
      return
    }
    this.slots[entry] = NO_SLOT
    this.vectors--
  }

  /** Live entries that hold the term. */
  entriesWith(term: number): number {
    return this.segment.postings.sizes[term]! - (this.#lost?.[term] ?? 0)
  }

  /** At most so many live groups hold the term. */
  groupsWithAtMost(term: number): number {
    return Math.min(this.segment.postings.groups[term]!, this.entriesWith(term))
  }

  languages(): string[] {
    return this.segment.meta.languages.filter((_, code) => this.#groupsOfLanguage[code]! > 0)
  }
}
