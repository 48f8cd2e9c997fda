import { setPriority } from 'node:os'

/** Leaves the CPU to searches and requests first. */
const NICE = 10

/**
 * Linux applies this to the calling thread only. Elsewhere it would affect the whole process, so nothing is done there.
 */
export function lowerThreadPriority(): void {
  if (process.platform === 'linux') setPriority(0, NICE)
}
