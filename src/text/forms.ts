// The terms a word is indexed and looked for by.
import { createStemmer, type IsoCode } from 'multilingual-stemmer'
import type { Language } from './language.ts'
import type { WordKind } from './words.ts'

/** UTF-16 units. What is longer is cut: nobody looks for it by its end. */
const MAX_TERM = 64
/** Words remembered over all languages, about 20 MB; then it starts again. */
const MAX_CACHED = 1 << 17

const caches = new Map<string, Map<string, readonly string[]>>()
let cached = 0

/** A look-up that remembers; take it once per text. */
export function formsIn(language: Language, kind: WordKind): (word: string) => readonly string[] {
  const key = `${language} ${kind}`
  const cache = caches.get(key) ?? new Map<string, readonly string[]>()
  caches.set(key, cache)
  return (word) => {
    const known = cache.get(word)
    if (known !== undefined) return known
    const own = detached(word.slice(0, 2 * MAX_TERM))
    const forms = formsOf(own, kind, language)
    if (own.length === word.length) remember(cache, own, forms)
    return forms
  }
}

function remember(cache: Map<string, readonly string[]>, word: string, forms: readonly string[]): void {
  if (cached >= MAX_CACHED) {
    for (const it of caches.values()) it.clear()
    cached = 0
  }
  cache.set(word, forms)
  cached++
}

/** A slice keeps the whole text it was cut from in memory; this copy does not. */
const detached = (word: string): string => (word.length < 13 ? word : word.split('').join(''))

export function formsOf(word: string, kind: WordKind, language: Language): readonly string[] {
  const plain = normalized(word)
  if (kind === 'exact') return [acronym(plain) ?? cut(fold(plain))]
  const letters = plain.replace(/[^\p{L}\p{M}\p{N}+#]/gu, '')
  if (letters === '') return []
  if (kind === 'dense' || letters.length > MAX_TERM || /[\p{N}+#]/u.test(letters)) return [cut(fold(letters))]
  return [...new Set(stems(letters, language))]
}

/** Compatible forms made one, upper case made lower, and what is not seen left out. */
const normalized = (word: string): string =>
  isPlain(word)
    ? word.toLowerCase()
    : word
        .normalize('NFKC')
        .toLowerCase()
        .replace(/[\p{Cf}\p{Cs}\u0640]/gu, '')
        .replace(/\u2010/g, '-')
        .normalize('NFC')

const isPlain = (word: string): boolean => /^[\0-\x7f]*$/.test(word)

/** "U.S.A." is written "USA" as often. */
const acronym = (word: string): string | undefined =>
  /^\p{L}(\.\p{L})+$/u.test(word) ? fold(word.replaceAll('.', '')) : undefined

/**
 * A stemmer needs the accents ("arrivée"), people leave them out ("arrivee"): so a word gives its own stem and, where
 * that differs, the stem of what would be typed without accents; both are stored without.
 */
function stems(word: string, language: Language): string[] {
  const stem = stemmerOf(word, language)
  const bare = fold(word)
  return bare === word ? [cut(fold(stem(word)))] : [cut(fold(stem(word))), cut(fold(stem(bare)))]
}

const cut = (term: string): string => {
  if (term.length <= MAX_TERM) return term
  return term.slice(0, isHighSurrogate(term.charCodeAt(MAX_TERM - 1)) ? MAX_TERM - 1 : MAX_TERM)
}
const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff

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
  const digits = word.replace(/[٠-٩۰-۹०-९]/g, (it) => String(digitOf(it)))
  if (!FOLDED_SCRIPT.test(word)) return digits
  return digits
    .normalize('NFD')
    .replace(/((?<=[иіу])[\u0306\u0308])|\p{Mn}/gu, '$1')
    .replace(/[ßæœøđðłıþħςیىکة]/g, (it) => LETTERS[it]!)
    .normalize('NFC')
}

const digitOf = (digit: string): number =>
  digit.charCodeAt(0) < 0x900 ? digit.charCodeAt(0) & 15 : digit.charCodeAt(0) - 0x966

type Stem = (word: string) => string
const asIs: Stem = (word) => word

const LATIN = new Set<Language>([
  'ca',
  'cs',
  'da',
  'de',
  'en',
  'es',
  'et',
  'eu',
  'fi',
  'fr',
  'ga',
  'hu',
  'id',
  'it',
  'lt',
  'nl',
  'no',
  'pl',
  'pt',
  'ro',
  'sr',
  'sv',
  'tr',
])
/** Who stems the words of a script: the text's language if it is written so, else the commonest language that is. */
const SCRIPTS: [RegExp, readonly Language[]][] = [
  [/\p{sc=Cyrl}/u, ['ru', 'sr']],
  [/\p{sc=Grek}/u, ['el']],
  [/\p{sc=Arab}/u, ['ar', 'fa']],
  [/\p{sc=Deva}/u, ['hi', 'ne']],
  [/\p{sc=Armn}/u, ['hy']],
  [/\p{sc=Taml}/u, ['ta']],
]

function stemmerOf(word: string, language: Language): Stem {
  if (isPlain(word) || /^\p{sc=Latn}/u.test(word)) return latinStemmer(language)
  if (/^\p{sc=Hang}/u.test(word)) return withoutParticles
  const own = SCRIPTS.find(([script]) => script.test(word))?.[1]
  return own === undefined ? asIs : snowball((own.includes(language) ? language : own[0]!) as IsoCode)
}

/** Latin words inside a text of another script are mostly English. */
function latinStemmer(language: Language): Stem {
  if (language === 'und') return asIs
  return snowball((LATIN.has(language) ? language : 'en') as IsoCode)
}

const stemmers = new Map<IsoCode, Stem>()
function snowball(language: IsoCode): Stem {
  const stem = stemmers.get(language) ?? createStemmer(language)
  stemmers.set(language, stem)
  return stem
}

/** Korean: particles after a noun, and the plural before them. One syllable goes only where two stay. */
const withoutParticles: Stem = (word) =>
  word
    .replace(
      /(?<=.)(?:에게서|에서는|에서도|으로서|으로써|에서|에게|께서|부터|까지|으로|이나|이며|에는|에도|과의|와의)$|(?<=..)[은는이가을를의에로와과도만]$/u,
      '',
    )
    .replace(/(?<=..)들$/u, '')
