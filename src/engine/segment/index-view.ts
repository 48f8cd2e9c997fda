// The segments of an index as one thread sees them. A change is applied as a whole between two searches.
import type { Language } from '../../text/language.ts'
import type { SegmentImage } from '../codec/layout.ts'
import { type Deletion, LiveSegment, type SlotAssignment } from './live-segment.ts'
import { reportReleasedMemory } from './released-memory.ts'

export interface ViewChange {
  add: SegmentImage[]
  remove: number[]
  /** May refer to segments that this change adds. */
  deletions: Deletion[]
  slotAssignments: SlotAssignment[]
}

export const NO_CHANGE: ViewChange = { add: [], remove: [], deletions: [], slotAssignments: [] }

export const combineChanges = (one: ViewChange, other: ViewChange): ViewChange => ({
  add: [...one.add, ...other.add],
  remove: [...one.remove, ...other.remove],
  deletions: [...one.deletions, ...other.deletions],
  slotAssignments: [...one.slotAssignments, ...other.slotAssignments],
})

export class IndexView {
  readonly #segments = new Map<number, LiveSegment>()
  #list: LiveSegment[] = []

  get segments(): readonly LiveSegment[] {
    return this.#list
  }

  get(id: number): LiveSegment {
    const found = this.#segments.get(id)
    if (found === undefined) throw new RangeError(`no segment ${id}`)
    return found
  }

  /** Throws and changes nothing if the file of a segment cannot be opened. */
  apply({ add, remove, deletions, slotAssignments }: ViewChange): void {
    for (const it of openSegments(add)) this.#segments.set(it.segment.id, it)
    for (const deletion of deletions) this.get(deletion.segment).applyDeletion(deletion)
    for (const assignment of slotAssignments) this.get(assignment.segment).setSlots(assignment)
    let released = 0
    for (const id of remove) {
      const { segment } = this.get(id)
      released += segment.image.buffer.byteLength
      segment.close()
      this.#segments.delete(id)
    }
    this.#list = [...this.#segments.values()]
    reportReleasedMemory(released)
  }

  /** The languages of the live groups. */
  languages(): Language[] {
    return [...this.countGroupsPerLanguage().keys()]
  }

  /** The number of live groups in each of their languages. */
  countGroupsPerLanguage(): Map<Language, number> {
    const counts = new Map<Language, number>()
    for (const { language, groups } of this.#list.flatMap((it) => it.countGroupsPerLanguage()))
      if (groups > 0) counts.set(language, (counts.get(language) ?? 0) + groups)
    return counts
  }

  countGroups(): number {
    return this.#list.reduce((sum, it) => sum + it.liveGroups, 0)
  }

  close(): void {
    for (const it of this.#list) it.segment.close()
  }
}

function openSegments(images: readonly SegmentImage[]): LiveSegment[] {
  const segments: LiveSegment[] = []
  try {
    for (const image of images) segments.push(new LiveSegment(image))
  } catch (error) {
    for (const it of segments) it.segment.close()
    throw error
  }
  return segments
}
