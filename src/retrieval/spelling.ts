// Did somebody mistype a word? Only what nobody wrote, or hardly anybody, is looked at, and only what the asker may
// find is offered.
import type { SearchIndex } from '../search-index/search-index.ts'
import { folded } from '../text/fold.ts'
import { queryTerms } from '../text/query-terms.ts'
import type { Asked } from './candidates.ts'

export interface Correction {
  /** As it was typed, and where in the text that is looked for. */
  word: string
  start: number
  end: number
  correction: string
  /** Nothing holds the word as it was typed, so the other one is looked for in its place, not beside it. */
  isUnknown: boolean
}

/** A shorter word has too many neighbours. */
const MIN_LETTERS = 4
const MIN_LETTERS_FOR_TWO = 8
/** A word in so few documents may be a mistake of their authors, if another is so many times as common. */
const RARE = 2
const COMMONER = 20
/** Words that are looked up for one query: each costs some milliseconds. */
const MAX_WORDS = 6
const NEIGHBOURS = 5

/** `seen`: where in the text those words begin that stand in what was found. They need no further look. */
export async function findCorrections(
  searchIndex: SearchIndex,
  asked: Asked,
  seen: ReadonlySet<number>,
): Promise<Correction[]> {
  const suspects = queryTerms(asked.text)
    .filter(({ word, start }) => isCorrectable(word) && !seen.has(start))
    .filter(({ word }) => !(asked.phrases ?? []).some((it) => it.includes(word)))
    .slice(0, MAX_WORDS)
  const found = await Promise.all(suspects.map((it) => correctionOf(searchIndex, asked, it)))
  return found.filter((it) => it !== undefined)
}

/** Capitals inside a word make it a name or a code ("UreH"), which its neighbours are not. */
const isCorrectable = (word: string): boolean =>
  /^\p{L}[\p{L}\p{M}'’-]*$/u.test(word) &&
  [...word].length >= MIN_LETTERS &&
  !/\p{Ll}.*\p{Lu}/u.test(word) &&
  !/[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}]/u.test(word)

async function correctionOf(
  searchIndex: SearchIndex,
  { access, filters }: Asked,
  { word, start, end }: { word: string; start: number; end: number },
): Promise<Correction | undefined> {
  const { total } = await searchIndex.search({ text: word, access, filters, offset: 0, limit: 0 })
  if (total > RARE) return undefined
  const max_edits = [...word].length >= MIN_LETTERS_FOR_TWO ? 2 : 1
  const terms = await searchIndex.terms({ near: word, max_edits, access, filters, limit: NEIGHBOURS })
  const own = folded(word)
  const best = terms.find((it) => it.term !== own && it.documents >= Math.max(1, total * COMMONER))
  return best && { word, start, end, correction: best.spelling, isUnknown: total === 0 }
}

/** The text to look for: what is unknown is replaced, what is rare has the other word beside it. */
export const correctedText = (text: string, corrections: readonly Correction[]): string =>
  replaced(text, corrections, ({ word, correction, isUnknown }) => (isUnknown ? correction : `${word} ${correction}`))

/** What somebody would have typed: the first place of each word, as a whole word. */
export const correctedQuery = (query: string, corrections: readonly Correction[]): string =>
  corrections.reduce((text, { word, correction }) => {
    const escaped = word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    return text.replace(new RegExp(`(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])`, 'u'), () => correction)
  }, query)

function replaced(text: string, corrections: readonly Correction[], by: (it: Correction) => string): string {
  let result = text
  for (const it of corrections.toSorted((a, b) => b.start - a.start)) {
    result = result.slice(0, it.start) + by(it) + result.slice(it.end)
  }
  return result
}
