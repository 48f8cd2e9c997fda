// Trims characters in linear time: an expression such as /x+$/ tries every x in the text.

/** The characters that `\s` and `trim` treat as white space. */
export const WHITESPACE =
  ' \t\n\v\f\r\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff'

/** Removes the given characters, each a UTF-16 unit, from the end. */
export function trimEndCharacters(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--
  return text.slice(0, end)
}

/** Removes the given characters from both ends. */
export function trimCharacters(text: string, characters: string): string {
  let start = 0
  while (start < text.length && characters.includes(text.charAt(start))) start++
  return trimEndCharacters(text.slice(start), characters)
}
