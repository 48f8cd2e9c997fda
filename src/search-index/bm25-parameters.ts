// The BM25 parameters, shared by all index implementations so that they rank alike.

/** Tuned on six public collections; see docs/decisions/0010-text-analysis.md. */
export const K1 = 1.5
export const B = 0.75
/** The factor by which words of the title count. */
export const TITLE_WEIGHT = 2
