// How well does an entry match a term?

export interface Ranking {
  k1: number
  b: number
}

/** How telling a term is that `found` of `all` entries hold. Never negative. */
export const idf = (all: number, found: number): number => Math.log(1 + (all - found + 0.5) / (found + 0.5))

/** From 0 to below 1: how much a term that occurs `count` times fills an entry of this length. */
export const saturation = ({ k1, b }: Ranking, count: number, length: number, averageLength: number): number =>
  count / (count + k1 * (1 - b + (b * length) / averageLength))
