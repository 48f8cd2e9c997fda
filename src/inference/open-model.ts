// Opens the language model of a provider. All kinds of providers speak the OpenAI protocol.
import type { Egress } from '../egress/egress.ts'
import type { OpenModel } from './model-settings.ts'
import { createGuardedFetch } from './openai/guarded-fetch.ts'
import { openOpenaiModel } from './openai/model.ts'

/** Sends nothing before the first request. */
export const createModelOpener =
  ({ egress }: { egress: Egress }): OpenModel =>
  (settings) =>
    openOpenaiModel(
      settings,
      settings.urlOwner === 'operator'
        ? null
        : createGuardedFetch(egress, { kind: 'llm_provider', id: settings.urlOwner.provider_id }),
    )
