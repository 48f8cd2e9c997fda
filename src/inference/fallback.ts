// Falls back between language models, and lets a rate-limited model cool down.
import { imagesOf, type LanguageModel, ModelError, type ModelRequest } from './language-model.ts'

const MAX_COOLDOWN_MS = 60_000

/** Tries the next model until one produces output. The last error combines all reasons. */
export function withFallback(models: readonly [LanguageModel, ...LanguageModel[]]): LanguageModel {
  const [first] = models
  if (models.length === 1) return first
  return {
    name: first.name,
    max_input_tokens: first.max_input_tokens,
    get supportsTools() {
      return models.some((it) => it.supportsTools)
    },
    get supportsImages() {
      return first.supportsImages
    },
    async *stream(request) {
      const errors: ModelError[] = []
      const eligible = eligibleModels(models, request)
      for (const model of eligible) {
        let hasOutput = false
        try {
          for await (const event of model.stream(request)) {
            hasOutput ||= event.type !== 'reasoning'
            yield event
          }
          return
        } catch (error) {
          if (hasOutput || !(error instanceof ModelError)) throw error
          errors.push(error)
          if (errors.length === eligible.length) throw mergeErrors(errors, error)
        }
      }
    },
  }
}

/**
 * Skips models that would answer without the pictures, and models that would answer without searching, unless there are
 * no others.
 */
function eligibleModels(
  models: readonly LanguageModel[],
  { messages, callables = [] }: ModelRequest,
): readonly LanguageModel[] {
  const hasImages = messages.some((it) => imagesOf(it).length > 0)
  const readers = hasImages ? preferred(models, (it) => it.supportsImages) : models
  return callables.length === 0 ? readers : preferred(readers, (it) => it.supportsTools)
}

function preferred(models: readonly LanguageModel[], isAble: (model: LanguageModel) => boolean) {
  const able = models.filter(isAble)
  return able.length === 0 ? models : able
}

function mergeErrors(errors: readonly ModelError[], last: ModelError): ModelError {
  if (errors.length === 1) return last
  const waits = errors.flatMap((it) => it.retryAfterMs ?? [])
  return new ModelError(
    last.fault,
    errors.map((it) => it.message).join('; '),
    waits.length === errors.length ? Math.min(...waits) : null,
    { cause: last.cause },
  )
}

/** After an error with a wait time, the model is not called for that time, at most one minute. */
export function withCooldown(model: LanguageModel, clock: () => number): LanguageModel {
  let cooldown: { until: number; error: ModelError } | null = null
  return {
    name: model.name,
    max_input_tokens: model.max_input_tokens,
    get supportsTools() {
      return model.supportsTools
    },
    get supportsImages() {
      return model.supportsImages
    },
    async *stream(request) {
      if (cooldown !== null && clock() < cooldown.until) {
        const { fault, message, cause } = cooldown.error
        throw new ModelError(fault, message, cooldown.until - clock(), { cause })
      }
      try {
        yield* model.stream(request)
        cooldown = null
      } catch (error) {
        if (error instanceof ModelError && error.retryAfterMs !== null) {
          cooldown = { until: clock() + Math.min(error.retryAfterMs, MAX_COOLDOWN_MS), error }
        }
        throw error
      }
    },
  }
}
