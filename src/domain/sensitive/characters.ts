// Runs of characters. Loops over codes, because each text is read once and may be long.

export type CharacterTest = (code: number) => boolean

export const isDigit: CharacterTest = (code) => code >= 48 && code <= 57
const isUpper: CharacterTest = (code) => code >= 65 && code <= 90
const isLower: CharacterTest = (code) => code >= 97 && code <= 122
export const isLetter: CharacterTest = (code) => isUpper(code) || isLower(code)
export const isAlphanumeric: CharacterTest = (code) => isLetter(code) || isDigit(code)
/** A letter, a digit or "_". */
export const isWord: CharacterTest = (code) => isAlphanumeric(code) || code === 95
/** Also "-". */
export const isBase64Url: CharacterTest = (code) => isWord(code) || code === 45
/** Also "+" and "/". */
export const isBase64: CharacterTest = (code) => isAlphanumeric(code) || code === 43 || code === 47

/** The end of the run that begins at `start`; at most `max` characters. */
export function endOfRun(text: string, start: number, test: CharacterTest, max: number): number {
  const limit = Math.min(text.length, start + max)
  let at = start
  while (at < limit && test(text.charCodeAt(at))) at++
  return at
}

/** Whether the character before `at` is none of these; the beginning of the text counts as none. */
export const isBoundaryBefore = (text: string, at: number, test: CharacterTest): boolean =>
  at === 0 || !test(text.charCodeAt(at - 1))

const classOf = (code: number): number => (isLower(code) ? 1 : isUpper(code) ? 2 : isDigit(code) ? 3 : 4)

/** How often the kind of character changes: lower case, upper case, digit, other. */
export function countSwitches(text: string): number {
  let count = 0
  for (let at = 1; at < text.length; at++)
    if (classOf(text.charCodeAt(at)) !== classOf(text.charCodeAt(at - 1))) count++
  return count
}

/** Shannon entropy in bits per character. */
export function entropyOf(text: string): number {
  const counts = new Map<string, number>()
  for (const it of text) counts.set(it, (counts.get(it) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length)
  return bits
}
