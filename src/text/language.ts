// Detects the language of a text.
import { createRequire } from 'node:module'
import type { detect } from 'tinyld'
import { isAscii, normalizeWord } from './normalize.ts'
import stopWords from './stop-words.json' with { type: 'json' }
import { eachWord } from './words.ts'

/** ISO 639-1 codes; `und` stands for any other language of a script with spaces. */
export type Language = (typeof languages)[number]
export const languages = [
  ...([
    'ar',
    'bg',
    'ca',
    'cs',
    'da',
    'de',
    'el',
    'en',
    'es',
    'et',
    'eu',
    'fa',
    'fi',
    'fr',
    'ga',
    'he',
    'hi',
    'hu',
  ] as const),
  ...([
    'hy',
    'id',
    'it',
    'ja',
    'ko',
    'lt',
    'ne',
    'nl',
    'no',
    'pl',
    'pt',
    'ro',
    'ru',
    'sr',
    'sv',
    'ta',
    'th',
    'tr',
  ] as const),
  ...(['uk', 'zh', 'und'] as const),
] as const

/** The number of UTF-16 units that are examined. More would cost time without changing the result. */
const SAMPLE = 500

export function detectLanguage(text: string): Language {
  const sample = text.slice(0, SAMPLE)
  const script = scriptOf(sample)
  if (script === 'latin') return latinLanguage(sample)
  const candidates = byScript[script]
  return candidates.length === 1 ? candidates[0] : (askDetector(sample, candidates) ?? candidates[0])
}

const byScript = {
  greek: ['el'],
  cyrillic: ['ru', 'uk', 'bg', 'sr'],
  arabic: ['ar', 'fa'],
  hebrew: ['he'],
  devanagari: ['hi', 'ne'],
  armenian: ['hy'],
  tamil: ['ta'],
  thai: ['th'],
  hangul: ['ko'],
  kana: ['ja'],
  han: ['zh'],
  other: ['und'],
} as const satisfies Record<string, readonly Language[]>
type Script = keyof typeof byScript | 'latin'

const SCRIPTS: [Script, RegExp][] = [
  ['kana', /[\p{sc=Hira}\p{sc=Kana}]/gu],
  ['han', /\p{sc=Han}/gu],
  ['hangul', /\p{sc=Hang}/gu],
  ['latin', /\p{sc=Latn}/gu],
  ['cyrillic', /\p{sc=Cyrl}/gu],
  ['greek', /\p{sc=Grek}/gu],
  ['arabic', /\p{sc=Arab}/gu],
  ['hebrew', /\p{sc=Hebr}/gu],
  ['devanagari', /\p{sc=Deva}/gu],
  ['armenian', /\p{sc=Armn}/gu],
  ['tamil', /\p{sc=Taml}/gu],
  ['thai', /\p{sc=Thai}/gu],
]

/** Returns the script of most letters. A Han or Hangul character counts as much as two or three letters. */
function scriptOf(sample: string): Script {
  if (/^[\0-\u024f\u2000-\u206f]*$/.test(sample)) return 'latin'
  const counts = new Map(SCRIPTS.map(([script, pattern]) => [script, sample.match(pattern)?.length ?? 0]))
  const letters = sample.match(/\p{L}/gu)?.length ?? 0
  const countOf = (script: Script) => counts.get(script) ?? 0
  if (countOf('kana') > 0 && (countOf('kana') + countOf('han')) * 4 > letters) return 'kana'
  for (const script of ['han', 'hangul'] as const) if (countOf(script) * 4 > letters) return script
  const [best, count] = [...counts].reduce((most, it) => (it[1] > most[1] ? it : most))
  return count * 3 > letters ? best : 'other'
}

const others: readonly string[] = Object.values(byScript).flat()
const LATIN = languages.filter((it) => !others.includes(it))

const stopWordsOf: Partial<Record<Language, string>> = stopWords
let functionWords: ReturnType<typeof groupFunctionWords> | undefined

/** The Latin-script languages in which each word is a function word. */
const groupFunctionWords = () =>
  Map.groupBy(
    LATIN.flatMap((language) => stopWordsOf[language]?.split(' ').map((word) => ({ word, language })) ?? []),
    (it) => it.word,
  )

/**
 * Counts function words, which costs a tenth of what the library costs. The library decides if there are few of them or
 * if two languages are close. A text without function words is a title, a log or code and is treated as English.
 */
