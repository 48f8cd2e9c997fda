// Changes of an index when vectors arrive or turn out to be damaged.
import { type LiveSegment, NO_SLOT, type SlotAssignment } from '../segment/live-segment.ts'
import { assignmentsOfSlots, assignSlots, type PassageVector } from './slot-assignments.ts'
import type { VectorStore } from './vector-store.ts'

/** Throws and adds nothing if there is no room for all vectors. */
export function addVectors(
  store: VectorStore,
  segments: readonly LiveSegment[],
  vectors: readonly PassageVector[],
): SlotAssignment[] {
  const added: number[] = []
  try {
    const { assignments, replaced } = assignSlots(segments, vectors, (...row) => {
      const slot = store.add(...row)
      added.push(slot)
      return slot
    })
    store.retire(replaced)
    return assignments
  } catch (error) {
    store.free(added)
    throw error
  }
}

/** Removes the vectors in those slots whose floats are really damaged, so that they are computed again. */
export function dropDamaged(store: VectorStore, segments: readonly LiveSegment[], slots: readonly number[]) {
  const damaged = new Set(slots.filter((slot) => !store.hasFloats(slot)))
  const found = assignmentsOfSlots(segments, damaged)
  store.retire(found.flatMap((it) => [...it.slots]))
  return found.map((it) => ({ ...it, slots: it.slots.map(() => NO_SLOT) }))
}
