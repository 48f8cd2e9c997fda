// How long does the model take for a chunk?

export interface Pace {
  took(chunks: number, seconds: number): void
  /** Null until something was measured. */
  secondsFor(chunks: number): number | null
}

/** How much a new batch counts beside all before it. */
const NEWS = 0.1

export function createPace(): Pace {
  let secondsPerChunk: number | null = null
  return {
    took(chunks, seconds) {
      if (chunks === 0) return
      const latest = seconds / chunks
      secondsPerChunk = secondsPerChunk === null ? latest : secondsPerChunk * (1 - NEWS) + latest * NEWS
    },
    secondsFor: (chunks) => (secondsPerChunk === null ? null : Math.ceil(chunks * secondsPerChunk)),
  }
}
