// What a character does in a word. One byte per code point, found out at the first sight of each.

export const SEPARATOR = 1
/** A letter or digit of a script that puts spaces between words. */
export const LETTER = 2
/** Hangul stands apart from LETTER because particles follow foreign words without a space: "AI는". */
export const HANGUL = 3
/** A letter of a script without spaces: words are found by dictionary. */
export const DENSE = 4
/** Continues the word before it and starts none: combining marks, soft hyphen, zero-width joiners. */
export const EXTENDER = 5
/** Ties two words into a compound when it stands alone between them: "PROJ-123". */
export const JOINER = 6
/** Splits words, except in the scripts that spell with it. */
export const APOSTROPHE = 7
/** Two units of UTF-16 that may form one character. */
const SURROGATE = 8

const classes = new Uint8Array(0x110000)

/** The class of the character at `index`; a low surrogate belongs to the character before it. */
export function classAt(text: string, index: number): number {
  const unit = text.charCodeAt(index)
  const known = classes[unit]!
  if (known !== 0 && known !== SURROGATE) return known
  const codePoint = text.codePointAt(index)!
  const found = classes[codePoint]!
  return found !== 0 && found !== SURROGATE ? found : learn(codePoint)
}

/** UTF-16 units of the character at `index`. */
export const widthAt = (text: string, index: number): number =>
  classes[text.charCodeAt(index)] === SURROGATE && text.codePointAt(index)! > 0xffff ? 2 : 1

function learn(codePoint: number): number {
  if (codePoint >= 0xd800 && codePoint <= 0xdfff) return SEPARATOR
  const found = classify(String.fromCodePoint(codePoint))
  classes[codePoint] = found
  return found
}

const DENSE_SCRIPT = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]/u

function classify(character: string): number {
  if (character !== '\u200b' && /\p{Cf}/u.test(character)) return EXTENDER
  const plain = character.normalize('NFKC')
  if (/^['"\u2019\u02bc\u05f3\u05f4]$/.test(plain)) return APOSTROPHE
  const isWord = /[\p{L}\p{M}\p{N}]/u.test(character)
  if (isWord && DENSE_SCRIPT.test(character) && !/\p{sc=Zinh}/u.test(character)) return DENSE
  if (/\p{M}/u.test(character)) return EXTENDER
  if (isWord) return /\p{sc=Hang}/u.test(character) ? HANGUL : LETTER
  return /^[-_.@&\u2010]$/.test(plain) ? JOINER : SEPARATOR
}

for (let unit = 0xd800; unit <= 0xdfff; unit++) classes[unit] = SURROGATE
