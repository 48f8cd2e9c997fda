// Selects the statements for an extractive answer, verbatim; none if nothing that was found answers the question.
import { isLongQuestion, type Question, readQuestion } from './question.ts'
import { type QuotablePassage, type ScoredStatement, type Support, scoreStatements } from './score-statements.ts'
import type { Statement } from './statements.ts'

export interface Quote<P> {
  passage: P
  /** The term or heading that the text is about, if the text alone does not say it. */
  lead: string
  /** Sentences as they stand in the passage, or a row of a table with its headers. */
  text: string
}

export const MAX_QUOTES = 3
/** The limit of all quotes together. */
export const MAX_WORDS = 60
/** A quote that scores less than this share of the best one is dropped. */
const MIN_RELATIVE_SCORE = 0.6
/** The largest overlap with a quote that is already chosen. */
const MAX_TERM_OVERLAP = 0.7
const MAX_LEAD_WORDS = 12

/** `passages` come best first, and so do the quotes. `isByMeaning` is that of `ToolResult`. */
export function selectQuotes<P extends QuotablePassage>(
  text: string,
  passages: readonly P[],
  { isByMeaning = false } = {},
): Quote<P>[] {
  const question = readQuestion(text)
  const { statements, support } = scoreStatements(question, passages)
  const [best] = statements
  if (best === undefined || !isAnswered(question, statements, support, isByMeaning ? LIMITS.byMeaning : LIMITS.byWords))
    return []
  const chosen: ScoredStatement<P>[] = []
  const quotes: Quote<P>[] = []
  let room = MAX_WORDS
  for (const it of statements) {
    if (quotes.length === MAX_QUOTES || it.score < MIN_RELATIVE_SCORE * best.score) break
    const quote = toQuote(it)
    const words = countWords(`${quote.lead} ${quote.text}`)
    if (chosen.length > 0 && words > room) continue
    if (it.terms.size === 0 || chosen.some((other) => termOverlap(it.terms, other.terms) >= MAX_TERM_OVERLAP)) continue
    chosen.push(it)
    quotes.push(words > room ? { ...quote, text: firstWords(quote.text, room - countWords(quote.lead)) } : quote)
    room -= words
  }
  return quotes
}

/** The passages in the order of their best statements. */
export const rankPassages = <P extends QuotablePassage>(text: string, passages: readonly P[]): P[] => [
  ...new Set(scoreStatements(readQuestion(text), passages).statements.map((it) => it.passage)),
]

/** If nothing answers a question, some of its words occur nowhere in what was found, or never near each other. */
const LIMITS = {
  byWords: { seen: 0.6, short: 1.2 },
  /** The search itself refuses what nothing comes near, and an answer may have other words than the question. */
  byMeaning: { seen: 0.4, short: 0.8 },
}
/** Longer questions describe a subject in more words than their answers. */
const MIN_SUPPORT = { long: 0.7, longest: 0.5 }
const LONGEST_QUESTION = 8
/** The answers to short questions of these kinds have a number, a date or a name. */
const STRICT_KINDS: ReadonlySet<Question['kind']> = new Set(['value', 'limit', 'time', 'person'])
/** Not everybody is named: "the crane is repaired by the harbour office". */
const ALL_WORDS = 0.99

function isAnswered(
  { kind, hasForms, isClaim }: Question,
  statements: readonly ScoredStatement<unknown>[],
  { whole, seen, words, isForeign }: Support,
  limits: (typeof LIMITS)['byWords'],
): boolean {
  if (!hasForms || isForeign || words === 0) return seen > 0
  if (seen < limits.seen) return false
  const fitting =
    STRICT_KINDS.has(kind) && !isLongQuestion(words)
      ? statements.filter((it) => it.fit > 0 || (kind === 'person' && it.covered >= ALL_WORDS))
      : statements
  const best = Math.max(0, ...fitting.map((it) => it.covered))
  return best + whole >= (isClaim ? MIN_SUPPORT.longest : minSupport(words, limits.short))
}

function minSupport(words: number, short: number): number {
  if (words >= LONGEST_QUESTION) return MIN_SUPPORT.longest
  return isLongQuestion(words) ? MIN_SUPPORT.long : short
}

function toQuote<P>({ passage, lead, text, form, cells, needsLead }: ScoredStatement<P>): Quote<P> {
  if (form === 'row') return { passage, lead: '', text: shownRow(cells) }
  const isShown = needsLead && countWords(lead) <= MAX_LEAD_WORDS && !lead.endsWith('?')
  return { passage, lead: isShown ? lead.replace(/¶$/, '') : '', text }
}

/** "port — default: 8080; the port to listen on": the first cell names the row. */
function shownRow([label, ...cells]: Statement['cells']): string {
  const rest = cells
    .filter((it) => it.value !== '')
    .map(({ header, value }) => (header === '' ? value : `${header}: ${value}`))
  return [label?.value ?? '', rest.join('; ')].filter((it) => it !== '').join(' — ')
}

const countWords = (text: string): number => text.split(/\s+/).filter((it) => it !== '').length

const firstWords = (text: string, count: number): string => `${text.split(' ').slice(0, count).join(' ')}…`

function termOverlap(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const shared = one.intersection(other).size
  return shared / Math.max(1, Math.min(one.size, other.size))
}
