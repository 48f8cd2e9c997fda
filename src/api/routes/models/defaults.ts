// Default models by purpose.
import { z } from 'zod'
import type { LanguageModels } from '../../../chat/models/language-models.ts'
import { AppError } from '../../../domain/errors.ts'
import {
  clearDefaultModel,
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
    services: ['db', 'languageModels'],
    handle: async ({ body, services: { db, languageModels } }) => {
      await checkModelExists(languageModels, body)
      await setDefaultModel(db, purpose, body)
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
  route({
    ...adminDefaults,
    allowsTokens: true,
    name: 'setDefaultVisionModel',
    method: 'POST',
    path: '/admin/llm/default-vision',
    summary: 'Set default vision model',
    description: 'Always rejected: this service does not send images to models, so the setting would have no effect.',
    audit: { action: 'llm_provider.set_default_vision', object: ({ body }) => body.provider_id },
    body: DefaultModelRequest,
    reply: z.null(),
    errors: ['VALIDATION_ERROR'],
    handle: () => {
      throw new AppError('VALIDATION_ERROR', {
        reason: 'This service does not send images to models, so a default vision model cannot be set.',
      })
    },
  }),
  setDefaultRoute(
    'setDefaultChatNamingModel',
    '/admin/llm/default-chat-naming',
    'chat_naming',
    'Set default chat naming model',
    'Names chats. Without it, the model that answers names the chat.',
  ),
  route({
    ...adminDefaults,
    allowsTokens: true,
    name: 'unsetDefaultChatNamingModel',
    method: 'DELETE',
    path: '/admin/llm/default-chat-naming',
    summary: 'Unset default chat naming model',
    description: 'The model that answers names the chat again. Succeeds even if no default is set.',
    audit: { action: 'llm_provider.unset_default_chat_naming' },
    reply: z.null(),
    services: ['db'],
    handle: async ({ services: { db } }) => {
      await clearDefaultModel(db, 'chat_naming')
      return null
    },
  }),
]

async function checkModelExists(models: LanguageModels, { provider_id, model_name }: ModelReference): Promise<void> {
  const provider = (await models.list()).find((it) => it.id === provider_id)
  if (provider === undefined) throw llmProviderNotFound(provider_id)
  if (provider.models.some((it) => it.name === model_name)) return
  const known = provider.models.map((it) => it.name).join(', ') || 'none'
  const reason = `Provider "${provider.name}" has no model "${model_name}". Its models: ${known}.`
  throw new AppError('VALIDATION_ERROR', { reason })
}
