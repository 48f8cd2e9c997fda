// Language model providers: configuration and access.
import { z } from 'zod'
import type { LanguageModels } from '../../../chat/models/language-models.ts'
import { AppError } from '../../../domain/errors.ts'
import {
  ENVIRONMENT_PROVIDER_ID,
  LlmProviderUpsert,
  PROVIDER_KINDS,
  uniqueModels,
} from '../../../domain/models/llm-provider.ts'
import type { Subject } from '../../../domain/subject.ts'
import { getPersona } from '../../../store/chats/personas.ts'
import {
  deleteLlmProvider,
  findLlmProviderId,
  insertLlmProvider,
  type LlmProvider,
  llmProviderNotFound,
  type ModelReference,
  updateLlmProvider,
} from '../../../store/models/llm-providers.ts'
import { nullish, wireBoolean, wirePathInteger } from '../../../wire/schemas.ts'
import { route } from '../../route.ts'
import {
  LlmProviderDescriptors,
  LlmProviderView,
  LlmProviderViews,
  llmProviderDescriptor,
  llmProviderVersion,
  llmProviderView,
} from '../../views/llm-provider.ts'
import { ADDRESS_CHECK_NOTE, checkApiBase, providerFields } from './provider-fields.ts'

const WellKnownLlmProviderDescriptor = z
  .object({
    name: z.string(),
    title: z.string(),
    display_name: z.string(),
    api_key_required: z.boolean(),
    api_base_required: z.boolean(),
    api_version_required: z.boolean(),
    deployment_name_required: z.boolean(),
    custom_config_keys: z.null(),
    default_api_base: z.string().nullable().describe('The base URL if `api_base` is not set.'),
    known_models: z.array(z.unknown()).describe('Always empty: the server of the provider decides which models exist.'),
    model_configurations: z.array(z.unknown()),
    recommended_default_model: z.null(),
    default_model: z.null(),
  })
  .meta({ id: 'WellKnownLLMProviderDescriptor' })

const adminDefaults = { access: 'admin', tag: 'Language models' } as const
const chatDefaults = { access: ['chat', 'read:chat'], tag: 'Language models' } as const

function refuseEnvironmentProvider(id: number | null): void {
  if (id !== ENVIRONMENT_PROVIDER_ID) return
  const reason = 'LLM provider 0 is defined by the settings LLM_URL, LLM_KEY and LLM_MODEL. Change it there.'
  throw new AppError('VALIDATION_ERROR', { reason })
}

function checkVersion(stored: LlmProvider, expected: string | null): void {
  if (expected !== null && expected !== llmProviderVersion(stored))
    throw new AppError('LLM_PROVIDER_CHANGED', { id: stored.id })
}

