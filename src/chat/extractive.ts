// The answer that quotes: for when no language model is there to write one.
import type { Passage } from '../domain/passage.ts'
import { markerOf } from './citations.ts'
import type { Course } from './course.ts'
import { shortened } from './evidence.ts'
import { passagesOfFiles } from './files.ts'
import { citationInfo, messageStart } from './message.ts'
import { type Quote, quotesFor } from './quote.ts'
import { searchFor } from './search.ts'

const MAX_QUOTE = 600

/** `reason`: a sentence that says why no model wrote it. */
export async function quoteAnswer(course: Course, reason: string): Promise<void> {
  const { passages, trouble } = await findPassages(course)
  const readable = await readableOf(course, passages)
  const quotes = quotesFor(course.turn.message, readable)
  if (quotes.length > 0) course.by = 'quotes'
  const step = course.nextStep()
  course.put(step, messageStart(course, readable, { is_extractive: true, extractive_reason: reason }))
  course.put(step, { type: 'message_delta', content: opening(reason, quotes, trouble) })
  for (const quote of quotes) putQuote(course, step, quote)
  course.put(step, { type: 'section_end' })
}

/** What was found already, or what a search finds now. */
async function findPassages(course: Course): Promise<{ passages: Passage[]; trouble: string | null }> {
  const files = passagesOfFiles(course.turn.files)
  if (course.found.length > 0) return { passages: [...files, ...course.found], trouble: null }
  const result = await searchFor(course, standalone(course))
  if (result === null && files.length === 0) return { passages: [], trouble: CANNOT_SEARCH }
  const trouble = result?.isError ? `The search failed: ${result.text}` : null
  return { passages: [...files, ...(result?.passages ?? [])], trouble }
}

const CANNOT_SEARCH = 'This agent may not search either, so there is nothing to answer from.'
const NOTHING_FOUND = 'Nothing was found that fits the question.'

/** "And in Berlin?" is looked for together with what it goes on from. */
function standalone({ turn }: Course): string {
  const before = turn.history.findLast((it) => it.role === 'user')
  const isShort = turn.message.trim().split(/\s+/).length <= 4
  return before !== undefined && isShort ? `${turn.message} ${before.content.slice(0, 300)}` : turn.message
}

async function readableOf(course: Course, passages: readonly Passage[]): Promise<Passage[]> {
  const may = await Promise.all(passages.map((it) => course.isReadable(it)))
  return passages.filter((_, at) => may[at])
}

function opening(reason: string, quotes: readonly unknown[], trouble: string | null): string {
  if (quotes.length === 0) return `${reason} ${trouble ?? NOTHING_FOUND}`
  return `${reason} These sentences are quoted, word for word, from what was found:\n\n`
}

function putQuote(course: Course, step: number, { passage, text: sentence }: Quote<Passage>): void {
  const text = shortened(sentence, MAX_QUOTE)
  const { citation_number, isNew } = course.numbering(passage)
  const marker = course.turn.include_citations ? ` ${markerOf(citation_number, passage)}` : ''
  course.put(step, { type: 'message_delta', content: `> ${inert(text)}${marker}\n\n` })
  if (isNew && course.turn.include_citations) course.put(step, citationInfo({ citation_number, passage, quote: text }))
}

/** Markdown in a quote stays text: no image, no link, no HTML, no code and no marker comes of it. */
const inert = (text: string): string =>
  text.replace(/!\[|\]\(|\]\[|\]:|\[\[|<(?=[\p{L}/!?])|`|^(?:[#>+*-]|\d+[.)])(?=\s|[#>*-])/gu, '\\$&')
