// Statistics for the benchmarks: recall, medians, and the significance of a difference.
import { percentile, type RelevanceJudgements } from '../src/domain/search/ranking-metrics.ts'

/** The share of the relevant documents among the first `depth`. */
export function recall(ranking: readonly string[], judgements: RelevanceJudgements, depth: number): number {
  const relevant = new Set([...judgements].filter(([, grade]) => grade > 0).map(([id]) => id))
  const found = new Set(ranking.slice(0, depth).filter((id) => relevant.has(id)))
  return relevant.size === 0 ? 0 : found.size / relevant.size
}

export const median = (values: readonly number[]): number => percentile(values, 0.5)

/**
 * The probability that chance makes a difference of the means at least as large: its share of rounds in which the two
 * values of each query are exchanged at random.
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
