import { setPriority } from 'node:os'

/** Searches and requests go first. */
const NICE = 10

/** On Linux this lowers the calling thread alone; elsewhere it would lower the whole process, so there nothing happens. */
export function giveWay(): void {
  if (process.platform === 'linux') setPriority(0, NICE)
}
