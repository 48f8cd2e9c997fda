// No more than so many bytes a second, on the average.

export interface Pace {
  spend(bytes: number, nowMs: number): void
  /** How long to wait before the next bytes are spent. Whole milliseconds; 0 for not at all. */
  waitMs(nowMs: number): number
}

/** What is spent is paid for afterwards. 0 is no limit. */
export function createPace(bytesPerSecond: number): Pace {
  let freeAt = 0
  return {
    spend(bytes, nowMs) {
      if (bytesPerSecond > 0) freeAt = Math.max(freeAt, nowMs) + (bytes / bytesPerSecond) * 1_000
    },
    waitMs: (nowMs) => Math.max(0, Math.ceil(freeAt - nowMs)),
  }
}