export const llmProviderRoutes = [
  route({
    ...adminDefaults,
    name: 'listLlmProviders',
    method: 'GET',
    path: '/admin/llm/provider',
    summary: 'List LLM providers',
    description: 'Provider 0 is the one of the settings LLM_URL, LLM_KEY and LLM_MODEL.',
    query: z.object({
      include_image_gen: nullish(wireBoolean()).describe('Accepted for compatibility; ignored.'),
    }),
    reply: LlmProviderViews,
    services: ['languageModels'],
    handle: async ({ services: { languageModels } }) => ({
      providers: (await languageModels.list()).map(llmProviderView),
      ...(await defaultModels(languageModels)),
    }),
  }),
  route({
    ...adminDefaults,
    name: 'upsertLlmProvider',
    method: 'PUT',
    path: '/admin/llm/provider',
    summary: 'Create or update LLM provider',
    description: `With \`is_creation=true\`, creates a provider, even if the name exists. Otherwise updates the provider with this \`id\`, or without an id the only provider with this name. A masked or absent key is unchanged; if \`api_base\` changes to another server, the key must be sent again. With \`expected_version\`, the update fails with 409 if the provider has changed since it had that version. ${ADDRESS_CHECK_NOTE}`,
    audit: { action: 'llm_provider.put', object: (_, created) => created.id },
    query: z.object({ is_creation: nullish(wireBoolean()).describe('Default: false.') }),
    body: LlmProviderUpsert,
    reply: LlmProviderView,
    errors: ['NOT_FOUND', 'DUPLICATE_RESOURCE', 'LLM_PROVIDER_CHANGED', 'VALIDATION_ERROR', 'INVALID_INPUT'],
    services: ['db', 'secrets', 'egress', 'now'],
    handle: async ({ query, body, services, signal, warn }) => {
      const { duplicates } = uniqueModels(body.model_configurations ?? [])
      if (duplicates.length > 0)
        warn(`body.model_configurations: ${duplicates.join(', ')}: duplicate names, the last one is used`)
      if (query.is_creation === true) {
        await checkApiBase({ services, signal }, body, null)
        return llmProviderView(
          await insertLlmProvider(services, { ...providerFields(body, null), id: body.id }, services.now()),
        )
      }
      refuseEnvironmentProvider(body.id)
      const id = body.id ?? (await findLlmProviderId(services.db, body.name))
      if (id === undefined) throw llmProviderNotFound(body.name)
      await checkApiBase({ services, signal }, body, id)
      const change = (stored: LlmProvider) => {
        checkVersion(stored, body.expected_version)
        return providerFields(body, stored)
      }
      return llmProviderView(await updateLlmProvider(services, id, change, services.now()))
    },
  }),
  route({
    ...adminDefaults,
    allowsTokens: true,
    name: 'deleteLlmProvider',
    method: 'DELETE',
    path: '/admin/llm/provider/{provider_id}',
    summary: 'Delete LLM provider',
    description: 'Deleting the provider of the default model requires `force=true`.',
    audit: { action: 'llm_provider.delete', object: 'provider_id' },
    params: z.object({ provider_id: wirePathInteger() }),
    query: z.object({ force: nullish(wireBoolean()) }),
    reply: z.null(),
    errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
    services: ['db'],
    handle: async ({ params, query, services }) => {
      refuseEnvironmentProvider(params.provider_id)
      await deleteLlmProvider(services, params.provider_id, { isForced: query.force === true })
      return null
    },
  }),
  route({
    ...adminDefaults,
    name: 'listLlmProviderKinds',
    method: 'GET',
    path: '/admin/llm/built-in/options',
    summary: 'List LLM provider kinds',
    description: 'Other names work too: all providers are called with the OpenAI /chat/completions protocol.',
    reply: z.array(WellKnownLlmProviderDescriptor),
    handle: () =>
      PROVIDER_KINDS.map(({ name, title, api_key_required, api_base }) => ({
        name,
        title,
        display_name: title,
        api_key_required,
        api_base_required: api_base === null,
        api_version_required: false,
        deployment_name_required: false,
        custom_config_keys: null,
        default_api_base: api_base,
        known_models: [],
        model_configurations: [],
        recommended_default_model: null,
        default_model: null,
      })),
  }),
  route({
    ...chatDefaults,
    name: 'listAvailableModels',
    method: 'GET',
    path: '/llm/provider',
    summary: 'List available models',
    description: 'Lists the models available to the caller, independent of the persona.',
    reply: LlmProviderDescriptors,
    services: ['languageModels'],
    handle: ({ subject, services: { languageModels } }) => availableModels(languageModels, subject, null),
  }),
  route({
    ...chatDefaults,
    name: 'listPersonaModels',
    method: 'GET',
    path: '/llm/persona/{persona_id}/providers',
    summary: 'List available models of a persona',
    params: z.object({ persona_id: wirePathInteger() }),
    reply: LlmProviderDescriptors,
    errors: ['PERSONA_NOT_FOUND'],
    services: ['db', 'secrets', 'languageModels'],
    handle: async ({ params, subject, services }) => {
      const { id } = await getPersona(services, subject, params.persona_id)
      return availableModels(services.languageModels, subject, id)
    },
  }),
]

/** Omits defaults that are not available to the caller. */
async function availableModels(models: LanguageModels, subject: Subject, personaId: number | null) {
  const availableProviders = await models.listAvailable(subject, personaId)
  const ifAvailable = (it: ModelReference | null) =>
    availableProviders.some(({ id }) => id === it?.provider_id) ? it : null
  const { text, vision, chat_naming } = await models.defaults()
  return {
    providers: availableProviders.map(llmProviderDescriptor),
    default_text: ifAvailable(text),
    default_vision: ifAvailable(vision),
    default_chat_naming: ifAvailable(chat_naming),
  }
}

async function defaultModels(models: LanguageModels) {
  const { text, vision, chat_naming } = await models.defaults()
  return { default_text: text, default_vision: vision, default_chat_naming: chat_naming }
}
