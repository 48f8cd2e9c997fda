// Joins words that a hyphen divides at the end of a line.
import type { PageLine } from './page-lines.ts'

/** Real documents have fewer. */
const MAX_COMPOUNDS = 20_000
const COMPOUND = /(?<![\p{L}\p{N}-])\p{L}{1,40}-\p{L}{1,40}(?![\p{L}\p{N}-])/gu

/** Adds words such as `well-known` that stand within a line, in lower case. */
export function addCompounds(compounds: Set<string>, lines: readonly PageLine[]): void {
  for (const { text } of lines)
    if (text.includes('-') && compounds.size < MAX_COMPOUNDS)
      for (const [word] of text.matchAll(COMPOUND)) compounds.add(word.toLowerCase())
}

/**
 * A word that goes on with a small letter loses its hyphen, unless its first part has one already (`state-of-the-art`), or
 * the document has the compound within a line. Before capital letters and digits the hyphen is part of the word.
 */
export const joinHyphenated = (text: string, compounds: ReadonlySet<string>): string =>
  text.replace(/[\ufffe\x02](?:\r?\n)?/g, (mark, at: number) => {
    const before = lastPart(text.slice(Math.max(0, at - MAX_PART), at))
    const after = firstPart(text.slice(at + mark.length, at + mark.length + MAX_PART))
    if (!/^\p{Ll}/u.test(after) || before.includes('-')) return '-'
    return compounds.has(`${before}-${after}`.toLowerCase()) ? '-' : ''
  })

/** The longest part of a word that is compared. */
const MAX_PART = 40

const lastPart = (text: string): string => /(?<![\p{L}-])[\p{L}-]{1,40}$/u.exec(text)?.[0] ?? ''
const firstPart = (text: string): string => /^\p{L}{1,40}/u.exec(text)?.[0] ?? ''
