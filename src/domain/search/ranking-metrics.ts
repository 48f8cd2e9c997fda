// Measures of ranking quality and of the difference between two rankings. nDCG as in pytrec_eval and BEIR.

/** The grade of each judged document of a query; 0 is judged and not relevant. */
export type RelevanceJudgements = ReadonlyMap<string, number>

/** Normalised discounted cumulative gain with linear gain; the ideal order includes all judged documents. */
export function ndcg(ranking: readonly string[], judgements: RelevanceJudgements, depth: number): number {
  const ideal = discountedGain(
    [...judgements.values()].sort((a, b) => b - a),
    depth,
  )
  return ideal === 0
    ? 0
    : discountedGain(
        ranking.map((id) => judgements.get(id) ?? 0),
        depth,
      ) / ideal
}

const discountedGain = (grades: readonly number[], depth: number) =>
  grades.slice(0, depth).reduce((sum, grade, rank) => sum + Math.max(grade, 0) / Math.log2(rank + 2), 0)

/** The share of the first `depth` results that two rankings have in common, in any order; 1 if both are empty. */
export function rankingOverlap(one: readonly string[], other: readonly string[], depth: number): number {
  const longer = Math.min(depth, Math.max(one.length, other.length))
  if (longer === 0) return 1
  const first = new Set(one.slice(0, depth))
  return other.slice(0, depth).filter((id) => first.has(id)).length / longer
}

/** The probability that a user continues to the next rank; .9 gives the first ten ranks two thirds of the weight. */
const PERSISTENCE = 0.9

/**
 * The difference ranges from 0 (equal up to `depth`) to 1 (nothing in common); changes at the top weigh more. This is
 * one minus rank-biased overlap, truncated at `depth` and rescaled to reach both ends (Webber, Moffat, Zobel: A
 * similarity measure for indefinite rankings, 2010).
 */
export function rankBiasedDifference(one: readonly string[], other: readonly string[], depth: number): number {
  const weights = Array.from({ length: depth }, (_, at) => PERSISTENCE ** at)
  const shared = weights.reduce((sum, weight, at) => sum + weight * rankingOverlap(one, other, at + 1), 0)
  return 1 - shared / weights.reduce((sum, it) => sum + it, 0)
}

export const mean = (values: readonly number[]): number => values.reduce((sum, it) => sum + it, 0) / values.length

/** Nearest rank: an observed value, never an interpolated one. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}
