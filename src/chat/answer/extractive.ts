// The extractive answer, used when no language model is available.
import type { Passage } from '../../domain/chat/passage.ts'
import { formatCitation } from '../citations/citation-verifier.ts'
import { truncateText } from '../citations/evidence.ts'
import type { AnswerContext } from './answer-context.ts'
import { citationPacket, messageStartPacket } from './answer-sections.ts'
import { filePassages } from './file-passages.ts'
import { type Quote, selectQuotes } from './quote.ts'
import { runSearchTool } from './search-tool.ts'

const MAX_QUOTE = 600

/** `reason` is a sentence that says why no model wrote the answer. */
export async function answerExtractively(context: AnswerContext, reason: string): Promise<void> {
  const { passages, problem } = await findPassages(context)
  const readable = await keepReadable(context, passages)
  const quotes = selectQuotes(context.turn.message, readable)
  if (quotes.length > 0) context.answeredBy = 'quotes'
  const step = context.nextStep()
  context.emit(step, messageStartPacket(context, readable, { is_extractive: true, extractive_reason: reason }))
  context.emit(step, { type: 'message_delta', content: introText(reason, quotes, problem) })
  for (const quote of quotes) emitQuote(context, step, quote)
  context.emit(step, { type: 'section_end' })
}

/** The passages found so far, or those of a new search. */
async function findPassages(context: AnswerContext): Promise<{ passages: Passage[]; problem: string | null }> {
  const files = filePassages(context.turn.files)
  if (context.foundPassages.length > 0) return { passages: [...files, ...context.foundPassages], problem: null }
  const result = await runSearchTool(context, standaloneQuery(context))
  if (result === null && files.length === 0) return { passages: [], problem: NO_SEARCH_TOOL }
  const problem = result?.isError ? `The search failed: ${result.text}` : null
  return { passages: [...files, ...(result?.passages ?? [])], problem }
}

const NO_SEARCH_TOOL = 'This agent has no search tool either, so there is nothing to answer from.'
const NOTHING_FOUND = 'The search found nothing that matches the question.'

/** Prepends the previous question to a short follow-up such as "And in Berlin?". */
function standaloneQuery({ turn }: AnswerContext): string {
  const before = turn.history.findLast((it) => it.role === 'user')
  const isShort = turn.message.trim().split(/\s+/).length <= 4
  return before !== undefined && isShort ? `${turn.message} ${before.content.slice(0, 300)}` : turn.message
}

async function keepReadable(context: AnswerContext, passages: readonly Passage[]): Promise<Passage[]> {
  const may = await Promise.all(passages.map((it) => context.isReadable(it)))
  return passages.filter((_, at) => may[at])
}

function introText(reason: string, quotes: readonly unknown[], trouble: string | null): string {
  if (quotes.length === 0) return `${reason} ${trouble ?? NOTHING_FOUND}`
  return `${reason} These sentences are quoted verbatim from the search results:\n\n`
}

function emitQuote(context: AnswerContext, step: number, { passage, text: sentence }: Quote<Passage>): void {
  const text = truncateText(sentence, MAX_QUOTE)
  const { citation_number, isNew } = context.citationNumbering(passage)
  const marker = context.turn.include_citations ? ` ${formatCitation(citation_number, passage)}` : ''
  context.emit(step, { type: 'message_delta', content: `> ${escapeMarkdown(text)}${marker}\n\n` })
  if (isNew && context.turn.include_citations)
    context.emit(step, citationPacket({ citation_number, passage, quote: text }))
}

/** Escapes Markdown, so that a quotation never becomes an image, link, HTML, code or marker. */
const escapeMarkdown = (text: string): string =>
  text.replace(/!\[|\]\(|\]\[|\]:|\[\[|<(?=[\p{L}/!?])|`|^(?:[#>+*-]|\d+[.)])(?=\s|[#>*-])/gu, '\\$&')
