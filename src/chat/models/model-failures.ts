// Notes in the record which language models fail, from the calls that are made anyway.
import { createHash } from 'node:crypto'
import type { Logger } from '../../domain/logger.ts'
import { type LanguageModel, ModelError, type ModelFault } from '../../inference/language-model.ts'
import type { ModelSettings } from '../../inference/model-settings.ts'
import type { Database } from '../../store/database/database.ts'
import { deleteFailuresWith, deleteModelFailures, noteModelFailure } from '../../store/models/failing-models.ts'
import type { ModelReference } from '../../store/models/llm-providers.ts'

export interface ModelFailures {
  /** The same model; how its calls end is noted. */
  watch(model: LanguageModel, source: ModelSource): LanguageModel
  /** To be called when a model answered with these settings in a test. Never rejects. */
  noteAnswer(settings: ModelSettings): Promise<void>
}

export interface ModelSource extends ModelReference {
  settings: ModelSettings
}

interface ModelFailuresDeps {
  db: Database
  logger: Logger
  now: () => number
  /** Called when a model failed, or worked again. */
  onChange: () => void
}

/** `limited` and `refused` say that the server is alive. */
const FAULTS: readonly ModelFault[] = ['unreachable', 'unauthorized', 'unknown_model', 'broken']
/** Another process may have noted a failure since: then a success here has to end it. */
const SUCCESS_KNOWN_MS = 10_000

export function createModelFailures({ db, logger, now, onChange }: ModelFailuresDeps): ModelFailures {
  const succeededAt = new Map<string, number>()
  const keyOf = ({ provider_id, model_name }: ModelReference) => `${provider_id}/${model_name}`
  const write = async (writing: Promise<void>) => {
    try {
      await writing
      onChange()
    } catch (err) {
      // The answer matters more than the note.
      logger.warn({ err }, 'state of a language model not stored')
    }
  }
  const noteSuccess = async (source: ModelSource): Promise<void> => {
    const key = keyOf(source)
    if (now() - (succeededAt.get(key) ?? 0) < SUCCESS_KNOWN_MS) return
    succeededAt.set(key, now())
    await write(deleteModelFailures(db, source))
  }
  const noteFailure = async (source: ModelSource, error: ModelError): Promise<void> => {
    succeededAt.delete(keyOf(source))
    const { provider_id, model_name, settings } = source
    const failure = { provider_id, model_name, settings: digestOfSettings(settings), reason: error.message }
    await write(noteModelFailure(db, failure, now()))
  }
  return {
    noteAnswer: (settings) => write(deleteFailuresWith(db, digestOfSettings(settings))),
    watch: (model, source) => ({
      name: model.name,
      max_input_tokens: model.max_input_tokens,
      get supportsTools() {
        return model.supportsTools
      },
      get supportsImages() {
        return model.supportsImages
      },
      async *stream(request) {
        try {
          for await (const event of model.stream(request)) {
            // Before the event, because readers stop at the end.
            if (event.type === 'end') await noteSuccess(source)
            yield event
          }
        } catch (error) {
          if (error instanceof ModelError && FAULTS.includes(error.fault)) await noteFailure(source, error)
          throw error
        }
      },
    }),
  }
}

/** Without the key and the headers: a digest of a secret would tell who guesses it right. */
export const digestOfSettings = ({ url, model, api_version }: ModelSettings): string =>
  createHash('sha256')
    .update(JSON.stringify([url, model, api_version]))
    .digest('hex')
