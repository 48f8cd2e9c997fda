import { getPriority, setPriority } from 'node:os'

/** Leaves the CPU to searches and requests first. */
const NICE = 10

/**
 * Linux applies this to the calling thread only. Elsewhere it would affect the whole process, so nothing is done there. A
 * program that was started with a lower priority keeps it: only root may raise it.
 */
export function lowerThreadPriority(): void {
  if (process.platform === 'linux' && getPriority() < NICE) setPriority(0, NICE)
}
