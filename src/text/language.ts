// In which language is this text?
import { createRequire } from 'node:module'
import type { detect } from 'tinyld'
import stopWords from './stop-words.json' with { type: 'json' }

/** ISO 639-1; `und` stands for any other language of a script with spaces. */
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

/** Units of text that are looked at; more does not change the answer and costs time. */
const SAMPLE = 500

export function detectLanguage(text: string): Language {
  const sample = text.slice(0, SAMPLE)
  const script = scriptOf(sample)
  if (script === 'latin') return latinLanguage(sample)
  const candidates = byScript[script]
  return candidates.length === 1 ? candidates[0]! : (ask(sample, candidates) ?? candidates[0]!)
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
  ['other', /(?!\p{sc=Latn})\p{L}/gu],
]

/** The script of most letters. A character of Han or Hangul says as much as two or three Latin letters. */
function scriptOf(sample: string): Script {
  if (/^[\0-\u024f\u2000-\u206f]*$/.test(sample)) return 'latin'
  const letters = sample.match(/\p{L}/gu)?.length ?? 0
  const count = new Map(SCRIPTS.map(([script, pattern]) => [script, sample.match(pattern)?.length ?? 0]))
  const kana = count.get('kana')!
  if (kana > 0 && (kana + count.get('han')!) * 4 > letters) return 'kana'
  for (const dense of ['han', 'hangul'] as const) if (count.get(dense)! * 4 > letters) return dense
  let best: Script = 'latin'
  for (const [script, found] of count) if (script !== 'other' && found > count.get(best)!) best = script
  return count.get('other')! > letters / 2 && count.get(best)! < letters / 2 ? 'other' : best
}

const others: readonly string[] = Object.values(byScript).flat()
const LATIN = languages.filter((it) => !others.includes(it))

/** In which Latin languages a word is a function word. */
const functionWords = Map.groupBy(
  LATIN.flatMap((language) => (language in stopWords ? pairsOf(language as keyof typeof stopWords) : [])),
  ([word]) => word,
)
function pairsOf(language: keyof typeof stopWords): [string, Language][] {
  return stopWords[language].split(' ').map((word) => [word, language])
}

/**
 * Function words tell the language of a text of some length, at a tenth of the library's cost; the library decides
 * where they are few or speak for two. A text without any is a title, a log or code, and taken for English.
 */
function latinLanguage(sample: string): Language {
  const words = sample.toLowerCase().match(/\p{L}{2,}/gu) ?? []
  const [first, second] = counted(words)
  if (first.count >= 3 && first.count > 1.3 * second.count) return first.language
  const isPlain = /^[\0-\x7f\u2000-\u206f]*$/.test(sample)
  if (isPlain && (words.length < 4 || first.count === 0)) return 'en'
  const answer = ask(sample, LATIN)
  if (answer === undefined) return first.count > 0 ? first.language : 'und'
  return isPlain && !words.some((it) => isFunctionWord(it, answer)) ? first.language : answer
}

const isFunctionWord = (word: string, language: Language): boolean =>
  functionWords.get(word)?.some(([, it]) => it === language) ?? false

type Count = { language: Language; count: number }
function counted(words: readonly string[]): [first: Count, second: Count] {
  const counts = new Map<Language, number>([['en', 0]])
  for (const word of words) {
    for (const [, language] of functionWords.get(word) ?? []) counts.set(language, (counts.get(language) ?? 0) + 1)
  }
  const none: Count = { language: 'en', count: 0 }
  const [first = none, second = none] = [...counts]
    .map(([language, count]) => ({ language, count }))
    .sort((a, b) => b.count - a.count)
  return [first, second]
}

let library: typeof detect | undefined

function ask(sample: string, candidates: readonly Language[]): Language | undefined {
  // Loaded at the first need: it takes 50 MB and 100 ms.
  library ??= (createRequire(import.meta.url)('tinyld') as { detect: typeof detect }).detect
  const answer = library(sample, { only: [...candidates] })
  return candidates.find((it) => it === answer)
}
