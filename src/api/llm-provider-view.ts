// A provider of language models as administrators see it, its secrets masked, and as people who choose a model do.
import { z } from 'zod'
import { wireGroups } from '../domain/connector.ts'
import { ENVIRONMENT_PROVIDER, maskSecrets } from '../domain/llm-provider.ts'
import { Header } from '../domain/tool.ts'
import { MODEL_DEFAULTS } from '../inference/model-settings.ts'
import type { LlmModel, LlmProvider } from '../store/llm-providers.ts'

const modelFields = {
  id: z.int().describe('What `llm_override.model_configuration_id` and a persona name it by.'),
  name: z.string(),
  display_name: z.string().nullable(),
  is_visible: z.boolean(),
  max_input_tokens: z.int(),
  supports_image_input: z.boolean(),
  supports_tools: z.boolean(),
}
const ModelConfigurationView = z.object(modelFields).meta({ id: 'ModelConfigurationView' })

const modelView = (it: LlmModel): z.infer<typeof ModelConfigurationView> => ({
  ...it,
  max_input_tokens: it.max_input_tokens ?? MODEL_DEFAULTS.max_input_tokens,
})

export const LlmProviderView = z
  .object({
    id: z.int(),
    name: z.string(),
    provider: z.string(),
    api_key: z.string().nullable().describe('Masked.'),
    api_base: z.string().nullable(),
    api_version: z.string().nullable(),
    deployment_name: z.string().nullable(),
    custom_config: z.record(z.string(), z.string()).nullable().describe('Its values masked.'),
    custom_headers: z.array(Header).describe('Their values masked.'),
    is_public: z.boolean(),
    is_auto_mode: z.boolean(),
    groups: z.array(z.union([z.int(), z.string()])),
    personas: z.array(z.int()),
    model_configurations: z.array(ModelConfigurationView),
    fallback_order: z.int().nullable(),
    first_token_timeout_ms: z.int(),
    idle_timeout_ms: z.int(),
    is_read_only: z.boolean().describe('It comes from the settings LLM_URL, LLM_KEY and LLM_MODEL.'),
    needs_secrets: z.boolean().describe('Its secrets are lost; until they are sent anew it is asked nothing.'),
  })
  .meta({ id: 'LLMProviderView' })

export const providerView = (it: LlmProvider): z.infer<typeof LlmProviderView> => ({
  id: it.id,
  name: it.name,
  provider: it.provider,
  api_base: it.api_base,
  api_version: it.api_version,
  deployment_name: it.deployment_name,
  ...maskSecrets(it.secrets),
  is_public: it.is_public,
  is_auto_mode: it.is_auto_mode,
  groups: wireGroups(it.groups),
  personas: it.personas,
  model_configurations: it.models.map(modelView),
  fallback_order: it.fallback_order,
  first_token_timeout_ms: it.first_token_timeout_ms ?? MODEL_DEFAULTS.first_token_timeout_ms,
  idle_timeout_ms: it.idle_timeout_ms ?? MODEL_DEFAULTS.idle_timeout_ms,
  is_read_only: it.id === ENVIRONMENT_PROVIDER,
  needs_secrets: it.secrets.is_lost === true,
})

/** No address and no secret, masked or not. */
export const LlmProviderDescriptor = z
  .object({
    id: z.int(),
    name: z.string(),
    provider: z.string(),
    model_configurations: z.array(ModelConfigurationView),
  })
  .meta({ id: 'LLMProviderDescriptor' })

export const providerDescriptor = ({
  id,
  name,
  provider,
  models,
}: LlmProvider): z.infer<typeof LlmProviderDescriptor> => ({
  id,
  name,
  provider,
  model_configurations: models.map(modelView),
})

const DefaultModel = z.object({ provider_id: z.int(), model_name: z.string() }).meta({ id: 'DefaultModel' })

const defaults = {
  default_text: DefaultModel.nullable(),
  default_vision: DefaultModel.nullable(),
  default_chat_naming: DefaultModel.nullable(),
}
export const LlmProviderViews = z
  .object({ providers: z.array(LlmProviderView), ...defaults })
  .meta({ id: 'LLMProviderViews' })
export const LlmProviderDescriptors = z
  .object({ providers: z.array(LlmProviderDescriptor), ...defaults })
  .meta({ id: 'LLMProviderDescriptors' })
