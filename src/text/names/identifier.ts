// Tells names that programs use from words.

/** A digit, a sign of code, a sign between its parts, or a capital after a small letter. */
const SIGN = /[\d_@#]|[.:/\\][\p{L}\p{N}]|\p{Ll}\p{Lu}/u

/** Scripts that write sentences without spaces. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}]/u

/**
 * A text without spaces such as "max_connections", "os.path", "40P01" or "--rebase". It is searched for its own sake.
 */
export const isIdentifier = (text: string): boolean =>
  /\p{L}/u.test(text) && !/\s/.test(text) && !UNSPACED.test(text) && (SIGN.test(text) || text.startsWith('-'))
