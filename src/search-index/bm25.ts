// The figures of BM25, in one place, so that every index ranks alike.

/** Chosen over six public collections: docs/decisions/0010-text-analysis.md. */
export const K1 = 1.5
export const B = 0.75
/** How many times a word of the title counts. */
export const TITLE_WEIGHT = 2
