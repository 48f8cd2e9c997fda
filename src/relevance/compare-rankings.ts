// Compares the first pages of two rankings, for one query and summed up for many.
import { mean, ndcg, rankBiasedDifference, rankingOverlap } from '../domain/search/ranking-metrics.ts'

/** Most users look no further. */
export const DEPTH = 10

export interface RankingPair {
  /** Document ids, best first. */
  current: readonly string[]
  changed: readonly string[]
}

export interface Comparison {
  rankings: RankingPair
  grades: ReadonlyMap<string, number>
  /** Null when no relevant document is known for the query. */
  ndcg: { current: number; changed: number } | null
  overlap: number
  difference: number
}

export interface ComparisonSummary {
  /** The number of queries with known relevant documents; `better`, `worse` and `same` count these. */
  judged: number
  better: number
  worse: number
  same: number
  /** The number of queries whose first page differs, judged or not. */
  moved: number
  ndcg: { current: number; changed: number } | null
  overlap: number | null
  difference: number | null
}

export const compareRankings = (lists: RankingPair, grades: ReadonlyMap<string, number>): Comparison => ({
  rankings: lists,
  grades,
  ndcg: [...grades.values()].some((it) => it > 0)
    ? { current: ndcg(lists.current, grades, DEPTH), changed: ndcg(lists.changed, grades, DEPTH) }
    : null,
  overlap: rankingOverlap(lists.current, lists.changed, DEPTH),
  difference: rankBiasedDifference(lists.current, lists.changed, DEPTH),
})

/** Smaller differences are rounding errors. */
const EPSILON = 1e-9

/** The change in nDCG; 0 when it is unknown. */
export function ndcgGain({ ndcg }: Comparison): number {
  const gain = ndcg === null ? 0 : ndcg.changed - ndcg.current
  return Math.abs(gain) < EPSILON ? 0 : gain
}

export const hasMoved = ({ difference }: Comparison): boolean => difference > EPSILON

export function summarizeComparisons(compared: readonly Comparison[]): ComparisonSummary {
  const judged = compared.filter((it) => it.ndcg !== null)
  const judgedNdcg = judged.flatMap(({ ndcg }) => ndcg ?? [])
  const gains = judged.map(ndcgGain)
  const meanOf = (values: readonly number[]) => (values.length === 0 ? null : mean(values))
  return {
    judged: judged.length,
    better: gains.filter((it) => it > 0).length,
    worse: gains.filter((it) => it < 0).length,
    same: gains.filter((it) => it === 0).length,
    moved: compared.filter(hasMoved).length,
    ndcg:
      judged.length === 0
        ? null
        : { current: mean(judgedNdcg.map((it) => it.current)), changed: mean(judgedNdcg.map((it) => it.changed)) },
    overlap: meanOf(compared.map((it) => it.overlap)),
    difference: meanOf(compared.map((it) => it.difference)),
  }
}
