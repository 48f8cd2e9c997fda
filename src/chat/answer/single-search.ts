// Rewrites the question and searches once, for models that cannot call tools.
import type { LanguageModel } from '../../inference/language-model.ts'
import type { AnswerContext } from './answer-context.ts'
import { fitHistory } from './prompt.ts'
import { findSearchTool, runSearchTool } from './search-tool.ts'

const REWRITE_PROMPT =
  'Write the last question of this conversation so that it is understood without the rest of it, in its language. Answer with that question alone, on one line.'
const REWRITE_TIMEOUT_MS = 10_000
const REWRITE_TOKENS = 200
const REWRITE_HISTORY_TOKENS = 1_500
const MAX_QUESTION = 1_000

/** Adds the results to `foundPassages`; returns a note for the model if there are none. */
export async function runSingleSearch(context: AnswerContext, model: LanguageModel): Promise<string | null> {
  if (findSearchTool(context.turn.tools) === undefined) return null
  const result = await runSearchTool(context, await rewriteQuestion(context, model))
  if (result === null || (result.isError && result.passages.length === 0)) return result?.text ?? null
  return result.passages.length === 0 ? 'The search found nothing.' : null
}

/** The question itself if there is no history or the rewriting fails. */
async function rewriteQuestion(context: AnswerContext, model: LanguageModel): Promise<string> {
  const { turn } = context
  if (turn.history.length === 0) return turn.message
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(REWRITE_TIMEOUT_MS)])
  const messages = [
    { role: 'system' as const, content: REWRITE_PROMPT },
    ...fitHistory(turn.history, Math.min(REWRITE_HISTORY_TOKENS, Math.floor(model.max_input_tokens / 3))),
    { role: 'user' as const, content: turn.message.slice(0, 4 * MAX_QUESTION) },
  ]
  let text = ''
  try {
    for await (const event of model.stream({ messages, temperature: 0, max_output_tokens: REWRITE_TOKENS, signal })) {
      if (event.type === 'text') text += event.text
      if (event.type === 'end') context.addUsage(event)
      if (text.length > MAX_QUESTION || (event.type === 'end' && event.reason !== 'stop')) return turn.message
    }
  } catch (error) {
    turn.signal.throwIfAborted()
    context.logger.debug({ err: error }, 'query rewriting failed; using the original question')
    return turn.message
  }
  const [line = ''] = text.trim().split('\n')
  return line === '' ? turn.message : line
}
