// A server of language models, as administrators configure it. All providers must speak
// https://platform.openai.com/docs/api-reference/chat.
import { z } from 'zod'
import {
  NOT_BLANK,
  nullish,
  optionalNullable,
  WITHOUT_NUL,
  wireArray,
  wireBoolean,
  wireInteger,
  wireObject,
  wireString,
} from '../../wire/schemas.ts'
import { groupIds } from '../connector.ts'
import { AppError } from '../errors.ts'
import { type Header, headerList, maskHeaders, unmaskHeaders } from '../tools/tool.ts'
import { maskDeep, maskSecret, unmaskDeep } from '../values/mask.ts'
import { knownContextWindow } from './known-models.ts'

/** The provider from LLM_URL, LLM_KEY and LLM_MODEL; it has no row. */
export const ENVIRONMENT_PROVIDER_ID = 0
export const ENVIRONMENT_PROVIDER_NAME = 'environment'

/** The context window of an unknown model. Few models have a smaller one. */
export const DEFAULT_INPUT_TOKENS = 8_192

/** The provider names that administrators enter, and their default addresses. */
export const PROVIDER_KINDS = [
  { name: 'openai_compatible', title: 'Any server with /chat/completions', api_key_required: false, api_base: null },
  { name: 'openai', title: 'OpenAI', api_key_required: true, api_base: 'https://api.openai.com/v1' },
  { name: 'azure', title: 'Azure OpenAI (its v1 address)', api_key_required: true, api_base: null },
  {
    name: 'anthropic',
    title: 'Anthropic',
    api_key_required: true,
    api_base: 'https://api.anthropic.com/v1',
  },
  {
    name: 'gemini',
    title: 'Google Gemini',
    api_key_required: true,
    api_base: 'https://generativelanguage.googleapis.com/v1beta/openai',
  },
  { name: 'mistral', title: 'Mistral', api_key_required: true, api_base: 'https://api.mistral.ai/v1' },
  { name: 'openrouter', title: 'OpenRouter', api_key_required: true, api_base: 'https://openrouter.ai/api/v1' },
  { name: 'ollama', title: 'Ollama', api_key_required: false, api_base: 'http://localhost:11434/v1' },
  { name: 'lm_studio', title: 'LM Studio', api_key_required: false, api_base: 'http://localhost:1234/v1' },
  { name: 'vllm', title: 'vLLM', api_key_required: false, api_base: 'http://localhost:8000/v1' },
  { name: 'llama_cpp', title: 'llama.cpp', api_key_required: false, api_base: 'http://localhost:8080/v1' },
] as const

export const defaultApiBase = (provider: string): string | null =>
  PROVIDER_KINDS.find((it) => it.name === provider.toLowerCase())?.api_base ?? null

/** The context window: as configured, else as published by the provider. */
export const maxInputTokensOf = (kind: string, model: { name: string; max_input_tokens: number | null }): number =>
  model.max_input_tokens ?? knownContextWindow(kind, model.name) ?? DEFAULT_INPUT_TOKENS

/** Each name once, the last entry wins; and the names that occur more than once. */
export function uniqueModels(models: readonly ModelConfiguration[]): {
  models: ModelConfiguration[]
  duplicates: string[]
} {
  const last = new Map(models.map((it) => [it.name, it]))
  const byName = Map.groupBy(models, (it) => it.name)
  return {
    models: [...last.values()],
    duplicates: [...byName].filter(([, it]) => it.length > 1).map(([name]) => name),
  }
}

const MAX_MODELS = 1_000
const MAX_TIMEOUT_MS = 900_000
/** Characters allowed in a header, or the mask of a short key. */
const KEY = /^(?:[\t\x20-\x7e\x80-\xff]*|•{12})$/

const shortText = wireString({ min: 1, max: 500, pattern: NOT_BLANK })
const anyText = (max: number) => nullish(wireString({ max, pattern: WITHOUT_NUL }))
const timeoutMs = () => optionalNullable(wireInteger({ min: 100, max: MAX_TIMEOUT_MS }))

const ModelConfiguration = z
  .object({
    name: shortText.describe('The name of the model at the server.'),
    display_name: anyText(500),
    is_visible: nullish(wireBoolean()).describe('Whether people may choose it. Default: true.'),
    max_input_tokens: nullish(wireInteger({ min: 256, max: 100_000_000 })).describe(
      'The context window in tokens, including the answer. Default: as published for the model, else 8,192; a value equal to it is not stored.',
    ),
    supports_image_input: nullish(wireBoolean()).describe(
      'Whether pictures are sent to the model. Default: as stored, else as published for the model, else false. Turns off until the next start when its server refuses pictures.',
    ),
    supports_tools: nullish(wireBoolean()).describe('Default: true, until its server rejects tools.'),
  })
  .meta({ id: 'ModelConfigurationUpsertRequest' })
export type ModelConfiguration = z.infer<typeof ModelConfiguration>

const connectionFields = {
  provider: shortText.describe('The kind of server; all are used through the OpenAI API.'),
  api_key: nullish(wireString({ max: 10_000, pattern: KEY })),
  api_base: anyText(2_000).describe('The base of its /chat/completions, such as https://models.example.com/v1.'),
  api_version: anyText(100).describe('For servers that expect a version in the address.'),
  deployment_name: anyText(500).describe('Sent instead of the model name.'),
  custom_config: nullish(wireObject(wireString({ max: 100_000 }), { max: 100 })).describe(
    'Stored for clients that use it; has no effect on this service.',
  ),
  api_key_changed: nullish(wireBoolean()).describe('If true, an absent `api_key` removes the stored one.'),
  custom_config_changed: nullish(wireBoolean()),
  custom_headers: nullish(headerList).describe('Sent with every request. If absent, the stored headers stay.'),
}

