// What changes in an index when vectors come, or turn out to be damaged.
import type { LiveSegment, Placement } from './live-segment.ts'
import { type EntryVector, place, placementsWith } from './placements.ts'
import { NO_SLOT } from './vector-rows.ts'
import type { VectorStore } from './vector-store.ts'

/** Throws, and takes none, when there is no room for all. */
export function takeVectors(
  store: VectorStore,
  segments: readonly LiveSegment[],
  vectors: readonly EntryVector[],
): Placement[] {
  const added: number[] = []
  try {
    const { placements, replaced } = place(segments, vectors, (...row) => {
      const slot = store.add(...row)
      added.push(slot)
      return slot
    })
    store.leave(replaced)
    return placements
  } catch (error) {
    store.release(added)
    throw error
  }
}

/** Takes away the vectors in those of these rows whose floats are damaged indeed, so that they are wanted again. */
export function dropDamaged(store: VectorStore, segments: readonly LiveSegment[], slots: readonly number[]) {
  const damaged = new Set(slots.filter((slot) => !store.hasFloats(slot)))
  const found = placementsWith(segments, damaged)
  store.leave(found.flatMap((it) => [...it.slots]))
  return found.map((it) => ({ ...it, slots: it.slots.map(() => NO_SLOT) }))
}