function latinLanguage(sample: string): Language {
  const words = new Set(sample.toLowerCase().match(/\p{L}{2,}/gu))
  const counts = countFunctionWords(words)
  const english = counts.get('en') ?? 0
  const [first, most] = [...counts].reduce((best, it) => (it[1] > best[1] ? it : best))
  const second = Math.max(0, ...[...counts].map(([language, count]) => (language === first ? 0 : count)))
  if (most >= 3 && most > 1.3 * second) return first
  const isPlain = /^[\0-\x7f\u2000-\u206f]*$/.test(sample)
  if (isPlain && (words.size < 4 || english === most)) return 'en'
  const answer = askDetector(sample, LATIN)
  if (answer === undefined) return most > 0 ? first : 'und'
  const found = counts.get(answer) ?? 0
  return found > english || (found === english && !isPlain) ? answer : first
}

/** Counts the distinct words that are function words, per language. */
function countFunctionWords(words: ReadonlySet<string>): Map<Language, number> {
  const counts = new Map<Language, number>([['en', 0]])
  functionWords ??= groupFunctionWords()
  for (const word of words) {
    for (const { language } of functionWords.get(word) ?? []) counts.set(language, (counts.get(language) ?? 0) + 1)
  }
  return counts
}

/** `english` stands also for text without a sign of another language: a name, an identifier, code. */
export type QueryKind = 'english' | 'latin' | 'other_script'

/**
 * Tells a model that reads English only whether it reads a query. Asks no library, because it runs before every search.
 * A query is in another Latin language if all its English function words are words of that language too, and two of its
 * words are not English: at least one function word, and words with accents. English queries contain names such as "São
 * Paulo".
 */
export function queryKind(query: string): QueryKind {
  const sample = query.slice(0, SAMPLE)
  if (scriptOf(sample) !== 'latin') return /\p{L}/u.test(sample) ? 'other_script' : 'english'
  return otherLatinLanguages(sample).length > 0 ? 'latin' : 'english'
}

/** The Latin languages other than English in which the query may be; none for an English one, as `queryKind` decides. */
export function otherLatinLanguages(query: string): Language[] {
  const words = [...plainWords(query.slice(0, SAMPLE))]
  functionWords ??= groupFunctionWords()
  const hasWord = (language: Language) => (word: string) =>
    functionWords?.get(word)?.some((it) => it.language === language) === true
  const english = words.filter(hasWord('en'))
  const others = words.filter((it) => !english.includes(it))
  if (others.length < 2) return []
  const accented = others.filter((it) => !isAscii(it))
  const isIn = (language: Language) => {
    if (!english.every(hasWord(language))) return false
    const own = others.filter(hasWord(language))
    return own.length > 0 && new Set([...own, ...accented]).size > 1
  }
  return LATIN.filter(isIn)
}

/**
 * Returns the languages that a query is certainly not in. None for names, identifiers and code, which documents in every
 * language contain.
 */
export function foreignLanguages(query: string): readonly Language[] {
  const kind = queryKind(query)
  if (kind === 'other_script') return LATIN
  if (kind === 'latin') return languages.filter((it) => it === 'en' || (it !== 'und' && others.includes(it)))
  functionWords ??= groupFunctionWords()
  // Words such as "in" and "was" are German too, and "Urlaub in Elternzeit" may have no other function word.
  const isOnlyEnglish = (word: string) => functionWords?.get(word)?.every((it) => it.language === 'en') === true
  const isEnglish = [...plainWords(query.slice(0, SAMPLE))].some(isOnlyEnglish)
  return isEnglish ? languages.filter((it) => it !== 'en' && it !== 'und') : []
}

const MULTILINGUAL_SCRIPTS: readonly Script[] = ['latin', 'cyrillic', 'greek', 'han', 'kana', 'hangul']
/** The languages that the multilingual model reads. It does not know the letters of the others. */
export const multilingualLanguages: readonly Language[] = [
  ...LATIN,
  ...MULTILINGUAL_SCRIPTS.flatMap((it) => (it === 'latin' ? [] : byScript[it])),
]

/** Whether the multilingual model knows the letters of a query. */
export const isInMultilingualScript = (query: string): boolean =>
  MULTILINGUAL_SCRIPTS.includes(scriptOf(query.slice(0, SAMPLE)))

/** The distinct words in lower case, without parts of identifiers such as "os.path", and abbreviations such as "US". */
function plainWords(text: string): Set<string> {
  const words = new Set<string>()
  let identifierEnd = 0
  eachWord(text, (start, end, kind) => {
    if (kind === 'exact') identifierEnd = end
    const written = text.slice(start, end)
    if (end > identifierEnd && end - start > 1 && written !== written.toUpperCase()) words.add(normalizeWord(written))
  })
  return words
}

let library: { detect: typeof detect } | undefined
const loadLibrary = (): { detect: typeof detect } => createRequire(import.meta.url)('tinyld')

function askDetector(sample: string, candidates: readonly Language[]): Language | undefined {
  // Loaded on first use because it takes 50 MB and 100 ms.
  library ??= loadLibrary()
  const answer = library.detect(sample, { only: [...candidates] })
  return candidates.find((it) => it === answer)
}
