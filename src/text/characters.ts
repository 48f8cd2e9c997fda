// The role of a character in a word. The class of each code point is computed once and kept in one byte.

export const SEPARATOR = 1
/** A letter or digit of a script that separates words by spaces. */
export const LETTER = 2
/** Hangul is distinct from LETTER because particles follow foreign words without a space: "AI는". */
export const HANGUL = 3
/** A letter of a script without spaces between words. Its words are found with a dictionary. */
export const DENSE = 4
/** Continues a word but starts none: combining marks, soft hyphen, zero-width joiners. */
export const EXTENDER = 5
/** Joins two words into a compound if it stands alone between them: "PROJ-123". */
export const JOINER = 6
/** Separates words, except in scripts that use it for spelling. */
export const APOSTROPHE = 7
/** A UTF-16 surrogate, which is one half of a character. */
const SURROGATE = 8

const classes = new Uint8Array(0x110000)

/** Returns the class of the character at `index`. A low surrogate counts as part of the preceding character. */
export function classAt(text: string, index: number): number {
  const unit = text.charCodeAt(index)
  const known = classes[unit]!
  if (known !== 0 && known !== SURROGATE) return known
  const codePoint = text.codePointAt(index)!
  const found = classes[codePoint]!
  return found !== 0 && found !== SURROGATE ? found : classifyAndCache(codePoint)
}

/** Returns the number of UTF-16 units of the character at `index`. */
export const widthAt = (text: string, index: number): number =>
  classes[text.charCodeAt(index)] === SURROGATE && text.codePointAt(index)! > 0xffff ? 2 : 1

function classifyAndCache(codePoint: number): number {
  if (codePoint >= 0xd800 && codePoint <= 0xdfff) return SEPARATOR
  const found = classify(String.fromCodePoint(codePoint))
  classes[codePoint] = found
  return found
}

const DENSE_SCRIPT = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]/u

function classify(character: string): number {
  if (character !== '\u200b' && /\p{Cf}/u.test(character)) return EXTENDER
  const plain = character.normalize('NFKC')
  if (/^['"\u2019\u02bc\u05f3\u05f4\u00b7]$/.test(plain)) return APOSTROPHE
  const isWord = /[\p{L}\p{M}\p{N}]/u.test(character)
  if (isWord && DENSE_SCRIPT.test(character) && !/\p{sc=Zinh}/u.test(character)) return DENSE
  if (/\p{M}/u.test(character)) return EXTENDER
  if (isWord) return /\p{sc=Hang}/u.test(character) ? HANGUL : LETTER
  return /^[-_.@&\u2010]$/.test(plain) ? JOINER : SEPARATOR
}

// ASCII is known in advance: most texts consist of it, and the first use of the expressions above takes 60 ms.
for (let unit = 0; unit < 0x80; unit++) classes[unit] = classifyAscii(String.fromCharCode(unit))
for (let unit = 0xd800; unit <= 0xdfff; unit++) classes[unit] = SURROGATE

function classifyAscii(character: string): number {
  if (/[0-9A-Za-z]/.test(character)) return LETTER
  if (`'"`.includes(character)) return APOSTROPHE
  return '-_.@&'.includes(character) ? JOINER : SEPARATOR
}
