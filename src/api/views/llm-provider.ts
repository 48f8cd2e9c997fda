// LLM providers in two forms: for administrators, with masked secrets, and for users who choose a model.
import { z } from 'zod'
import { groupIdsToWire } from '../../domain/connector.ts'
import { ENVIRONMENT_PROVIDER_ID, maskLlmSecrets, maxInputTokensOf } from '../../domain/models/llm-provider.ts'
import { Header } from '../../domain/tools/tool.ts'
import { MODEL_DEFAULTS } from '../../inference/model-settings.ts'
import type { LlmProvider } from '../../store/models/llm-providers.ts'

const modelFields = {
  id: z.int().describe('The id for `llm_override.model_configuration_id` and for personas.'),
  name: z.string(),
  display_name: z.string().describe('Defaults to `name`.'),
  is_visible: z.boolean(),
  max_input_tokens: z.int(),
  configured_max_input_tokens: z.int().nullable().describe('Null if `max_input_tokens` is the default.'),
  supports_image_input: z.boolean().describe('Whether pictures are sent to the model.'),
  supports_tools: z.boolean(),
}
const ModelConfigurationView = z.object(modelFields).meta({ id: 'ModelConfigurationView' })

const modelConfigurationViews = ({ provider, models }: LlmProvider): z.infer<typeof ModelConfigurationView>[] =>
  models.map((it) => ({
    ...it,
    display_name: it.display_name || it.name,
    max_input_tokens: maxInputTokensOf(provider, it),
    configured_max_input_tokens: it.max_input_tokens,
  }))

export const LlmProviderView = z
  .object({
    id: z.int(),
    name: z.string(),
    provider: z.string(),
    api_key: z.string().nullable().describe('Masked.'),
    api_base: z.string().nullable(),
    api_version: z.string().nullable(),
    deployment_name: z.string().nullable(),
    custom_config: z.record(z.string(), z.string()).nullable().describe('Values are masked.'),
    custom_headers: z.array(Header).describe('Values are masked.'),
    is_public: z.boolean(),
    is_auto_mode: z.boolean(),
    groups: z.array(z.union([z.int(), z.string()])),
    personas: z.array(z.int()),
    model_configurations: z.array(ModelConfigurationView),
    fallback_order: z.int().nullable(),
    first_token_timeout_ms: z.int(),
    idle_timeout_ms: z.int(),
    is_read_only: z.boolean().describe('True if the provider comes from the settings LLM_URL, LLM_KEY and LLM_MODEL.'),
    needs_secrets: z
      .boolean()
      .describe('True if the secrets cannot be decrypted. The provider is not used until they are entered again.'),
    version: z.string().describe('Changes with the provider: the `expected_version` of an update.'),
  })
  .meta({ id: 'LLMProviderView' })

export const llmProviderView = (it: LlmProvider): z.infer<typeof LlmProviderView> => ({
  id: it.id,
  name: it.name,
  provider: it.provider,
  api_base: it.api_base,
  api_version: it.api_version,
  deployment_name: it.deployment_name,
  ...maskLlmSecrets(it.secrets),
  is_public: it.is_public,
  is_auto_mode: it.is_auto_mode,
  groups: groupIdsToWire(it.groups),
  personas: it.personas,
  model_configurations: modelConfigurationViews(it),
  fallback_order: it.fallback_order,
  first_token_timeout_ms: it.first_token_timeout_ms ?? MODEL_DEFAULTS.first_token_timeout_ms,
  idle_timeout_ms: it.idle_timeout_ms ?? MODEL_DEFAULTS.idle_timeout_ms,
  is_read_only: it.id === ENVIRONMENT_PROVIDER_ID,
  needs_secrets: it.secrets.is_lost === true,
  version: llmProviderVersion(it),
})

export const llmProviderVersion = ({ time_updated }: Pick<LlmProvider, 'time_updated'>): string => String(time_updated)

/** Contains neither addresses nor secrets. */
export const LlmProviderDescriptor = z
  .object({
    id: z.int(),
    name: z.string(),
    provider: z.string(),
    model_configurations: z.array(ModelConfigurationView),
  })
  .meta({ id: 'LLMProviderDescriptor' })

export const llmProviderDescriptor = (it: LlmProvider): z.infer<typeof LlmProviderDescriptor> => ({
  id: it.id,
  name: it.name,
  provider: it.provider,
  model_configurations: modelConfigurationViews(it),
})

const DefaultModel = z.object({ provider_id: z.int(), model_name: z.string() }).meta({ id: 'DefaultModel' })

const defaultModelFields = {
  default_text: DefaultModel.nullable(),
  default_vision: DefaultModel.nullable(),
  default_chat_naming: DefaultModel.nullable(),
}
export const LlmProviderViews = z
  .object({ providers: z.array(LlmProviderView), ...defaultModelFields })
  .meta({ id: 'LLMProviderViews' })
export const LlmProviderDescriptors = z
  .object({ providers: z.array(LlmProviderDescriptor), ...defaultModelFields })
  .meta({ id: 'LLMProviderDescriptors' })
