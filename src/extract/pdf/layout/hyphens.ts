// Joins words that a hyphen divides at the end of a line.

/** The longest part of a word that is compared. */
const MAX_PART = 40
/** Each looks through the page. Real pages have fewer divided words. */
const MAX_LOOKUPS = 500

/**
 * A word that goes on with a small letter loses its hyphen, unless its first part has one already (`state-of-the-art`), or
 * the page has the compound within a line. Before capital letters and digits the hyphen is part of the word.
 */
export function joinHyphenated(text: string): string {
  let lowerCase: string | undefined
  let lookups = 0
  return text.replace(/[\ufffe\x02](?:\r?\n)?/g, (mark, at: number) => {
    const end = at + mark.length
    const before = lastPart(text.slice(Math.max(0, at - MAX_PART), at))
    const after = firstPart(text.slice(end, end + MAX_PART))
    if (!/^\p{Ll}/u.test(after) || before.includes('-')) return '-'
    if (++lookups > MAX_LOOKUPS) return ''
    lowerCase ??= text.toLowerCase()
    return before !== '' && lowerCase.includes(`${before}-${after}`.toLowerCase()) ? '-' : ''
  })
}

const lastPart = (text: string): string => /(?<![\p{L}-])[\p{L}-]{1,40}$/u.exec(text)?.[0] ?? ''
const firstPart = (text: string): string => /^\p{L}{1,40}/u.exec(text)?.[0] ?? ''
