// Spellings that people hold for the same, made one.

/** Compatible forms made one, upper case made lower, and what is not seen left out. */
export function normalized(word: string): string {
  if (isPlain(word)) return word.toLowerCase()
  return word
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\p{Cf}\p{Cs}\u0640]/gu, '')
    .replace(/\u2010/g, '-')
    .normalize('NFC')
}

const FOLDED_SCRIPT = /[\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}\p{sc=Arab}\p{sc=Hebr}\p{sc=Armn}]/u
const LETTERS: Record<string, string> = {
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ð: 'd', ł: 'l', ı: 'i', þ: 'th', ħ: 'h', ς: 'σ' },
  ...{ ی: 'ي', ى: 'ي', ک: 'ك', ة: 'ه' },
}

/**
 * Without the marks that people leave out: accents of the European scripts, vowel points of Arabic and Hebrew. Not the
 * breve and dots of й and ї, which are other letters, and not the marks of Indic scripts, Thai and kana, which spell.
 */
export function fold(word: string): string {
  if (isPlain(word)) return word
  const digits = word.replace(/[٠-٩۰-۹०-९]/g, digitOf)
  if (!FOLDED_SCRIPT.test(word)) return digits
  return digits
    .normalize('NFD')
    .replace(/((?<=[иіу])[\u0306\u0308])|\p{Mn}/gu, '$1')
    .replace(/[ßæœøđðłıþħςیىکة]/g, (it) => LETTERS[it]!)
    .normalize('NFC')
}

/** As words are compared, whatever their case and marks. */
export const folded = (text: string): string => fold(normalized(text))

export const isPlain = (word: string): boolean => /^[\0-\x7f]*$/.test(word)

const digitOf = (digit: string): string => {
  const unit = digit.charCodeAt(0)
  return String(unit < 0x900 ? unit & 15 : unit - 0x966)
}
