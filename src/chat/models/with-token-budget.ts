// Wraps a model so that its usage is recorded for the subject, and it does not start when the budget is exhausted.
import {
  estimateRequestTokens,
  type LanguageModel,
  ModelError,
  type TokenUsage,
} from '../../inference/language-model.ts'
import type { TokenSubject } from '../../store/models/usage-limits.ts'
import type { TokenBudget } from './token-budget.ts'

const CHARACTERS_PER_TOKEN = 4

export const withTokenBudget = (
  model: LanguageModel,
  { budget, subject }: { budget: TokenBudget; subject: TokenSubject },
): LanguageModel => ({
  name: model.name,
  max_input_tokens: model.max_input_tokens,
  get supportsTools() {
    return model.supportsTools
  },
  get supportsImages() {
    return model.supportsImages
  },
  async *stream(request) {
    const input_tokens = estimateRequestTokens(request)
    const reserved = await budget.reserve(subject, input_tokens)
    if (typeof reserved === 'string') throw new ModelError('limited', reserved)
    let outputCharacters = 0
    let reportedUsage: TokenUsage | null = null
    let isRejected = false
    let { name } = model
    try {
      for await (const event of model.stream(request)) {
        if (event.type === 'end') {
          reportedUsage = event.usage
          name = event.model
        } else outputCharacters += event.type === 'call' ? event.call.arguments.length : event.text.length
        yield event
      }
    } catch (error) {
      isRejected = error instanceof ModelError
      throw error
    } finally {
      // An interrupted answer has been read and written all the same; a rejected request has not.
      const output_tokens = Math.ceil(outputCharacters / CHARACTERS_PER_TOKEN)
      if (reportedUsage !== null || outputCharacters > 0 || !isRejected)
        await budget.recordUsage(subject, name, reportedUsage ?? { input_tokens, output_tokens })
      reserved.release()
    }
  },
})
