// Estimates how long the model takes for a chunk: an exponential moving average.

export interface EmbeddingRate {
  record(chunks: number, seconds: number): void
  /** Null before the first measurement. */
  secondsFor(chunks: number): number | null
}

/** The weight of the latest batch. */
const SMOOTHING = 0.1

export function createEmbeddingRate(): EmbeddingRate {
  let secondsPerChunk: number | null = null
  return {
    record(chunks, seconds) {
      if (chunks === 0) return
      const latest = seconds / chunks
      secondsPerChunk = secondsPerChunk === null ? latest : secondsPerChunk * (1 - SMOOTHING) + latest * SMOOTHING
    },
    secondsFor: (chunks) => (secondsPerChunk === null ? null : Math.ceil(chunks * secondsPerChunk)),
  }
}
