// Whether a statement has the form of an answer to the kind of question, and whether it can stand alone.
import type { Question, QuestionWord } from './question.ts'
import type { Statement } from './statements.ts'

const NUMBER =
  /\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety|dozen|hundred|thousand|million|billion|half|twice|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|fünfzehn|zwanzig|dreißig|vierzig|fünfzig|sechzig|hundert|tausend|Millionen|deux|trois|quatre|cinq|sept|huit|neuf|dix|onze|douze|quinze|vingt|trente|quarante|cinquante|soixante|cent|mille|dos|tres|cuatro|cinco|siete|ocho|nueve|diez|doce|quince|veinte|treinta|cuarenta|cincuenta|sesenta|cien|mil)\b/iu
const TIME =
  /\b\d{3,4}\b|\d:\d\d|\b(?:century|January|February|March|April|May|June|July|August|September|October|November|December|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|morning|noon|afternoon|evening|midnight|sunrise|sunset|weekend|today|tomorrow|spring|summer|autumn|winter|daily|weekly|monthly|Jahrhundert|Januar|Februar|März|Mai|Juni|Juli|Oktober|Dezember|Montag|Dienstag|Mittwoch|Donnerstag|Freitag|Samstag|Sonntag|Uhr|siècle|janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|siglo|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|lunes|martes|miércoles|jueves|viernes|sábado|domingo)\b/iu
/** Two words in a row, of which at least the second one is a name. */
const NAME = /\p{L} \p{Lu}\p{Ll}/u
const DEFAULT =
  /\b(?:is the default|by default|defaults? (?:to|is|value is|value of|setting is)|normally|typically|usually|standardmäßig|voreingestellt|normalerweise|üblicherweise|par défaut|normalement|por defecto|predeterminado|normalmente)\b/iu
const LIMIT =
  /\b(?:more than|at most|at least|maximum|minimum|limit|limited|up to|between|no longer|less than|fewer than|exceed|höchstens|mindestens|maximal|bis zu|nicht mehr als|au plus|au moins|jusqu|limite|como máximo|al menos|hasta|límite)\b/iu
const PROCEDURE =
  /^(?:To|Use|Call|Run|Set|Open|Choose|If you|Um|Verwenden|Öffnen|Wählen|Pour|Utilisez|Ouvrez|Para|Use|Abra)\b|\b(?:you can|can be|by using|use the|using|können Sie|kannst du|lässt sich|vous pouvez|peut être|puede|se puede)\b/iu
const COPULA =
  /\b(?:is|are|was|were|means|refers to|denotes|ist|sind|war|waren|bezeichnet|bedeutet|est|sont|était|désigne|es|son|era|significa)\b| [—–-] /u

/** Between 0 and 1. */
export function fitOf(question: Question, statement: Statement): number {
  const { text, form } = statement
  switch (question.kind) {
    case 'default':
      return DEFAULT.test(text) ? 1 : hasNumber(text) ? 0.3 : 0
    case 'limit':
      return hasNumber(text) ? (LIMIT.test(text) || form === 'row' ? 1 : 0.5) : 0
    case 'value':
      return hasNumber(text) ? 1 : 0
    case 'time':
      return TIME.test(text) ? 1 : hasNumber(text) ? 0.3 : 0
    case 'person':
      return NAME.test(text) ? 1 : 0
    case 'name':
      return hasNewName(question, text) ? 0.6 : 0
    case 'procedure':
      return PROCEDURE.test(text) ? 1 : 0
    case 'definition':
      return definitionFit(question, statement)
    default:
      return 0
  }
}

/** The number of a section, a table or a version is no value. */
const hasNumber = (text: string): boolean => NUMBER.test(text.replace(/\p{Lu}\p{Ll}{2,20} \d[\d.]*/gu, ''))

/** A word with a capital letter or a digit that the question does not have. The first word has a capital letter anyway. */
const hasNewName = (question: Question, text: string): boolean =>
  text
    .split(' ')
    .slice(1)
    .map((it) => it.replace(/[^\p{L}\p{N}_-]/gu, ''))
    .some((it) => /^\p{Lu}|\d/u.test(it) && !question.text.includes(it.toLowerCase()))

const MAX_HEAD_WORDS = 10
/** For statements that begin with the subject, or stand first below it, and do not say that it is something. */
const SUBJECT_FIT = 0.7

function definitionFit(question: Question, { text, form, cells, lead, before }: Statement): number {
  const words = question.wordsIn(question.language).filter((it) => it.weight === 1)
  const label = form === 'row' ? (cells[0]?.value ?? '') : lead
  const isLabelled = namesSubject(words, label)
  if (form === 'row') return isLabelled ? 1 : 0
  const head = text.split(' ').slice(0, MAX_HEAD_WORDS)
  const copula = COPULA.exec(head.join(' '))
  if (copula !== null && namesSubject(words, head.join(' ').slice(0, copula.index))) return 1
  if (namesSubject(words, head.slice(0, words.length + 1).join(' '))) return SUBJECT_FIT
  return isLabelled && before === '' ? SUBJECT_FIT : 0
}

const MAX_EXTRA_WORDS = 2

/** Whether a text names the subject and little else. */
function namesSubject(words: readonly QuestionWord[], text: string): boolean {
  const plain = text.toLowerCase()
  const length = text.split(/\s+/).filter((it) => it.length > 2).length
  const isNamed = words.every((it) => plain.includes(withoutPlural(it.word.toLowerCase())))
  return words.length > 0 && length <= words.length + MAX_EXTRA_WORDS && isNamed
}

const withoutPlural = (word: string): string => (word.endsWith('s') ? word.slice(0, -1) : word)

const POINTER =
  /^(?:See|Refer to|For more|Siehe|Voir|Véase|This (?:chapter|section|page|document|article)|Dieses Kapitel|Dieser Abschnitt|Ce chapitre|Cette section|Este capítulo|Esta sección)\b/u
const ANAPHOR =
  /^(?:This|It|Its|These|They|Those|Such|However|But|Also|Then|Thus|Otherwise|Dies|Diese|Dieser|Dieses|Es|Sie|Er|Ce|Cela|Cette|Ces|Il|Elle|Esto|Este|Esta|Ese)\b/u
const FACTORS = { row: 0.6, pointer: 0.6, cut: 0.4, small: 0.8, anaphor: 0.85 }
/** A cell of a table can answer these. */
const ROW_KINDS: ReadonlySet<Question['kind']> = new Set(['default', 'limit', 'value', 'name', 'other'])

/** Between 0 and 1: how well it is understood without the rest of its passage. */
export function standsAlone(kind: Question['kind'], { text, form, start }: Statement, fit: number): number {
  if (form === 'row') return ROW_KINDS.has(kind) || fit === 1 ? 1 : FACTORS.row
  if (POINTER.test(text)) return FACTORS.pointer
  if (/^\p{Ll}/u.test(text)) return start === 0 ? FACTORS.cut : FACTORS.small
  return ANAPHOR.test(text) ? FACTORS.anaphor : 1
}
