// Normalizes spellings that people consider the same.

/** Applies compatibility normalization and lower case, and removes invisible characters. */
export function normalizeWord(word: string): string {
  if (isAscii(word)) return word.toLowerCase()
  return word
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\p{Cf}\p{Cs}\u0640]/gu, '')
    .replace(/\u2010/g, '-')
    .normalize('NFC')
}

const FOLDED_SCRIPT = /[\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}\p{sc=Arab}\p{sc=Hebr}\p{sc=Armn}]/u
const LETTERS: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ð: 'd', ł: 'l', ı: 'i', þ: 'th', ħ: 'h', ς: 'σ', ґ: 'г' },
  ...{ ی: 'ي', ى: 'ي', ک: 'ك', ة: 'ه' },
}

/**
 * Removes the marks that people omit: accents in European scripts, vowel points in Arabic and Hebrew. Keeps the breve
 * and the dots of й and ї, which are distinct letters, and the marks of Indic scripts, Thai and kana, which are part of
 * the spelling.
 */
export function foldDiacritics(word: string): string {
  if (isAscii(word)) return word
  const digits = word.replace(/[٠-٩۰-۹०-९๐-๙]/g, asciiDigit)
  if (!FOLDED_SCRIPT.test(word)) return digits
  return digits
    .normalize('NFD')
    .replace(/((?<=[иіу])[\u0306\u0308])|\p{Mn}/gu, '$1')
    .replace(/[ßæœøđðłıþħςґیىکة]/g, (it) => LETTERS[it] ?? it)
    .normalize('NFC')
}

/** The form in which words are compared, regardless of case and diacritics. */
export const normalizeAndFold = (text: string): string => foldDiacritics(normalizeWord(text))

export const isAscii = (word: string): boolean => /^[\0-\x7f]*$/.test(word)

const asciiDigit = (digit: string): string => {
  const unit = digit.charCodeAt(0)
  const isDevanagari = unit >= 0x966 && unit <= 0x96f
  return String(isDevanagari ? unit - 0x966 : unit & 15)
}
