// What a change does to the first page of a query, and of many.
import { mean, ndcg, overlap, rankBiasedDifference } from '../domain/measures.ts'

/** As deep as most people look. */
export const DEPTH = 10

export interface Lists {
  /** Ids of documents, best first. */
  current: readonly string[]
  changed: readonly string[]
}

export interface Comparison {
  lists: Lists
  grades: ReadonlyMap<string, number>
  /** Null where nothing is known to fit the query. */
  ndcg: { current: number; changed: number } | null
  overlap: number
  difference: number
}

export interface Summary {
  /** Queries of which it is known what fits; `better`, `worse` and `same` are of these. */
  judged: number
  better: number
  worse: number
  same: number
  /** Queries whose first page is another one, judged or not. */
  moved: number
  ndcg: { current: number; changed: number } | null
  overlap: number | null
  difference: number | null
}

export const compare = (lists: Lists, grades: ReadonlyMap<string, number>): Comparison => ({
  lists,
  grades,
  ndcg: [...grades.values()].some((it) => it > 0)
    ? { current: ndcg(lists.current, grades, DEPTH), changed: ndcg(lists.changed, grades, DEPTH) }
    : null,
  overlap: overlap(lists.current, lists.changed, DEPTH),
  difference: rankBiasedDifference(lists.current, lists.changed, DEPTH),
})

/** Less is the noise of reckoning. */
const NOTHING = 1e-9

/** What the change adds to the nDCG; 0 where it is not known. */
export function gainOf({ ndcg }: Comparison): number {
  const gain = ndcg === null ? 0 : ndcg.changed - ndcg.current
  return Math.abs(gain) < NOTHING ? 0 : gain
}

export const isMoved = ({ difference }: Comparison): boolean => difference > NOTHING

export function summary(compared: readonly Comparison[]): Summary {
  const judged = compared.filter((it) => it.ndcg !== null)
  const gains = judged.map(gainOf)
  const meanOf = (values: readonly number[]) => (values.length === 0 ? null : mean(values))
  return {
    judged: judged.length,
    better: gains.filter((it) => it > 0).length,
    worse: gains.filter((it) => it < 0).length,
    same: gains.filter((it) => it === 0).length,
    moved: compared.filter(isMoved).length,
    ndcg:
      judged.length === 0
        ? null
        : { current: mean(judged.map((it) => it.ndcg!.current)), changed: mean(judged.map((it) => it.ndcg!.changed)) },
    overlap: meanOf(compared.map((it) => it.overlap)),
    difference: meanOf(compared.map((it) => it.difference)),
  }
}
