// Tests of language models, and the models that a server offers. Nothing is stored.
import { z } from 'zod'
import type { LanguageModels } from '../../../chat/models/language-models.ts'
import { AppError } from '../../../domain/errors.ts'
import { knownContextWindow } from '../../../domain/models/known-models.ts'
import { ENVIRONMENT_PROVIDER_ID, LlmProviderTest, LlmServer } from '../../../domain/models/llm-provider.ts'
import { EgressError } from '../../../egress/egress.ts'
import { ModelError } from '../../../inference/language-model.ts'
import type { ModelSettings } from '../../../inference/model-settings.ts'
import { type LlmProvider, llmProviderNotFound } from '../../../store/models/llm-providers.ts'
import { type RouteCall, route } from '../../route.ts'
import { ADDRESS_CHECK_NOTE, checkApiBase, providerFields } from './provider-fields.ts'

const adminDefaults = { access: 'admin', allowsTokens: true, tag: 'Language models' } as const

const LlmServerModel = z
  .object({
    name: z.string(),
    max_input_tokens: z.int().nullable().describe('The published context window; null if it is not known.'),
  })
  .meta({ id: 'LLMServerModel' })

export const llmServerTestRoutes = [
  route({
    ...adminDefaults,
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
      const settings = await serverSettings({ services, signal }, body)
      return explainFailure('The model does not respond', async () => {
        await services.languageModels.probe(settings, signal)
        return null
      })
    },
  }),
  route({
    ...adminDefaults,
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
      const settings = modelSettings(languageModels, provider, text.model_name)
      return explainFailure('The model does not respond', async () => {
        await languageModels.probe(settings, signal)
        return null
      })
    },
  }),
  route({
    ...adminDefaults,
    name: 'discoverLlmModels',
    method: 'POST',
    path: '/admin/llm/available-models',
    summary: 'Discover LLM models',
    description: `Asks the server of a provider for its models, by name, at most 1,000. Nothing is stored. ${ADDRESS_CHECK_NOTE}`,
    audit: { action: 'llm_provider.discover', object: ({ body }) => body.id },
    body: LlmServer,
    reply: z.array(LlmServerModel),
    errors: ['NOT_FOUND', 'VALIDATION_ERROR', 'INVALID_INPUT'],
    services: ['egress', 'languageModels', 'listServerModels'],
    handle: async ({ body, services, signal }) => {
      const settings = await serverSettings({ services, signal }, { ...body, model: 'this provider' })
      const names = await explainFailure('The server does not list its models', () =>
        services.listServerModels(settings, signal),
      )
      return names.map((name) => ({ name, max_input_tokens: knownContextWindow(body.provider, name) }))
    },
  }),
]

type TestContext = Pick<RouteCall<unknown, unknown, unknown, 'egress' | 'languageModels'>, 'services' | 'signal'>

/** The settings of a request, whose absent secrets are the stored ones. The address is checked. */
async function serverSettings(
  { services, signal }: TestContext,
  body: z.infer<typeof LlmProviderTest>,
): Promise<ModelSettings> {
  const { languageModels } = services
  const stored = body.id === null ? null : ((await languageModels.list()).find((it) => it.id === body.id) ?? null)
  if (body.id !== null && stored === null) throw llmProviderNotFound(body.id)
  if (stored?.id === ENVIRONMENT_PROVIDER_ID) return modelSettings(languageModels, stored, body.model)
  await checkApiBase({ services, signal }, body, body.id)
  const candidate = {
    ...providerFields({ ...UNSENT_FIELDS, ...body }, stored),
    id: body.id ?? -1,
    models: stored?.models ?? [],
    time_created: 0,
    time_updated: 0,
  }
  return { ...modelSettings(languageModels, candidate, body.model), urlOwner: { provider_id: body.id } }
}

/** Fields that a test request does not contain. */
const UNSENT_FIELDS = {
  name: 'test',
  expected_version: null,
  version: null,
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

/** The error includes a refused address, which only administrators may see. */
async function explainFailure<T>(what: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    const reason = `${what}: ${error.cause instanceof EgressError ? error.cause.message : `${error.message}.`}`
    throw new AppError('VALIDATION_ERROR', { reason }, { cause: error })
  }
}
