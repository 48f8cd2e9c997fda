// Language model providers: configuration, access, and connection tests.
import { z } from 'zod'
import type { LanguageModels } from '../../../chat/models/language-models.ts'
import { AppError } from '../../../domain/errors.ts'
import {
  checkSecretsStayWithServer,
  defaultApiBase,
  ENVIRONMENT_PROVIDER_ID,
  LlmProviderTest,
  LlmProviderUpsert,
  type ModelConfiguration,
  mergeSecrets,
  NO_LLM_SECRETS,
  PROVIDER_KINDS,
  uniqueModels,
} from '../../../domain/models/llm-provider.ts'
import type { Subject } from '../../../domain/subject.ts'
import { EgressError } from '../../../egress/egress.ts'
import { ModelError } from '../../../inference/language-model.ts'
import type { ModelSettings } from '../../../inference/model-settings.ts'
import { getPersona } from '../../../store/chats/personas.ts'
import {
  deleteLlmProvider,
  findLlmProviderId,
  insertLlmProvider,
  type LlmProvider,
  type LlmProviderFields,
  llmProviderNotFound,
  type ModelReference,
  updateLlmProvider,
} from '../../../store/models/llm-providers.ts'
import { nullish, wireBoolean, wirePathInteger } from '../../../wire/schemas.ts'
import { checkEgressAddress } from '../../checks/egress-address.ts'
import { InvalidRequestError } from '../../http/error-response.ts'
import { type RouteCall, route } from '../../route.ts'
import {
  LlmProviderDescriptors,
  LlmProviderView,
  LlmProviderViews,
  llmProviderDescriptor,
  llmProviderView,
} from '../../views/llm-provider.ts'

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

type ProviderContext = Pick<RouteCall<unknown, unknown, unknown, 'egress'>, 'services' | 'signal'>

/** Checks the base URL of a provider; throws 422 at `api_base` if it is missing or may not be called. */
async function checkApiBase(
  { services, signal }: ProviderContext,
  { api_base, provider }: { api_base: string | null; provider: string },
  id: number | null,
): Promise<void> {
  const loc = ['body', 'api_base']
  const url = api_base || defaultApiBase(provider)
  if (url === null) {
    const msg = `Provider "${provider}" has no default address. Set api_base to the URL that serves its /chat/completions.`
    throw new InvalidRequestError([{ loc, msg, type: 'value_error' }])
  }
  await checkEgressAddress(services, { loc, url, profile: 'admin-target', asker: { kind: 'llm_provider', id } }, signal)
}

function refuseEnvironmentProvider(id: number | null): void {
  if (id !== ENVIRONMENT_PROVIDER_ID) return
  const reason = 'LLM provider 0 is defined by the settings LLM_URL, LLM_KEY and LLM_MODEL. Change it there.'
  throw new AppError('VALIDATION_ERROR', { reason })
}

/** Merges a request with the stored provider: sent fields win; fields that only Pharos knows stay if they are absent. */
function providerFields(body: z.infer<typeof LlmProviderUpsert>, stored: LlmProvider | null): LlmProviderFields {
  const { name, provider, api_version, deployment_name } = body
  const secrets = mergeSecrets(body, stored?.secrets ?? NO_LLM_SECRETS)
  const api_base = body.api_base || null
  const apiBase = (it: { api_base: string | null; provider: string }) => it.api_base ?? defaultApiBase(it.provider)
  if (stored !== null) {
    checkSecretsStayWithServer(stored.secrets, secrets, { from: apiBase(stored), to: apiBase({ api_base, provider }) })
  }
  const sentOrStored = <K extends 'fallback_order' | 'first_token_timeout_ms' | 'idle_timeout_ms'>(field: K) =>
    body[field] === undefined ? (stored?.[field] ?? null) : body[field]
  return {
    name,
    provider,
    api_base,
    api_version: api_version || null,
    deployment_name: deployment_name || null,
    secrets,
    is_public: body.is_public ?? stored?.is_public ?? true,
    is_auto_mode: body.is_auto_mode ?? stored?.is_auto_mode ?? false,
    groups: body.groups?.map(String) ?? stored?.groups ?? [],
    personas: body.personas ?? stored?.personas ?? [],
    fallback_order: sentOrStored('fallback_order'),
    first_token_timeout_ms: sentOrStored('first_token_timeout_ms'),
    idle_timeout_ms: sentOrStored('idle_timeout_ms'),
    models: modelsToStore(body.model_configurations, stored),
  }
}

function modelsToStore(sent: readonly ModelConfiguration[] | null, stored: LlmProvider | null) {
  if (sent === null) return stored === null ? [] : null
  return uniqueModels(sent).models
}

