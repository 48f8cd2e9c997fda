// The forms of a word made one, by the rules of its language.
import { createStemmer, type IsoCode } from 'multilingual-stemmer'
import { fold, isPlain } from './fold.ts'
import type { Language } from './language.ts'

interface Stemmer {
  stem: (word: string) => string
  /**
   * Keeps the stems of languages apart that write alike: French "notes" is no English "not". English and the commonest
   * language of each other script go without.
   */
  suffix: string
}

/**
 * A stemmer needs the accents ("arrivée"), people leave them out ("arrivee"): so a word gives its own stem and, where
 * that differs, the stem of what would be typed without accents; both are stored without.
 */
export function stemsOf(word: string, language: Language): string[] {
  const { stem, suffix } = stemmerOf(word, language)
  const bare = fold(word)
  const spellings = bare === word ? [word] : [word, bare]
  return spellings.map((it) => fold(stem(it) || it) + suffix)
}

const LATIN = new Set('ca cs da de en es et eu fi fr ga hu id it lt nl no pl pt ro sr sv tr'.split(' '))
/** The first stems for every language of the script that is not listed. */
const SCRIPTS: [RegExp, readonly [Language, ...Language[]]][] = [
  [/\p{sc=Cyrl}/u, ['ru', 'sr']],
  [/\p{sc=Grek}/u, ['el']],
  [/\p{sc=Arab}/u, ['ar', 'fa']],
  [/\p{sc=Deva}/u, ['hi', 'ne']],
  [/\p{sc=Armn}/u, ['hy']],
  [/\p{sc=Taml}/u, ['ta']],
]

const unstemmed: Stemmer = { stem: (word) => word, suffix: '' }

function stemmerOf(word: string, language: Language): Stemmer {
  if (isPlain(word) || /^\p{sc=Latn}/u.test(word)) return latinStemmer(language)
  if (/^\p{sc=Hang}/u.test(word)) return korean
  const known = SCRIPTS.find(([script]) => script.test(word))?.[1]
  if (known === undefined) return unstemmed
  return known.includes(language) ? snowball(language, known[0]) : snowball(known[0], known[0])
}

/** Latin words inside a text of another script are mostly English. */
function latinStemmer(language: Language): Stemmer {
  if (language === 'und') return unstemmed
  return snowball(LATIN.has(language) ? language : 'en', 'en')
}

const stemmers = new Map<Language, Stemmer>()

function snowball(language: Language, commonest: Language): Stemmer {
  const known = stemmers.get(language)
  if (known !== undefined) return known
  // Languages without a Snowball stemmer stand neither in LATIN nor in SCRIPTS.
  const stemmer = { stem: createStemmer(language as IsoCode), suffix: language === commonest ? '' : `:${language}` }
  stemmers.set(language, stemmer)
  return stemmer
}

const PARTICLES =
  /(?<=.)(?:에게서|에서는|에서도|으로서|으로써|에서|에게|께서|부터|까지|으로|이나|이며|에는|에도|과의|와의)$|(?<=..)[은는이가을를의에로와과도만]$/u

/** Particles after a noun go, and the plural before them; one syllable only where two stay. */
const korean: Stemmer = { stem: (word) => word.replace(PARTICLES, '').replace(/(?<=..)들$/u, ''), suffix: '' }
