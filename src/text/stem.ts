// Stems a word by the rules of its language.
import { createStemmer, type IsoCode } from 'multilingual-stemmer'
import type { Language } from './language.ts'
import { foldDiacritics, isAscii } from './normalize.ts'

interface Stemmer {
  stem: (word: string) => string
  /**
   * Separates the stems of languages that share a script: French "notes" must not match English "not". English and the
   * most common language of each other script have no suffix.
   */
  suffix: string
}

/**
 * A stemmer needs the accents ("arrivée"), but people omit them ("arrivee"). So a word produces its own stem and, if
 * different, the stem of the unaccented spelling. Both are returned without accents.
 */
export function stemWord(word: string, language: Language): string[] {
  const { stem, suffix } = stemmerOf(word, language)
  const own = RESPELLED[language]?.(word) ?? word
  const unaccented = foldDiacritics(own)
  const spellings = unaccented === own ? [own] : [own, unaccented]
  return spellings.map((it) => foldDiacritics(stem(it) || it) + suffix)
}

/** "Aarhus" and "Koege" are Århus and Køge on other keyboards. */
const withDanishLetters = (word: string): string => word.replaceAll('aa', 'å').replaceAll('oe', 'ø')

/** Spellings that a stemmer does not know; German's knows "Mueller". */
const RESPELLED: Partial<Record<Language, (word: string) => string>> = {
  da: withDanishLetters,
  no: withDanishLetters,
  // "And the", "so the": the stemmer knows the article, but not with a conjunction before it.
  ar: (word) => (/^[وف]ال\p{L}{3}/u.test(word) ? word.slice(1) : word),
}

/** A language with a Snowball stemmer. */
type StemmedLanguage = Language & IsoCode
const LATIN: readonly StemmedLanguage[] = [
  ...(['ca', 'cs', 'da', 'de', 'en', 'es', 'et', 'eu', 'fi', 'fr', 'ga', 'hu'] as const),
  ...(['id', 'it', 'lt', 'nl', 'no', 'pl', 'pt', 'ro', 'sr', 'sv', 'tr'] as const),
]
/** The first language stems words of every language of the script that is not listed. */
const SCRIPTS: [RegExp, readonly [StemmedLanguage, ...StemmedLanguage[]]][] = [
  [/\p{sc=Cyrl}/u, ['ru', 'sr']],
  [/\p{sc=Grek}/u, ['el']],
  [/\p{sc=Arab}/u, ['ar', 'fa']],
  [/\p{sc=Deva}/u, ['hi', 'ne']],
  [/\p{sc=Armn}/u, ['hy']],
  [/\p{sc=Taml}/u, ['ta']],
]

const unstemmed: Stemmer = { stem: (word) => word, suffix: '' }

function stemmerOf(word: string, language: Language): Stemmer {
  if (isAscii(word) || /^\p{sc=Latn}/u.test(word)) return latinStemmer(language)
  if (/^\p{sc=Hang}/u.test(word)) return korean
  const languages = SCRIPTS.find(([script]) => script.test(word))?.[1]
  if (languages === undefined) return unstemmed
  return snowballStemmer(languages.find((it) => it === language) ?? languages[0], languages[0])
}

/** Latin words in a text of another script are mostly English. */
function latinStemmer(language: Language): Stemmer {
  if (language === 'und') return unstemmed
  return snowballStemmer(LATIN.find((it) => it === language) ?? 'en', 'en')
}

const stemmers = new Map<Language, Stemmer>()

function snowballStemmer(language: StemmedLanguage, commonest: StemmedLanguage): Stemmer {
  const known = stemmers.get(language)
  if (known !== undefined) return known
  const stemmer = { stem: createStemmer(language), suffix: language === commonest ? '' : `:${language}` }
  stemmers.set(language, stemmer)
  return stemmer
}

const PARTICLES =
  /(?<=.)(?:에게서|에서는|에서도|으로서|으로써|에서|에게|께서|부터|까지|으로|이나|이며|에는|에도|과의|와의)$|(?<=..)[은는이가을를의에로와과도만]$/u

/**
 * Removes particles after a noun and the plural before them. A particle of one syllable is removed only if two
 * syllables remain.
 */
const korean: Stemmer = { stem: (word) => word.replace(PARTICLES, '').replace(/(?<=..)들$/u, ''), suffix: '' }
