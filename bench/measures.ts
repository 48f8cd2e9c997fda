// How good is a ranking? As pytrec_eval and BEIR count it.

/** Grade of each judged document of one query; 0 is judged and not relevant. */
export type Judgements = ReadonlyMap<string, number>

/** Normalised discounted cumulative gain with linear gain; the ideal order is made of all judged documents. */
export function ndcg(ranking: readonly string[], judgements: Judgements, depth: number): number {
  const ideal = gain(
    [...judgements.values()].sort((a, b) => b - a),
    depth,
  )
  return ideal === 0
    ? 0
    : gain(
        ranking.map((id) => judgements.get(id) ?? 0),
        depth,
      ) / ideal
}

const gain = (grades: readonly number[], depth: number) =>
  grades.slice(0, depth).reduce((sum, grade, rank) => sum + Math.max(grade, 0) / Math.log2(rank + 2), 0)

/** The share of the relevant documents among the first `depth`. */
export function recall(ranking: readonly string[], judgements: Judgements, depth: number): number {
  const relevant = new Set([...judgements].filter(([, grade]) => grade > 0).map(([id]) => id))
  const found = new Set(ranking.slice(0, depth).filter((id) => relevant.has(id)))
  return relevant.size === 0 ? 0 : found.size / relevant.size
}

export const mean = (values: readonly number[]): number => values.reduce((sum, it) => sum + it, 0) / values.length

/** Nearest rank: an observed value, never one in between. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

export const median = (values: readonly number[]): number => percentile(values, 0.5)

/**
 * How likely a difference of the means at least as large is by chance: the share of rounds in which it comes about when
 * the two values of each query are exchanged at random.
 */
export function pairedRandomisation(
  one: readonly number[],
  other: readonly number[],
  rounds: number,
  random: () => number,
): number {
  const differences = one.map((it, at) => other[at]! - it)
  const seen = Math.abs(differences.reduce((sum, it) => sum + it, 0))
  let asLarge = 0
  for (let round = 0; round < rounds; round++) {
    const sum = differences.reduce((all, it) => all + (random() < 0.5 ? it : -it), 0)
    if (Math.abs(sum) >= seen - 1e-12) asLarge++
  }
  return (asLarge + 1) / (rounds + 1)
}
