// Several models that stand in for each other, and one that is left alone for as long as it asks.
import { type LanguageModel, ModelError, type ModelRequest } from './language-model.ts'

const LONGEST_REST_MS = 60_000

/** The next one is asked as long as nothing was said. The last error has the reasons of all. */
export function fallback(models: readonly [LanguageModel, ...LanguageModel[]]): LanguageModel {
  const [first] = models
  if (models.length === 1) return first
  return {
    name: first.name,
    max_input_tokens: first.max_input_tokens,
    get canCall() {
      return models.some((it) => it.canCall)
    },
    async *stream(request) {
      const errors: ModelError[] = []
      for (const model of ableOf(models, request)) {
        let hasSpoken = false
        try {
          for await (const event of model.stream(request)) {
            hasSpoken ||= event.type !== 'reasoning'
            yield event
          }
          return
        } catch (error) {
          if (hasSpoken || !(error instanceof ModelError)) throw error
          errors.push(error)
        }
      }
      throw together(errors)
    },
  }
}

/** One that cannot call would answer without having looked; it is asked when no other is there. */
function ableOf(models: readonly LanguageModel[], { callables = [] }: ModelRequest): readonly LanguageModel[] {
  const able = callables.length === 0 ? models : models.filter((it) => it.canCall)
  return able.length === 0 ? models : able
}

function together(errors: readonly ModelError[]): ModelError {
  const last = errors.at(-1)!
  if (errors.length === 1) return last
  const waits = errors.flatMap((it) => it.retryAfterMs ?? [])
  return new ModelError(
    last.fault,
    errors.map((it) => it.message).join('; '),
    waits.length === errors.length ? Math.min(...waits) : null,
    { cause: last.cause },
  )
}

/** After an error that says for how long, it is not asked for that time, a minute at most. */
export function resting(model: LanguageModel, clock: () => number): LanguageModel {
  let rest: { until: number; error: ModelError } | null = null
  return {
    name: model.name,
    max_input_tokens: model.max_input_tokens,
    get canCall() {
      return model.canCall
    },
    async *stream(request) {
      if (rest !== null && clock() < rest.until) {
        const { fault, message, cause } = rest.error
        throw new ModelError(fault, message, rest.until - clock(), { cause })
      }
      try {
        yield* model.stream(request)
        rest = null
      } catch (error) {
        if (error instanceof ModelError && error.retryAfterMs !== null) {
          rest = { until: clock() + Math.min(error.retryAfterMs, LONGEST_REST_MS), error }
        }
        throw error
      }
    },
  }
}
