// Which language models there are, who may use them, and whether they answer.
import { z } from 'zod'
import type { LanguageModels } from '../../chat/choose-model.ts'
import { AppError } from '../../domain/errors.ts'
import {
  checkHandedOn,
  ENVIRONMENT_PROVIDER,
  LlmProviderTest,
  LlmProviderUpsert,
  NO_SECRETS,
  PROVIDER_KINDS,
  secretsOf,
  usualBase,
} from '../../domain/llm-provider.ts'
import type { Subject } from '../../domain/subject.ts'
import { nullish, pathInteger, WITHOUT_NUL, wireBoolean, wireInteger, wireString } from '../../domain/wire.ts'
import { EgressError } from '../../egress/egress.ts'
import { ModelError } from '../../inference/language-model.ts'
import type { ModelSettings } from '../../inference/model-settings.ts'
import {
  deleteLlmProvider,
  findLlmProviderId,
  insertLlmProvider,
  type LlmProvider,
  type LlmProviderFields,
  type ModelName,
  missing,
  type Purpose,
  setDefault,
  updateLlmProvider,
} from '../../store/llm-providers.ts'
import { getPersona } from '../../store/personas.ts'
import { checkAddress } from '../check-address.ts'
import { RequestInvalid } from '../error-answer.ts'
import {
  LlmProviderDescriptors,
  LlmProviderView,
  LlmProviderViews,
  providerDescriptor,
  providerView,
} from '../llm-provider-view.ts'
import { type Call, route } from '../route.ts'

const DefaultModelRequest = z
  .object({ provider_id: wireInteger({ min: 0 }), model_name: wireString({ min: 1, max: 500, pattern: WITHOUT_NUL }) })
  .meta({ id: 'DefaultModelRequest' })

const ProviderKind = z
  .object({
    name: z.string(),
    title: z.string(),
    display_name: z.string(),
    api_key_required: z.boolean(),
    api_base_required: z.boolean(),
    api_version_required: z.boolean(),
    deployment_name_required: z.boolean(),
    custom_config_keys: z.null(),
    default_api_base: z.string().nullable().describe('Where it is asked if `api_base` is not set.'),
    known_models: z.array(z.unknown()).describe('Empty: which models there are is for its server to say.'),
    model_configurations: z.array(z.unknown()),
    recommended_default_model: z.null(),
    default_model: z.null(),
  })
  .meta({ id: 'WellKnownLLMProviderDescriptor' })

const admin = { access: 'admin', tag: 'Language models' } as const
const chat = { access: ['chat', 'read:chat'], tag: 'Language models' } as const

type Asked = Pick<Call<unknown, unknown, unknown>, 'services' | 'signal'>

/** Where it is asked; 422 at `api_base` if that is nowhere, or is not called. */
async function checkBase(
  { services, signal }: Asked,
  { api_base, provider }: { api_base: string | null; provider: string },
  id: number | null,
): Promise<void> {
  const loc = ['body', 'api_base']
  const url = api_base || usualBase(provider)
  if (url === null) {
    const msg = `Nobody knows where "${provider}" is: api_base must say where its /chat/completions is.`
    throw new RequestInvalid([{ loc, msg, type: 'value_error' }])
  }
  await checkAddress(services, { loc, url, profile: 'admin-target', asker: { kind: 'llm_provider', id } }, signal)
}

function refuseReadOnly(id: number | null): void {
  if (id !== ENVIRONMENT_PROVIDER) return
  const reason = 'LLM provider 0 comes from the settings LLM_URL, LLM_KEY and LLM_MODEL: change it there.'
  throw new AppError('VALIDATION_ERROR', { reason })
}

/** What is sent takes the place of what is stored; what only this service knows stays where it is absent. */
function fieldsOf(body: z.infer<typeof LlmProviderUpsert>, stored: LlmProvider | null): LlmProviderFields {
  const { name, provider, api_version, deployment_name } = body
  const secrets = secretsOf(body, stored?.secrets ?? NO_SECRETS)
  const api_base = body.api_base || null
  const baseOf = (it: { api_base: string | null; provider: string }) => it.api_base ?? usualBase(it.provider)
  if (stored !== null) {
    checkHandedOn(stored.secrets, secrets, { from: baseOf(stored), to: baseOf({ api_base, provider }) })
  }
  const kept = <K extends 'fallback_order' | 'first_token_timeout_ms' | 'idle_timeout_ms'>(field: K) =>
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
    fallback_order: kept('fallback_order'),
    first_token_timeout_ms: kept('first_token_timeout_ms'),
    idle_timeout_ms: kept('idle_timeout_ms'),
    models: body.model_configurations ?? (stored === null ? [] : null),
  }
}

