// The fixed plan of a model that cannot call tools: the question made whole, one search, one answer.
import type { LanguageModel } from '../inference/language-model.ts'
import type { Course } from './course.ts'
import { historyWithin } from './prompt.ts'
import { searchFor, searchToolOf } from './search.ts'

const REWRITE =
  'Write the last question of this conversation so that it is understood without the rest of it, in its language. Answer with that question alone, on one line.'
const REWRITE_MS = 10_000
const REWRITE_TOKENS = 200
const REWRITE_HISTORY_TOKENS = 1_500
const MAX_QUESTION = 1_000

/** Puts what it finds onto the shelf, and answers what the model is to be told of it. */
export async function searchByPlan(course: Course, model: LanguageModel): Promise<string | null> {
  if (searchToolOf(course.turn.tools) === undefined) return null
  const result = await searchFor(course, await wholeQuestion(course, model))
  if (result === null || (result.isError && result.passages.length === 0)) return result?.text ?? null
  return result.passages.length === 0 ? 'The search found nothing.' : null
}

/** The question itself where there is nothing to make it whole from, or the model does not do it. */
async function wholeQuestion(course: Course, model: LanguageModel): Promise<string> {
  const { turn } = course
  if (turn.history.length === 0) return turn.message
  const signal = AbortSignal.any([course.signal, AbortSignal.timeout(REWRITE_MS)])
  const messages = [
    { role: 'system' as const, content: REWRITE },
    ...historyWithin(turn.history, Math.min(REWRITE_HISTORY_TOKENS, Math.floor(model.max_input_tokens / 3))),
    { role: 'user' as const, content: turn.message.slice(0, 4 * MAX_QUESTION) },
  ]
  let text = ''
  try {
    for await (const event of model.stream({ messages, temperature: 0, max_output_tokens: REWRITE_TOKENS, signal })) {
      if (event.type === 'text') text += event.text
      if (event.type === 'end') course.count(event)
      if (text.length > MAX_QUESTION || (event.type === 'end' && event.reason !== 'stop')) return turn.message
    }
  } catch (error) {
    turn.signal.throwIfAborted()
    course.logger.debug({ err: error }, 'the question was not made whole, and is looked for as it is')
    return turn.message
  }
  const [line = ''] = text.trim().split('\n')
  return line === '' ? turn.message : line
}
