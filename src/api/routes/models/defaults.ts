// Default models by purpose.
import { z } from 'zod'
import type { LanguageModels } from '../../../chat/models/language-models.ts'
import { AppError } from '../../../domain/errors.ts'
import { ENVIRONMENT_PROVIDER_ID } from '../../../domain/models/llm-provider.ts'
import {
  clearDefaultModel,
  type LlmModel,
  type LlmProvider,
  llmProviderNotFound,
  type ModelPurpose,
  type ModelReference,
  setDefaultModel,
} from '../../../store/models/llm-providers.ts'
import { WITHOUT_NUL, wireInteger, wireString } from '../../../wire/schemas.ts'
import { route } from '../../route.ts'

const DefaultModelRequest = z
  .object({ provider_id: wireInteger({ min: 0 }), model_name: wireString({ min: 1, max: 500, pattern: WITHOUT_NUL }) })
  .meta({ id: 'DefaultModelRequest' })

const adminDefaults = { access: 'admin', tag: 'Language models' } as const

const setDefaultRoute = (name: string, path: string, purpose: ModelPurpose, summary: string, description: string) =>
  route({
    ...adminDefaults,
    name,
    allowsTokens: true,
    method: 'POST',
    path,
    summary,
    description,
    audit: { action: `llm_provider.set_default_${purpose}`, object: ({ body }) => body.provider_id },
    body: DefaultModelRequest,
    reply: z.null(),
    errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
    services: ['db', 'languageModels', 'captions'],
    handle: async ({ body, services: { db, languageModels, captions } }) => {
      await checkModel(languageModels, body, purpose)
      await setDefaultModel(db, purpose, body)
      // Captions may have waited for this model.
      if (purpose === 'vision') captions.onSetupChange()
      return null
    },
  })

const unsetDefaultRoute = (name: string, path: string, purpose: ModelPurpose, summary: string, description: string) =>
  route({
    ...adminDefaults,
    name,
    allowsTokens: true,
    method: 'DELETE',
    path,
    summary,
    description,
    audit: { action: `llm_provider.unset_default_${purpose}` },
    reply: z.null(),
    services: ['db'],
    handle: async ({ services: { db } }) => {
      await clearDefaultModel(db, purpose)
      return null
    },
  })

export const llmDefaultRoutes = [
  setDefaultRoute(
    'setDefaultModel',
    '/admin/llm/default',
    'text',
    'Set default model',
    'The default model answers if neither the message nor the persona selects one.',
  ),
  setDefaultRoute(
    'setDefaultVisionModel',
    '/admin/llm/default-vision',
    'vision',
    'Set default vision model',
    'Answers messages with pictures if the model of the chat does not read them. Its `supports_image_input` must be true.',
  ),
  unsetDefaultRoute(
    'unsetDefaultVisionModel',
    '/admin/llm/default-vision',
    'vision',
    'Unset default vision model',
    'Only models of chats that read pictures receive them. Succeeds even if no default is set.',
  ),
  setDefaultRoute(
    'setDefaultChatNamingModel',
    '/admin/llm/default-chat-naming',
    'chat_naming',
    'Set default chat naming model',
    'Names chats. Without it, the model that answers names the chat.',
  ),
  unsetDefaultRoute(
    'unsetDefaultChatNamingModel',
    '/admin/llm/default-chat-naming',
    'chat_naming',
    'Unset default chat naming model',
    'The model that answers names the chat again. Succeeds even if no default is set.',
  ),
]

async function checkModel(
  models: LanguageModels,
  { provider_id, model_name }: ModelReference,
  purpose: ModelPurpose,
): Promise<void> {
  const provider = (await models.list()).find((it) => it.id === provider_id)
  if (provider === undefined) throw llmProviderNotFound(provider_id)
  const model = provider.models.find((it) => it.name === model_name)
  if (model !== undefined) return purpose === 'vision' ? checkReadsPictures(provider, model) : undefined
  const known = provider.models.map((it) => it.name).join(', ') || 'none'
  const reason = `Provider "${provider.name}" has no model "${model_name}". Its models: ${known}.`
  throw new AppError('VALIDATION_ERROR', { reason })
}

function checkReadsPictures(provider: LlmProvider, model: LlmModel): void {
  if (model.supports_image_input) return
  const wayOut =
    provider.id === ENVIRONMENT_PROVIDER_ID
      ? 'If it reads pictures, set LLM_PICTURES=on.'
      : 'If it reads pictures, set its `supports_image_input` to true first.'
  const reason = `Model "${model.name}" of provider "${provider.name}" is not marked as reading pictures. ${wayOut}`
  throw new AppError('VALIDATION_ERROR', { reason })
}