async function checkModel(models: LanguageModels, { provider_id, model_name }: ModelName): Promise<void> {
  const provider = (await models.list()).find((it) => it.id === provider_id)
  if (provider === undefined) throw missing(provider_id)
  if (provider.models.some((it) => it.name === model_name)) return
  const known = provider.models.map((it) => it.name).join(', ') || 'none'
  const reason = `Provider "${provider.name}" has no model "${model_name}". Its models: ${known}.`
  throw new AppError('VALIDATION_ERROR', { reason })
}

/** An administrator is told what people are not: the address that is not called. */
async function tried(models: LanguageModels, settings: ModelSettings, signal: AbortSignal): Promise<null> {
  try {
    await models.test(settings, signal)
    return null
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    const reason = `The model does not answer: ${error.cause instanceof EgressError ? error.cause.message : `${error.message}.`}`
    throw new AppError('VALIDATION_ERROR', { reason }, { cause: error })
  }
}

const defaultRoute = (path: string, purpose: Purpose, summary: string, description: string) =>
  route({
    ...admin,
    method: 'POST',
    path,
    summary,
    description,
    audit: { action: `llm_provider.set_default_${purpose}`, object: ({ body }) => body.provider_id },
    body: DefaultModelRequest,
    reply: z.null(),
    errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
    handle: async ({ body, services: { db, languageModels } }) => {
      await checkModel(languageModels, body)
      await setDefault(db, purpose, body)
      return null
    },
  })

const URL_NOTE = 'The address is looked at: one that this service does not call is 422, which says the way out.'