export const LlmProviderUpsert = z
  .object({
    id: nullish(wireInteger({ min: 0 })),
    name: shortText.describe('The display name. It need not be unique.'),
    ...connectionFields,
    is_public: nullish(wireBoolean()).describe('Default: true. If false, only members of `groups` may use it.'),
    is_auto_mode: nullish(wireBoolean()),
    groups: nullish(groupIds),
    personas: nullish(wireArray(wireInteger(), { max: 10_000 })).describe(
      'If not empty, only these personas may use it.',
    ),
    model_configurations: nullish(wireArray(ModelConfiguration, { max: MAX_MODELS })).describe(
      'If absent, the stored models stay. The last entry of a name wins.',
    ),
    fallback_order: optionalNullable(wireInteger({ min: 0, max: 1_000_000 })).describe(
      'Providers with a number serve as fallbacks, in ascending order. If absent, the stored number stays.',
    ),
    expected_version: nullish(wireString({ max: 100 })).describe('The `version` of the provider that this changes.'),
    version: nullish(wireString({ max: 100 })).describe('Ignored, so that a provider can be sent back as it was read.'),
    first_token_timeout_ms: timeoutMs().describe('The maximum time to the first token; null means 60,000.'),
    idle_timeout_ms: timeoutMs().describe('The maximum time between two tokens; null means 30,000.'),
  })
  .meta({ id: 'LLMProviderUpsertRequest' })
export type LlmProviderUpsert = z.infer<typeof LlmProviderUpsert>

const serverFields = {
  id: nullish(wireInteger({ min: 0 })).describe('The id of a stored provider, whose secrets replace absent ones.'),
  ...connectionFields,
}
export const LlmProviderTest = z.object({ ...serverFields, model: shortText }).meta({ id: 'TestLLMRequest' })
/** The server of a provider, stored or not. */
export const LlmServer = z.object(serverFields).meta({ id: 'LLMServerRequest' })
export type LlmProviderTest = z.infer<typeof LlmProviderTest>

export interface LlmSecrets {
  api_key: string | null
  custom_headers: Header[]
  custom_config: Record<string, string> | null
  /** The stored secrets cannot be decrypted: the provider is not used until they are entered again. */
  is_lost?: true
}

export const NO_LLM_SECRETS: Readonly<LlmSecrets> = { api_key: null, custom_headers: [], custom_config: null }

export const maskLlmSecrets = ({ api_key, custom_headers, custom_config }: LlmSecrets) => ({
  api_key: api_key === null ? null : maskSecret(api_key),
  custom_headers: maskHeaders(custom_headers),
  custom_config: custom_config === null ? null : (maskDeep(custom_config) as Record<string, string>), // Texts stay texts.
})

type SentSecrets = Pick<
  LlmProviderUpsert,
  'api_key' | 'api_key_changed' | 'custom_config' | 'custom_config_changed' | 'custom_headers'
>

/** Merges what a client sends back: a masked or absent secret keeps its stored value. */
export function mergeSecrets(sent: SentSecrets, stored: LlmSecrets): LlmSecrets {
  const { is_lost: _, ...known } = stored
  return {
    ...known,
    api_key: mergeApiKey(sent, stored.api_key),
    custom_headers:
      sent.custom_headers === null ? stored.custom_headers : unmaskHeaders(sent.custom_headers, stored.custom_headers),
    custom_config: mergeCustomConfig(sent, stored.custom_config),
  }
}

function mergeApiKey({ api_key, api_key_changed }: SentSecrets, stored: string | null): string | null {
  if (api_key === null || api_key === '') return api_key_changed === true ? null : stored
  if (stored !== null && api_key === maskSecret(stored)) return stored
  if (api_key === maskSecret('')) {
    throw new AppError('INVALID_INPUT', { reason: '`api_key` is masked: send the key itself, or omit it.' })
  }
  return api_key
}

function mergeCustomConfig(sent: SentSecrets, stored: LlmSecrets['custom_config']): LlmSecrets['custom_config'] {
  if (sent.custom_config === null) return sent.custom_config_changed === true ? null : stored
  return unmaskDeep(sent.custom_config, stored ?? {}) as Record<string, string> // Texts stay texts.
}

/** A stored secret must not be sent to a new address, whose owner could read it. */
export function checkSecretsStayWithServer(
  stored: LlmSecrets,
  wanted: LlmSecrets,
  moved: { from: string | null; to: string | null },
): void {
  if (moved.from === null || originOrText(moved.from) === originOrText(moved.to)) return
  const isKept =
    (wanted.api_key !== null && wanted.api_key === stored.api_key) ||
    wanted.custom_headers.some((it) =>
      stored.custom_headers.some((old) => old.key === it.key && old.value === it.value),
    )
  if (!isKept) return
  throw new AppError('VALIDATION_ERROR', {
    reason:
      '`api_base` points to another server: send api_key and custom_headers again, so that the stored secrets do not leak to it.',
  })
}

const originOrText = (url: string | null) => (url === null ? null : (URL.parse(url)?.origin ?? url))
