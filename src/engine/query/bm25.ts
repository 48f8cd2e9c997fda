// BM25: how well a passage matches a term.

export interface Bm25Parameters {
  k1: number
  b: number
}

/** The inverse document frequency of a term that occurs in `found` of `all` passages. Never negative. */
export const idf = (all: number, found: number): number => Math.log(1 + (all - found + 0.5) / (found + 0.5))

/** The saturated term frequency, from 0 to below 1, normalized by the length of the passage. */
export const saturation = (
  { k1, b }: Bm25Parameters,
  frequency: number,
  length: number,
  averageLength: number,
): number => frequency / (frequency + k1 * (1 - b + (b * length) / averageLength))