export const llmProviderRoutes = [
  route({
    ...admin,
    method: 'GET',
    path: '/admin/llm/provider',
    summary: 'List LLM providers',
    description: 'That of the settings LLM_URL, LLM_KEY and LLM_MODEL is number 0.',
    query: z.object({
      include_image_gen: nullish(wireBoolean()).describe('Known to clients; there is none of these.'),
    }),
    reply: LlmProviderViews,
    handle: async ({ services: { languageModels } }) => ({
      providers: (await languageModels.list()).map(providerView),
      ...(await defaultsOf(languageModels)),
    }),
  }),
  route({
    ...admin,
    method: 'PUT',
    path: '/admin/llm/provider',
    summary: 'Create or update an LLM provider',
    description: `With \`is_creation=true\` a new one; else that of \`id\`, or without an id that of the name. A key that is masked or absent stays as it is; when \`api_base\` leads to another server it must be sent anew. ${URL_NOTE}`,
    audit: { action: 'llm_provider.put', object: (_, made) => made.id },
    query: z.object({ is_creation: nullish(wireBoolean()).describe('Without it, false.') }),
    body: LlmProviderUpsert,
    reply: LlmProviderView,
    errors: ['NOT_FOUND', 'DUPLICATE_RESOURCE', 'VALIDATION_ERROR', 'INVALID_INPUT'],
    handle: async ({ query, body, services, signal }) => {
      if (query.is_creation === true) {
        await checkBase({ services, signal }, body, null)
        return providerView(await insertLlmProvider(services, { ...fieldsOf(body, null), id: body.id }, services.now()))
      }
      refuseReadOnly(body.id)
      const id = body.id ?? (await findLlmProviderId(services.db, body.name))
      if (id === undefined) throw missing(body.name)
      await checkBase({ services, signal }, body, id)
      return providerView(await updateLlmProvider(services, id, (it) => fieldsOf(body, it), services.now()))
    },
  }),
  route({
    ...admin,
    method: 'DELETE',
    path: '/admin/llm/provider/{provider_id}',
    summary: 'Delete an LLM provider',
    description: 'The one of the default model only with `force=true`.',
    audit: { action: 'llm_provider.delete', object: 'provider_id' },
    params: z.object({ provider_id: pathInteger() }),
    query: z.object({ force: nullish(wireBoolean()) }),
    reply: z.null(),
    errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
    handle: async ({ params, query, services }) => {
      refuseReadOnly(params.provider_id)
      await deleteLlmProvider(services, params.provider_id, { isForced: query.force === true })
      return null
    },
  }),
  defaultRoute(
    '/admin/llm/default',
    'text',
    'Set the default model',
    'It answers where neither the question nor the persona names another one.',
  ),
  defaultRoute(
    '/admin/llm/default-vision',
    'vision',
    'Set the default model for images',
    'Kept for clients that know it; nothing here reads images with a model.',
  ),
  defaultRoute(
    '/admin/llm/default-chat-naming',
    'chat_naming',
    'Set the default model for names of chats',
    'It gives a chat its name; without it, the one that answers does.',
  ),
  route({
    ...admin,
    method: 'POST',
    path: '/admin/llm/test',
    summary: 'Test an LLM provider',
    description: `Has the model say something, and answers null if it does, else what went wrong. Nothing is stored. ${URL_NOTE}`,
    audit: { action: 'llm_provider.test', object: ({ body }) => body.id },
    body: LlmProviderTest,
    reply: z.null(),
    errors: ['NOT_FOUND', 'VALIDATION_ERROR', 'INVALID_INPUT'],
    handle: async ({ body, services, signal }) => {
      const { languageModels } = services
      const stored = body.id === null ? null : ((await languageModels.list()).find((it) => it.id === body.id) ?? null)
      if (body.id !== null && stored === null) throw missing(body.id)
      if (stored?.id === ENVIRONMENT_PROVIDER)
        return tried(languageModels, ofStored(languageModels, stored, body.model), signal)
      await checkBase({ services, signal }, body, body.id)
      const sent = {
        ...fieldsOf({ ...UNSENT, ...body }, stored),
        id: body.id ?? -1,
        models: [],
        time_created: 0,
        time_updated: 0,
      }
      const settings = ofStored(languageModels, sent, body.model)
      return tried(languageModels, { ...settings, from: { provider_id: body.id } }, signal)
    },
  }),
  route({
    ...admin,
    method: 'POST',
    path: '/admin/llm/test/default',
    summary: 'Test the default model',
    audit: { action: 'llm_provider.test_default' },
    reply: z.null(),
    errors: ['VALIDATION_ERROR'],
    handle: async ({ services: { languageModels }, signal }) => {
      const { text } = await languageModels.defaults()
      const provider = (await languageModels.list()).find((it) => it.id === text?.provider_id)
      if (text === null || provider === undefined) {
        throw new AppError('VALIDATION_ERROR', { reason: 'No default model is set: POST /admin/llm/default sets one.' })
      }
      return tried(languageModels, ofStored(languageModels, provider, text.model_name), signal)
    },
  }),
  route({
    ...admin,
    method: 'GET',
    path: '/admin/llm/built-in/options',
    summary: 'Kinds of LLM providers',
    description: 'Any other name does as well: all are spoken to as OpenAI’s /chat/completions.',
    reply: z.array(ProviderKind),
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
    ...chat,
    method: 'GET',
    path: '/llm/provider',
    summary: 'List models to choose from',
    description: 'Those that are open to whoever asks, whatever the persona.',
    reply: LlmProviderDescriptors,
    handle: ({ subject, services: { languageModels } }) => offered(languageModels, subject, null),
  }),
  route({
    ...chat,
    method: 'GET',
    path: '/llm/persona/{persona_id}/providers',
    summary: 'List models to choose from with a persona',
    params: z.object({ persona_id: pathInteger() }),
    reply: LlmProviderDescriptors,
    errors: ['PERSONA_NOT_FOUND'],
    handle: async ({ params, subject, services }) => {
      const { id } = await getPersona(services, subject, params.persona_id)
      return offered(services.languageModels, subject, id)
    },
  }),
]

/** A default that is closed to somebody is none for them. */
async function offered(models: LanguageModels, subject: Subject, personaId: number | null) {
  const open = await models.listFor(subject, personaId)
  const known = (it: ModelName | null) => (open.some(({ id }) => id === it?.provider_id) ? it : null)
  const { text, vision, chat_naming } = await models.defaults()
  return {
    providers: open.map(providerDescriptor),
    default_text: known(text),
    default_vision: known(vision),
    default_chat_naming: known(chat_naming),
  }
}

async function defaultsOf(models: LanguageModels) {
  const { text, vision, chat_naming } = await models.defaults()
  return { default_text: text, default_vision: vision, default_chat_naming: chat_naming }
}

/** What a test says nothing of. */
const UNSENT = {
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

function ofStored(models: LanguageModels, provider: LlmProvider, name: string): ModelSettings {
  const known = provider.models.find((it) => it.name === name)
  const model = known ?? { ...UNKNOWN_MODEL, name }
  const settings = models.settingsOf(provider, model)
  if (settings === null) throw new AppError('VALIDATION_ERROR', { reason: `Nobody knows where "${provider.name}" is.` })
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
