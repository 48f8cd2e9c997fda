// A segment and the deletions since it was written. Each thread has its own instance.
import { createLruCache } from '../../flow/lru-cache.ts'
import type { Language } from '../../text/language.ts'
import { createBitSet, hasBit, setBit } from '../codec/bits.ts'
import type { SegmentImage } from '../codec/layout.ts'
import { firstPassageOf, openSegment, passagesEndOf, readTermsOfGroup, type Segment } from './segment.ts'

/** The slot of a passage without a vector. */
export const NO_SLOT = 0xffffffff

export interface Deletion {
  segment: number
  groups: Uint32Array
  /** The ordinals of the deleted groups' terms, once per passage that contains the term. */
  terms: Uint32Array
}

/** Assigns vector slots to live passages. NO_SLOT removes a passage's vector. */
export interface SlotAssignment {
  segment: number
  passages: Uint32Array
  slots: Uint32Array
}

/** The result of a filter in one segment. It is valid until something is deleted from the segment. */
export interface FilterMask {
  groups: Uint32Array
  passages?: Uint32Array
  /** Cached counts: for a list of terms, the number of groups that contain one of them. */
  groupCounts: Map<string, number>
}

/** The number of masks cached per segment. Search-as-you-type and hybrid search repeat the same filter. */
const MAX_MASKS = 8

export class LiveSegment {
  readonly segment: Segment
  readonly deleted: Uint32Array
  deletedGroups = 0
  livePassages: number
  liveLength: number
  /** Per passage, the slot of its vector; undefined while no passage has one. */
  slots: Uint32Array | undefined
  /** The number of live passages with a vector, and of those that should have one but do not. */
  vectors = 0
  missingVectors = 0
  /** By filter. */
  readonly masks = createLruCache<string, FilterMask>(MAX_MASKS)
  /** Per term, the number of postings that belong to deleted passages; undefined while nothing is deleted. */
  #deletedPostings: Uint32Array | undefined
  /** The number of live groups per language of the segment. */
  readonly #liveGroupsPerLanguage: Uint32Array

  constructor(image: SegmentImage) {
    this.segment = openSegment(image)
    const { groups, entries: passages, totalLength, languages } = image.meta
    this.deleted = createBitSet(groups)
    this.livePassages = passages
    this.liveLength = totalLength
    this.#liveGroupsPerLanguage = new Uint32Array(languages.length)
    for (const code of this.segment.languages) this.#liveGroupsPerLanguage[code]!++
    for (let passage = 0; passage < passages; passage++) if (this.takesVector(passage)) this.missingVectors++
  }

  get liveGroups(): number {
    return this.segment.meta.groups - this.deletedGroups
  }

  isDeleted(group: number): boolean {
    return hasBit(this.deleted, group)
  }

  /** Returns what another thread needs to delete these groups as well. Groups that are already deleted are left out. */
  createDeletion(groups: readonly number[]): Deletion {
    const live = [...new Set(groups)].filter((group) => !this.isDeleted(group))
    const terms = live.flatMap((group) => readTermsOfGroup(this.segment, group))
    return { segment: this.segment.id, groups: Uint32Array.from(live), terms: Uint32Array.from(terms) }
  }

  applyDeletion({ groups, terms }: Deletion): void {
    if (groups.length === 0) return
    this.masks.clear()
    const { segment } = this
    for (const group of groups) {
      setBit(this.deleted, group)
      this.deletedGroups++
      this.#liveGroupsPerLanguage[segment.languages[group]!]!--
      for (let passage = firstPassageOf(segment, group); passage < passagesEndOf(segment, group); passage++) {
        this.livePassages--
        this.liveLength -= segment.lengths[passage]!
        if (this.takesVector(passage)) this.#dropSlot(passage)
      }
    }
    this.#deletedPostings ??= new Uint32Array(this.segment.meta.terms)
    for (const term of terms) this.#deletedPostings[term]!++
  }

  takesVector(passage: number): boolean {
    const { contentHashes } = this.segment
    return contentHashes[passage * 2] !== 0 || contentHashes[passage * 2 + 1] !== 0
  }

  /** The slot of the passage's vector, or NO_SLOT. */
  slotOf(passage: number): number {
    return this.slots?.[passage] ?? NO_SLOT
  }

  setSlots({ passages, slots }: SlotAssignment): void {
    this.slots ??= new Uint32Array(this.segment.meta.entries).fill(NO_SLOT)
    let more = 0
    for (const [at, passage] of passages.entries()) {
      const slot = slots[at]!
      more += Number(slot !== NO_SLOT) - Number(this.slots[passage] !== NO_SLOT)
      this.slots[passage] = slot
    }
    this.vectors += more
    this.missingVectors -= more
  }

  #dropSlot(passage: number): void {
    if (this.slots === undefined || this.slots[passage] === NO_SLOT) {
      this.missingVectors--
      return
    }
    this.slots[passage] = NO_SLOT
    this.vectors--
  }

  /** The number of passages that contain the term, including deleted ones. */
  countPostings(term: number): number {
    return this.segment.postings.passageCounts[term]!
  }

  /** The number of live passages that contain the term. */
  countPassagesWith(term: number): number {
    return this.countPostings(term) - (this.#deletedPostings?.[term] ?? 0)
  }

  /** An upper bound of the number of live groups that contain the term. */
  maxGroupsWith(term: number): number {
    return Math.min(this.segment.postings.groupCounts[term]!, this.countPassagesWith(term))
  }

  /** Includes languages whose groups are all deleted, with 0. */
  countGroupsPerLanguage(): { language: Language; groups: number }[] {
    return this.segment.meta.languages.map((language, code) => ({
      language,
      groups: this.#liveGroupsPerLanguage[code]!,
    }))
  }
}
