// A language model of a provider, ready to be asked. Every kind of provider speaks the wire of OpenAI.
import type { Egress } from '../egress/egress.ts'
import { guardedFetch } from './guarded-fetch.ts'
import type { OpenModel } from './model-settings.ts'
import { openOpenaiModel } from './openai-model.ts'

/** Asks nobody before the first question. */
export const modelOpener =
  ({ egress }: { egress: Egress }): OpenModel =>
  (settings) =>
    openOpenaiModel(
      settings,
      settings.from === 'operator'
        ? null
        : guardedFetch(egress, { kind: 'llm_provider', id: settings.from.provider_id }),
    )
