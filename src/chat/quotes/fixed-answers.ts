// Answers without a quotation: greetings and refusals, in the language of the question where it has the words for it.
import { displayLink, displayTitle } from '../../domain/values/display-text.ts'
import { markdownHref } from '../citations/citation-verifier.ts'
import { plainWords, type QuestionLanguage } from './question-forms.ts'

interface FixedAnswers {
  greetings: readonly string[]
  welcome: string
  nothing: string
  closest: string
}

const ANSWERS: Readonly<Record<QuestionLanguage, FixedAnswers>> = {
  en: {
    greetings: [
      'hi',
      'hello',
      'hey',
      'hi there',
      'hello there',
      'good morning',
      'good afternoon',
      'good evening',
      'hi pharos',
      'hello pharos',
    ],
    welcome: 'Hello! Ask me a question, and I quote what your documents say about it.',
    nothing: 'I found nothing that answers this.',
    closest: 'Closest pages:',
  },
  de: {
    greetings: ['hallo', 'guten morgen', 'guten tag', 'guten abend', 'moin', 'servus', 'grüß gott', 'hallo pharos'],
    welcome: 'Hallo! Stellen Sie mir eine Frage, und ich zitiere, was Ihre Dokumente dazu sagen.',
    nothing: 'Ich habe nichts gefunden, was das beantwortet.',
    closest: 'Am nächsten kommen:',
  },
  fr: {
    greetings: ['bonjour', 'bonsoir', 'salut', 'coucou', 'bonjour pharos'],
    welcome: 'Bonjour ! Posez-moi une question, et je cite ce que vos documents en disent.',
    nothing: 'Je n’ai rien trouvé qui y réponde.',
    closest: 'Pages les plus proches :',
  },
  es: {
    greetings: ['hola', 'buenos días', 'buenas tardes', 'buenas noches', 'buenas', 'hola pharos'],
    welcome: 'Hola. Hágame una pregunta y citaré lo que dicen sus documentos.',
    nothing: 'No he encontrado nada que responda a esto.',
    closest: 'Páginas más cercanas:',
  },
}

const languages = ['en', 'de', 'fr', 'es'] as const satisfies readonly QuestionLanguage[]
const welcomes = new Map(
  languages.flatMap((it) => ANSWERS[it].greetings.map((greeting) => [plainWords(greeting), ANSWERS[it].welcome])),
)

/** The answer to a message that only greets; undefined for any other. */
export const answerGreeting = (message: string): string | undefined => welcomes.get(plainWords(message))

interface Page {
  title: string
  link: string | null
}

/** Says that nothing answers the question, and names the pages that come closest. */
export function answerNothing(language: string, closest: readonly Page[]): string {
  const { nothing, closest: heading } = ANSWERS[languages.find((it) => it === language) ?? 'en']
  if (closest.length === 0) return nothing
  return `${nothing} ${heading} ${closest.map(linkTo).join(', ')}.`
}

const MAX_TITLE = 120

/** Titles are data: no character of them becomes Markdown. */
function linkTo({ title, link }: Page): string {
  const plain = displayTitle(title).replace(/\s+/g, ' ').trim()
  const short = plain.length > MAX_TITLE ? `${plain.slice(0, MAX_TITLE).toWellFormed()}…` : plain
  const text = short.replace(/[\\`*_{}[\]()<>#+!|~&$-]/g, '\\$&')
  const href = markdownHref(displayLink(link))
  return href === '' ? text : `[${text}](${href})`
}
