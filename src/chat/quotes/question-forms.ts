// The words by which a question shows what it asks for, in the languages in which answers are recognised.
import { foldDiacritics } from '../../text/normalize.ts'

export type QuestionKind =
  /** The nature of a thing: "what is a lease". */
  | 'definition'
  /** The value that holds if nothing else is chosen. */
  | 'default'
  /** The largest or smallest value. */
  | 'limit'
  /** A number or a size. */
  | 'value'
  | 'time'
  | 'person'
  /** How something is done. */
  | 'procedure'
  /** A thing by its name: "which signal". */
  | 'name'
  | 'other'

export type QuestionLanguage = 'en' | 'de' | 'fr' | 'es'

interface LanguageForms {
  /** Phrases anywhere in the question, the most telling kind first. */
  kinds: Readonly<Record<Exclude<QuestionKind, 'other'>, string>>
  /** Words that ask and are not part of the subject, beside stop words. */
  asking: string
}

/** Phrases are separated by commas. */
const FORMS: Readonly<Record<QuestionLanguage, LanguageForms>> = {
  en: {
    kinds: {
      default: 'default, by default',
      limit:
        'maximum, minimum, at most, at least, limit, largest, smallest, longest, how large can, how big can, how long can, how many can',
      value:
        'how many, how much, how large, how big, how long, how high, how deep, how tall, how wide, how far, how fast, how old, how often, how small, what percentage, what number, which port, what port, which version, what version, number of, size of, length of',
      time: 'when, what year, which year, what day, which day, what date, what time, what month, which month, what century, what decade',
      person: 'who, whom, whose',
      procedure: 'how do, how to, how can, how does one, how should, how would, how could',
      definition: 'what is, what are, what was, what were, what does, define, meaning of, definition of, explain',
      name: 'which, what',
    },
    asking:
      'many much large big long high deep tall wide far fast old often small need needs needed use uses used using get gets got make makes give gives work works take takes keep keeps tell mean means meaning called call name named type kind way best explain define definition please maximum minimum largest smallest longest',
  },
  de: {
    kinds: {
      default: 'voreingestellt, Voreinstellung, Standardwert, standardmäßig, Vorgabe',
      limit: 'höchstens, mindestens, maximal, minimal, maximale, maximaler, Obergrenze, Grenze',
      value:
        'wie viel, wie viele, wieviel, wieviele, wie groß, wie lang, wie lange, wie hoch, wie tief, wie breit, wie weit, wie schnell, wie alt, wie oft, welcher Port, welche Version, Anzahl',
      time: 'wann, in welchem Jahr, welches Jahr, an welchem Tag, welches Datum',
      person: 'wer, wen, wem, wessen',
      procedure: 'wie kann, wie können, wie mache, wie macht, wie geht',
      definition:
        'was ist, was sind, was war, was waren, was bedeutet, was heißt, was versteht man, definiere, erkläre',
      name: 'welche, welcher, welches, welchen, welchem, was',
    },
    asking:
      'die viel viele groß lang lange hoch tief breit weit schnell alt oft braucht brauche benötigt man gibt bedeutet heißt genannt nennt erkläre definiere bitte Art Name maximal maximale maximaler minimal höchstens mindestens',
  },
  fr: {
    kinds: {
      default: 'par défaut',
      limit: 'maximale, maximal, maximum, minimum, minimal, limite, au plus, au moins',
      value:
        'combien, quelle taille, quelle est la taille, quelle longueur, quelle hauteur, quelle version, quel port, quel âge, nombre de',
      time: 'quand, en quelle année, quel jour, quelle date, à quelle heure',
      person: 'qui',
      procedure: 'comment',
      definition: "qu'est-ce, c'est quoi, que signifie, définis, explique, quelle est la définition",
      name: 'quel, quelle, quels, quelles',
    },
    asking:
      'combien comment quand signifie appelle nommé nom sorte type besoin utilise veuillez maximum maximal maximale minimum minimal',
  },
  es: {
    kinds: {
      default: 'por defecto, predeterminado, predeterminada',
      limit: 'máximo, máxima, mínimo, mínima, límite, como mucho, al menos',
      value: 'cuánto, cuántos, cuánta, cuántas, qué tamaño, qué porcentaje, qué versión, qué puerto, número de',
      time: 'cuándo, en qué año, qué año, qué día, qué fecha, a qué hora',
      person: 'quién, quiénes',
      procedure: 'cómo puedo, cómo se, cómo hago, cómo',
      definition: 'qué es, qué son, qué era, qué significa, define, explica',
      name: 'qué, cuál, cuáles',
    },
    asking: 'cuántos cuántas cuánta llama llamado nombre tipo significa necesita usa máximo máxima mínimo mínima',
  },
}

export const questionLanguages = ['en', 'de', 'fr', 'es'] as const satisfies readonly QuestionLanguage[]

const listOf = (text: string, separator: string): string[] => text.split(separator).map((it) => plainWords(it))

/** Lower case, without accents and signs, a space before and after each word. */
export const plainWords = (text: string): string =>
  ` ${foldDiacritics(text.toLowerCase())
    .replace(/[^\p{L}\p{N}_]+/gu, ' ')
    .trim()} `

const folded = questionLanguages.map((language) => ({
  language,
  kinds: (['default', 'limit', 'value', 'time', 'person', 'procedure', 'definition', 'name'] as const).map((kind) => ({
    kind,
    phrases: listOf(FORMS[language].kinds[kind], ','),
  })),
  asking: new Set(FORMS[language].asking.split(' ').map((it) => foldDiacritics(it.toLowerCase()))),
}))

export interface QuestionForms {
  kind: QuestionKind
  /** Null if no word shows it. */
  language: QuestionLanguage | null
}

/** Phrases that also occur within a question that asks for something else count only at its beginning. */
const FIRST_WORDS = 4
const ANYWHERE: ReadonlySet<QuestionKind> = new Set(['default', 'limit'])

/** Reads the question in `language` first, then in the other languages. */
export function readForms(question: string, language: string): QuestionForms {
  const plain = plainWords(question)
  const beginning = ` ${plain.trim().split(' ').slice(0, FIRST_WORDS).join(' ')} `
  for (const form of [...folded].sort(
    (one, other) => Number(other.language === language) - Number(one.language === language),
  )) {
    const found = form.kinds.find(({ kind, phrases }) => {
      const place = ANYWHERE.has(kind) ? plain : beginning
      return phrases.some((it) => place.includes(it))
    })
    if (found !== undefined) return { kind: found.kind, language: form.language }
  }
  return { kind: 'other', language: null }
}

/** Whether a word asks and is not part of the subject. */
export const isAskingWord = (word: string, language: QuestionLanguage): boolean =>
  folded.some((it) => it.language === language && it.asking.has(foldDiacritics(word.toLowerCase())))
