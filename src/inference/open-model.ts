// Opens the language model of a provider. All kinds of providers speak the OpenAI protocol.
import type { Egress } from '../egress/egress.ts'
import type { LanguageModel } from './language-model.ts'
import type { ListServerModels, ModelSettings, OpenModel } from './model-settings.ts'
import { type ClientFetch, createGuardedFetch } from './openai/guarded-fetch.ts'

/** Sends nothing before the first request. */
export const createModelOpener =
  ({ egress }: { egress: Egress }): OpenModel =>
  (settings) =>
    openAtFirstRequest(settings, fetchFor(egress, settings))

export const createModelLister =
  ({ egress }: { egress: Egress }): ListServerModels =>
  async (settings, signal) => {
    const { listOpenaiModels } = await import('./openai/list-models.ts')
    return listOpenaiModels(settings, fetchFor(egress, settings), signal)
  }

/** Null for the address of the operator, which is called directly. */
const fetchFor = (egress: Egress, { urlOwner }: ModelSettings): ClientFetch | null =>
  urlOwner === 'operator' ? null : createGuardedFetch(egress, { kind: 'llm_provider', id: urlOwner.provider_id })

/** The package of the client is a tenth of the code that a start would load, and many services have no model. */
function openAtFirstRequest(settings: ModelSettings, fetch: ClientFetch | null): LanguageModel {
  let model: LanguageModel | undefined
  return {
    name: settings.name,
    max_input_tokens: settings.max_input_tokens,
    get supportsTools() {
      return model?.supportsTools ?? settings.supports_tools
    },
    get supportsImages() {
      return model?.supportsImages ?? settings.supports_images
    },
    async *stream(request) {
      // Node keeps a loaded module, and tries again after a failure such as a lack of file descriptors.
      const { openOpenaiModel } = await import('./openai/model.ts')
      model ??= openOpenaiModel(settings, fetch)
      yield* model.stream(request)
    },
  }
}
