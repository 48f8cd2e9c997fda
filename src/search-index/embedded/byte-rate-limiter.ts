// Limits the average number of bytes per second.

export interface ByteRateLimiter {
  spend(bytes: number, nowMs: number): void
  /** Returns the time until the next bytes may be spent, in whole milliseconds; 0 if there is none. */
  waitMs(nowMs: number): number
}

/** Spending creates a debt that is waited for afterwards. A rate of 0 means no limit. */
export function createByteRateLimiter(bytesPerSecond: number): ByteRateLimiter {
  let freeAt = 0
  return {
    spend(bytes, nowMs) {
      if (bytesPerSecond > 0) freeAt = Math.max(freeAt, nowMs) + (bytes / bytesPerSecond) * 1_000
    },
    waitMs: (nowMs) => Math.max(0, Math.ceil(freeAt - nowMs)),
  }
}
