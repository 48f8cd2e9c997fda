// Streams the output of a model to the client.
import { type LanguageModel, type ModelCall, ModelError, type ModelRequest } from '../../inference/language-model.ts'
import type { AnswerContext } from './answer-context.ts'
import { createAnswerSections } from './answer-sections.ts'

export interface ModelOutput {
  hasText: boolean
  /** As the model wrote it. */
  text: string
  calls: ModelCall[]
  /** `broken`: the output did not complete; `error` says why. */
  reason: 'stop' | 'calls' | 'length' | 'refusal' | 'broken'
  error: string | null
  /** The server understood the request and rejected it. */
  isRefused: boolean
}

/** Longer than any useful answer; stops a model that repeats itself endlessly. */
const MAX_ANSWER = 200_000
const MAX_CALLS = 1_000

/** Rejects only with the reason of the turn's signal. */
export async function consumeStream(
  context: AnswerContext,
  model: LanguageModel,
  request: ModelRequest,
): Promise<ModelOutput> {
  const sections = createAnswerSections(context)
  const output: ModelOutput = { hasText: false, text: '', calls: [], reason: 'broken', error: null, isRefused: false }
  try {
    await readEvents(context, model.stream(request), { output, sections })
  } catch (error) {
    context.turn.signal.throwIfAborted()
    output.reason = 'broken'
    output.isRefused = error instanceof ModelError && error.fault === 'refused'
    output.error = describeFailure(context, error)
  }
  await sections.end()
  output.hasText = sections.hasText()
  return output
}

async function readEvents(
  context: AnswerContext,
  events: ReturnType<LanguageModel['stream']>,
  { output, sections }: { output: ModelOutput; sections: ReturnType<typeof createAnswerSections> },
): Promise<void> {
  let units = 0
  for await (const event of events) {
    if (event.type === 'end') {
      output.reason = event.reason
      context.addUsage(event)
      return
    }
    if (event.type === 'call') output.calls.push(event.call)
    else {
      units += event.text.length
      if (event.type === 'text') output.text += event.text
      await sections[event.type](event.text)
    }
    if (units > MAX_ANSWER || output.calls.length > MAX_CALLS) {
      output.reason = output.calls.length > MAX_CALLS ? 'calls' : 'length'
      return
    }
  }
  output.error = 'it ended without a stop event'
}

function describeFailure(context: AnswerContext, error: unknown): string {
  if (context.signal.aborted) return 'it took too long'
  if (error instanceof ModelError) return error.message
  context.logger.error({ err: error }, 'unexpected language model error')
  return 'it failed'
}
