// How much it counts that people open a document, or that others link to it: from 0 to 1, ever less for each more.

/** Fewer people than these count as nobody, so that no single person's click shows. */
export const MIN_PEOPLE = 3
/** Clicks of searches that are older do not count. */
export const CLICK_DAYS = 90

const MAX_LEVEL = 4
/** A document that few people chose counts half as much as one that many did. */
const LEVEL_SHARES = [0, 0.5, 0.65, 0.85, 1]

/** 3, 6, 12 and 24 people are steps, so that the ranking does not tell when one more person opened a document. */
export const clickLevel = (people: number): number =>
  people < MIN_PEOPLE ? 0 : Math.min(MAX_LEVEL, 1 + Math.floor(Math.log2(people / MIN_PEOPLE)))

export const clickShare = (level: number): number => LEVEL_SHARES[level] ?? 0

const MANY_LINKS = 10

export const linkShare = (links: number): number => Math.min(1, Math.log1p(links) / Math.log1p(MANY_LINKS))