/** Tests a model. The error includes a refused address, which only administrators may see. */
async function testModel(models: LanguageModels, settings: ModelSettings, signal: AbortSignal): Promise<null> {
  try {
    await models.probe(settings, signal)
    return null
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    const reason = `The model does not respond: ${error.cause instanceof EgressError ? error.cause.message : `${error.message}.`}`
    throw new AppError('VALIDATION_ERROR', { reason }, { cause: error })
  }
}

const NO_IMAGE_INPUT = 'supports_image_input is stored, but this service does not send images to models.'

const ADDRESS_CHECK_NOTE = 'An address that this service may not call is rejected with 422.'

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
    description: `With \`is_creation=true\`, creates a provider, even if the name exists. Otherwise updates the provider with this \`id\`, or without an id the only provider with this name. A masked or absent key is unchanged; if \`api_base\` changes to another server, the key must be sent again. ${ADDRESS_CHECK_NOTE}`,
    audit: { action: 'llm_provider.put', object: (_, created) => created.id },
    query: z.object({ is_creation: nullish(wireBoolean()).describe('Default: false.') }),
    body: LlmProviderUpsert,
    reply: LlmProviderView,
    errors: ['NOT_FOUND', 'DUPLICATE_RESOURCE', 'VALIDATION_ERROR', 'INVALID_INPUT'],
    services: ['db', 'secrets', 'egress', 'now'],
    handle: async ({ query, body, services, signal, warn }) => {
      const { models, duplicates } = uniqueModels(body.model_configurations ?? [])
      if (models.some((it) => it.supports_image_input === true)) warn(NO_IMAGE_INPUT)
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
      return llmProviderView(await updateLlmProvider(services, id, (it) => providerFields(body, it), services.now()))
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
    allowsTokens: true,
    name: 'testLlmProvider',
    method: 'POST',
    path: '/admin/llm/test',
    summary: 'Test LLM provider',
    description: `Sends a short prompt to the model. Returns null on success, and an error otherwise. Nothing is stored. ${ADDRESS_CHECK_NOTE}`,
    audit: { action: 'llm_provider.test', object: ({ body }) => body.id },
    body: LlmProviderTest,
    reply: z.null(),
    errors: ['NOT_FOUND', 'VALIDATION_ERROR', 'INVALID_INPUT'],
    services: ['egress', 'languageModels'],
    handle: async ({ body, services, signal }) => {
      const { languageModels } = services
      const stored = body.id === null ? null : ((await languageModels.list()).find((it) => it.id === body.id) ?? null)
      if (body.id !== null && stored === null) throw llmProviderNotFound(body.id)
      if (stored?.id === ENVIRONMENT_PROVIDER_ID)
        return testModel(languageModels, modelSettings(languageModels, stored, body.model), signal)
      await checkApiBase({ services, signal }, body, body.id)
      const candidate = {
        ...providerFields({ ...UNSENT_FIELDS, ...body }, stored),
        id: body.id ?? -1,
        models: [],
        time_created: 0,
        time_updated: 0,
      }
      const settings = modelSettings(languageModels, candidate, body.model)
      return testModel(languageModels, { ...settings, urlOwner: { provider_id: body.id } }, signal)
    },
  }),
  route({
    ...adminDefaults,
    allowsTokens: true,
    name: 'testDefaultModel',
    method: 'POST',
    path: '/admin/llm/test/default',
    summary: 'Test default model',
    audit: { action: 'llm_provider.test_default' },
    reply: z.null(),
    errors: ['VALIDATION_ERROR'],
    services: ['languageModels'],
    handle: async ({ services: { languageModels }, signal }) => {
      const { text } = await languageModels.defaults()
      const provider = (await languageModels.list()).find((it) => it.id === text?.provider_id)
      if (text === null || provider === undefined) {
        throw new AppError('VALIDATION_ERROR', {
          reason: 'No default model is set. Set one with POST /admin/llm/default.',
        })
      }
      return testModel(languageModels, modelSettings(languageModels, provider, text.model_name), signal)
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

/** Fields that a test request does not contain. */
const UNSENT_FIELDS = {
  name: 'test',
  is_public: null,
  is_auto_mode: null,
  groups: null,
  personas: null,
  model_configurations: null,
  fallback_order: undefined,
  first_token_timeout_ms: undefined,
  idle_timeout_ms: undefined,
} as const

function modelSettings(models: LanguageModels, provider: LlmProvider, name: string): ModelSettings {
  const known = provider.models.find((it) => it.name === name)
  const model = known ?? { ...UNKNOWN_MODEL, name }
  const settings = models.settingsOf(provider, model)
  if (settings === null)
    throw new AppError('VALIDATION_ERROR', { reason: `Provider "${provider.name}" has no address. Set its api_base.` })
  return settings
}

const UNKNOWN_MODEL = {
  id: -1,
  display_name: null,
  is_visible: true,
  max_input_tokens: null,
  supports_image_input: false,
  supports_tools: true,
}
