// Folds copies of a document into one result: the same title and nearly the same passage.
import type { RetrievalResult } from '../retrieve.ts'

export interface FoldedResult extends RetrievalResult {
  /** The copies that follow on the page, best first. */
  similar: RetrievalResult[]
}

/** The share of common words above which two passages say the same. */
const MIN_SHARED = 0.9
/** A result is compared with the first results of its title only, so that folding takes linear time. */
const MAX_COMPARED = 5

/** Keeps the order of the results. Folds within the page only, so that pages and totals stay as they are. */
export function foldSimilar(results: readonly RetrievalResult[]): FoldedResult[] {
  const folded: FoldedResult[] = []
  const byTitle = new Map<string, { result: FoldedResult; words: ReadonlySet<string> }[]>()
  for (const result of results) {
    const title = titleKey(result)
    const words = wordsOf(result.chunk.content)
    const compared = byTitle.get(title) ?? []
    const original = compared.slice(0, MAX_COMPARED).find((it) => shareOfCommon(it.words, words) >= MIN_SHARED)
    if (original !== undefined) {
      original.result.similar.push(result)
      continue
    }
    const kept = { ...result, similar: [] }
    folded.push(kept)
    byTitle.set(title, [...compared, { result: kept, words }].slice(0, MAX_COMPARED))
  }
  return folded
}

const titleKey = ({ document: { title, semantic_identifier } }: RetrievalResult): string =>
  (title ?? semantic_identifier).normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim()

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu))

/** From 0 to 1. Passages without words share nothing. */
function shareOfCommon(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const all = one.union(other).size
  return all === 0 ? 0 : one.intersection(other).size / all
}
