// The segments as one thread sees them. A change is taken as a whole between two searches.
import type { SegmentImage } from './layout.ts'
import { type Deletion, LiveSegment, type Placement } from './live-segment.ts'
import { releaseMemory } from './released-memory.ts'

export interface ViewChange {
  add: SegmentImage[]
  remove: number[]
  /** May concern segments that this change adds. */
  deletions: Deletion[]
  placements: Placement[]
}

export const NOTHING: ViewChange = { add: [], remove: [], deletions: [], placements: [] }

export const joined = (one: ViewChange, other: ViewChange): ViewChange => ({
  add: [...one.add, ...other.add],
  remove: [...one.remove, ...other.remove],
  deletions: [...one.deletions, ...other.deletions],
  placements: [...one.placements, ...other.placements],
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

  apply({ add, remove, deletions, placements }: ViewChange): void {
    for (const image of add) this.#segments.set(image.id, new LiveSegment(image))
    for (const deletion of deletions) this.get(deletion.segment).delete(deletion)
    for (const placement of placements) this.get(placement.segment).setSlots(placement)
    let released = 0
    for (const id of remove) {
      const { segment } = this.get(id)
      released += segment.image.buffer.byteLength
      segment.close()
      this.#segments.delete(id)
    }
    this.#list = [...this.#segments.values()]
    releaseMemory(released)
  }

  /** Languages that at least one live group has. */
  languages(): string[] {
    return [...new Set(this.#list.flatMap((it) => it.languages()))]
  }

  groups(): number {
    return this.#list.reduce((sum, it) => sum + it.liveGroups, 0)
  }

  close(): void {
    for (const it of this.#list) it.segment.close()
  }
}
