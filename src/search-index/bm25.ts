// How well does a piece of text match a word? One place for the figures, so that every index ranks alike.

/** Chosen over six public collections: docs/decisions/0010-text-analysis.md. */
export const K1 = 1.5
export const B = 0.75
/** How many times a word of the title counts. */
export const TITLE_WEIGHT = 2

/** How telling a word is that `found` of `all` pieces hold. Never negative. */
export const idf = (all: number, found: number): number => Math.log(1 + (all - found + 0.5) / (found + 0.5))

/** From 0 to below 1: how much a word that occurs `count` times fills a piece of this length. */
export const saturation = (count: number, length: number, averageLength: number): number =>
  count / (count + K1 * (1 - B + (B * length) / averageLength))
