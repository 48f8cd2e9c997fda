// The extractive answer, used when no language model is available.
import type { Passage } from '../../domain/chat/passage.ts'
import { countInformativeWords } from '../../text/query-terms.ts'
import type { ToolResult } from '../../tools/tool.ts'
import { formatCitation } from '../citations/citation-verifier.ts'
import { truncateText } from '../citations/evidence.ts'
import { answerGreeting, answerNothing } from '../quotes/fixed-answers.ts'
import { readQuestion } from '../quotes/question.ts'
import { type Quote, selectQuotes } from '../quotes/select-quotes.ts'
import { type AnswerContext, uniqueDocuments } from './answer-context.ts'
import { citationPacket, messageStartPacket } from './answer-sections.ts'
import { filePassages } from './file-passages.ts'
import { runSearchTool } from './search-tool.ts'

/** For texts without spaces; all others are limited in words. */
const MAX_QUOTE = 600
const MAX_CLOSEST = 3

/** `reason` is a sentence that says why no model wrote the answer. */
export async function answerExtractively(context: AnswerContext, reason: string): Promise<void> {
  const welcome = context.turn.files.length === 0 ? answerGreeting(context.turn.message) : undefined
  if (welcome !== undefined) return emitAnswer(context, { reason, passages: [], text: welcome, quotes: [] })
  const { passages, closest, problem, ...found } = await findPassages(context)
  const readable = await keepReadable(context, passages)
  const quotes = quotesFor(context, readable, found)
  if (quotes.length > 0) context.answeredBy = 'quotes'
  const text = quotes.length > 0 ? `${reason}\n\n` : `${reason} ${problem ?? nothingFound(context, readable, closest)}`
  emitAnswer(context, { reason, passages: readable, text, quotes })
}

interface ExtractiveAnswer {
  reason: string
  passages: readonly Passage[]
  /** Precedes the quotes. */
  text: string
  quotes: readonly Quote<Passage>[]
}

function emitAnswer(context: AnswerContext, { reason, passages, text, quotes }: ExtractiveAnswer): void {
  const step = context.nextStep()
  context.emit(step, messageStartPacket(context, passages, { is_extractive: true, extractive_reason: reason }))
  context.emit(step, { type: 'message_delta', content: text })
  for (const quote of quotes) emitQuote(context, step, quote)
  context.emit(step, { type: 'section_end' })
}

interface FoundPassages {
  passages: Passage[]
  /** The pages that come closest if the search found nothing that answers. */
  closest: NonNullable<ToolResult['closest']>
  isByMeaning: boolean
  problem: string | null
}

/** The passages found so far, or those of a new search. */
async function findPassages(context: AnswerContext): Promise<FoundPassages> {
  const files = filePassages(context.turn.files)
  if (context.foundPassages.length > 0)
    return { passages: [...files, ...context.foundPassages], closest: [], isByMeaning: false, problem: null }
  const result = await runSearchTool(context, standaloneQuery(context))
  if (result === null && files.length === 0)
    return { passages: [], closest: [], isByMeaning: false, problem: NO_SEARCH_TOOL }
  const problem = result?.isError ? `The search failed: ${result.text}` : null
  const { closest = [], isByMeaning = false } = result ?? {}
  return { passages: [...files, ...(result?.passages ?? [])], closest, isByMeaning, problem }
}

const NO_SEARCH_TOOL = 'This agent has no search tool either, so there is nothing to answer from.'

/** The first words of a message that goes on with the question before it, in the languages of the answers. */
const FOLLOW_UP =
  /^\s*(?:and|but|or|what about|how about|und|aber|oder|wie ist es|was ist mit|et|mais|ou|y|pero|o)(?![\p{L}\p{N}])/iu
const MAX_FOLLOW_UP_WORDS = 4

/** Appends the previous question to a short follow-up such as "And in Berlin?". Two words of its own are a question. */
function standaloneQuery({ turn }: AnswerContext): string {
  const before = turn.history.findLast((it) => it.role === 'user')
  const isShort = turn.message.trim().split(/\s+/).length <= MAX_FOLLOW_UP_WORDS
  const isFollowUp = isShort && (FOLLOW_UP.test(turn.message) || countInformativeWords(turn.message) < 2)
  return before !== undefined && isFollowUp ? `${turn.message} ${before.content.slice(0, 300)}` : turn.message
}

async function keepReadable(context: AnswerContext, passages: readonly Passage[]): Promise<Passage[]> {
  const may = await Promise.all(passages.map((it) => context.isReadable(it)))
  return passages.filter((_, at) => may[at])
}

/** A follow-up that says too little alone is read with the question before it. */
function quotesFor(
  context: AnswerContext,
  passages: readonly Passage[],
  found: Pick<FoundPassages, 'isByMeaning'>,
): Quote<Passage>[] {
  const { message } = context.turn
  const quotes = selectQuotes(message, passages, found)
  const query = standaloneQuery(context)
  return quotes.length > 0 || query === message ? quotes : selectQuotes(query, passages, found)
}

function nothingFound(
  { turn }: AnswerContext,
  passages: readonly Passage[],
  closest: FoundPassages['closest'],
): string {
  const found = uniqueDocuments(passages).map(({ semantic_identifier, link }) => ({ title: semantic_identifier, link }))
  return answerNothing(readQuestion(turn.message).language, [...found, ...closest].slice(0, MAX_CLOSEST))
}

function emitQuote(context: AnswerContext, step: number, { passage, lead, text: statement }: Quote<Passage>): void {
  const text = truncateText(statement, MAX_QUOTE)
  const shown = escapeMarkdown(lead === '' ? text : `${lead}: ${text}`)
  const { citation_number, isNew } = context.citationNumbering(passage)
  const marker = context.turn.include_citations ? ` ${formatCitation(citation_number, passage)}` : ''
  context.emit(step, { type: 'message_delta', content: `> ${shown}${marker}\n\n` })
  if (isNew && context.turn.include_citations)
    context.emit(step, citationPacket({ citation_number, passage, quote: text }))
}

/** Escapes Markdown, so that a quotation never becomes an image, link, HTML, code or marker. */
const escapeMarkdown = (text: string): string =>
  text.replace(/!\[|\]\(|\]\[|\]:|\[\[|<(?=[\p{L}/!?])|`|^(?:[#>+*-]|\d+[.)])(?=\s|[#>*-])/gu, '\\$&')
