// How good is a ranking, and how far are two of them apart? nDCG as pytrec_eval and BEIR count it.

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

/** The share of the first `depth` that two rankings have in common, in whatever order; 1 where neither has any. */
export function overlap(one: readonly string[], other: readonly string[], depth: number): number {
  const longer = Math.min(depth, Math.max(one.length, other.length))
  if (longer === 0) return 1
  const first = new Set(one.slice(0, depth))
  return other.slice(0, depth).filter((id) => first.has(id)).length / longer
}

/** How likely somebody goes on to the next place; .9 gives the first ten places two thirds of the weight. */
const PATIENCE = 0.9

/**
 * From 0, the same first `depth`, to 1, nothing in common; a change at the top weighs more than one below it. It is what
 * rank-biased overlap lacks to 1, cut at `depth` and made to reach both ends (Webber, Moffat, Zobel: A similarity measure
 * for indefinite rankings, 2010).
 */
export function rankBiasedDifference(one: readonly string[], other: readonly string[], depth: number): number {
  const weights = Array.from({ length: depth }, (_, at) => PATIENCE ** at)
  const shared = weights.reduce((sum, weight, at) => sum + weight * overlap(one, other, at + 1), 0)
  return 1 - shared / weights.reduce((sum, it) => sum + it, 0)
}

export const mean = (values: readonly number[]): number => values.reduce((sum, it) => sum + it, 0) / values.length

/** Nearest rank: an observed value, never one in between. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}
