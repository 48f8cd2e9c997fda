// A model that writes down for whom it worked, and does not begin when the budget is spent.
import type { Subject } from '../domain/subject.ts'
import { estimateRequest, type LanguageModel, ModelError, type TokenUsage } from '../inference/language-model.ts'
import type { Budget } from './budget.ts'

const CHARACTERS_PER_TOKEN = 4

export const countedModel = (
  model: LanguageModel,
  { budget, subject }: { budget: Budget; subject: Pick<Subject, 'user_id'> },
): LanguageModel => ({
  name: model.name,
  max_input_tokens: model.max_input_tokens,
  get canCall() {
    return model.canCall
  },
  async *stream(request) {
    const input_tokens = estimateRequest(request)
    const reserved = await budget.reserve(subject, input_tokens)
    if (typeof reserved === 'string') throw new ModelError('limited', reserved)
    let said = 0
    let used: TokenUsage | null = null
    let isRejected = false
    let { name } = model
    try {
      for await (const event of model.stream(request)) {
        if (event.type === 'end') {
          used = event.usage
          name = event.model
        } else said += event.type === 'call' ? event.call.arguments.length : event.text.length
        yield event
      }
    } catch (error) {
      isRejected = error instanceof ModelError
      throw error
    } finally {
      // An answer that was left in the middle was read and written all the same; a question that was refused was not.
      const output_tokens = Math.ceil(said / CHARACTERS_PER_TOKEN)
      if (used !== null || said > 0 || !isRejected)
        await budget.count(subject, name, used ?? { input_tokens, output_tokens })
      reserved.release()
    }
  },
})
