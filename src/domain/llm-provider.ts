// A server of language models, as administrators set it up: https://platform.openai.com/docs/api-reference/chat is what
// each of them must speak, whatever it is called.
import { z } from 'zod'
import { groupIds } from './connector.ts'
import { AppError } from './errors.ts'
import { mask, maskDeep, unmaskDeep } from './mask.ts'
import { type Header, headerList, maskHeaders, unmaskHeaders } from './tool.ts'
import {
  HOLDS_A_WORD,
  nullish,
  optionalNullable,
  WITHOUT_NUL,
  wireArray,
  wireBoolean,
  wireInteger,
  wireObject,
  wireString,
} from './wire.ts'

/** Of the settings LLM_URL, LLM_KEY and LLM_MODEL: it has no row. */
export const ENVIRONMENT_PROVIDER = 0
export const ENVIRONMENT_NAME = 'environment'

/** What a provider is called where an administrator types it, and where it is if nothing else is said. */
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

export const usualBase = (provider: string): string | null =>
  PROVIDER_KINDS.find((it) => it.name === provider.toLowerCase())?.api_base ?? null

const MAX_MODELS = 1_000
const MAX_TIMEOUT_MS = 900_000
/** What may stand in a header, or the mask of a short key. */
const KEY = /^(?:[\t\x20-\x7e\x80-\xff]*|•{12})$/

const shortText = wireString({ min: 1, max: 500, pattern: HOLDS_A_WORD })
const anyText = (max: number) => nullish(wireString({ max, pattern: WITHOUT_NUL }))
const timeoutMs = () => optionalNullable(wireInteger({ min: 100, max: MAX_TIMEOUT_MS }))

const ModelConfiguration = z
  .object({
    name: shortText.describe('As the server names it.'),
    display_name: anyText(500),
    is_visible: nullish(wireBoolean()).describe('Without it, true: people may choose it.'),
    max_input_tokens: nullish(wireInteger({ min: 256, max: 100_000_000 })).describe(
      'How much it reads at once, its answer included; without it, 8,192.',
    ),
    supports_image_input: nullish(wireBoolean()),
    supports_tools: nullish(wireBoolean()).describe('Without it, true, until its server refuses tools.'),
  })
  .meta({ id: 'ModelConfigurationUpsertRequest' })
export type ModelConfiguration = z.infer<typeof ModelConfiguration>

const connection = {
  provider: shortText.describe('What kind of server it is; all are spoken to as OpenAI’s.'),
  api_key: nullish(wireString({ max: 10_000, pattern: KEY })),
  api_base: anyText(2_000).describe('Where its /chat/completions is, such as https://models.example.com/v1.'),
  api_version: anyText(100).describe('For servers that want one in the address.'),
  deployment_name: anyText(500).describe('Sent in the place of the model’s name.'),
  custom_config: nullish(wireObject(wireString({ max: 100_000 }), { max: 100 })).describe(
    'Kept for clients that know it; nothing here reads it.',
  ),
  api_key_changed: nullish(wireBoolean()).describe('With it, no `api_key` takes the stored one away.'),
  custom_config_changed: nullish(wireBoolean()),
  custom_headers: nullish(headerList).describe('Sent with every question. Without it, the stored ones stay.'),
}

export const LlmProviderUpsert = z
  .object({
    id: nullish(wireInteger({ min: 0 })),
    name: shortText,
    ...connection,
    is_public: nullish(wireBoolean()).describe('Without it, true; false: only for people of `groups`.'),
    is_auto_mode: nullish(wireBoolean()),
    groups: nullish(groupIds),
    personas: nullish(wireArray(wireInteger(), { max: 10_000 })).describe('If there are some, only for these.'),
    model_configurations: nullish(
      wireArray(ModelConfiguration, { max: MAX_MODELS }).refine(
        (it) => new Set(it.map(({ name }) => name)).size === it.length,
        'a model is named twice',
      ),
    ).describe('Without it, the stored ones stay.'),
    fallback_order: optionalNullable(wireInteger({ min: 0, max: 1_000_000 })).describe(
      'A provider with a number is asked, in the order of the numbers, when another one does not answer. Absent, it stays.',
    ),
    first_token_timeout_ms: timeoutMs().describe('How long its first word may take; null: 60,000.'),
    idle_timeout_ms: timeoutMs().describe('How long it may be silent between two words; null: 30,000.'),
  })
  .meta({ id: 'LLMProviderUpsertRequest' })
export type LlmProviderUpsert = z.infer<typeof LlmProviderUpsert>

export const LlmProviderTest = z
  .object({
    id: nullish(wireInteger({ min: 0 })).describe('Of a stored one, whose secrets stand in for those that are absent.'),
    model: shortText,
    ...connection,
  })
  .meta({ id: 'TestLLMRequest' })
export type LlmProviderTest = z.infer<typeof LlmProviderTest>

export interface LlmSecrets {
  api_key: string | null
  custom_headers: Header[]
  custom_config: Record<string, string> | null
  /** No key opens them any more: the provider is asked no more until they are entered anew. */
  is_lost?: true
}

export const NO_SECRETS: Readonly<LlmSecrets> = { api_key: null, custom_headers: [], custom_config: null }

export const maskSecrets = ({ api_key, custom_headers, custom_config }: LlmSecrets) => ({
  api_key: api_key === null ? null : mask(api_key),
  custom_headers: maskHeaders(custom_headers),
  custom_config: custom_config === null ? null : (maskDeep(custom_config) as Record<string, string>), // Texts stay texts.
})

type SentSecrets = Pick<
  LlmProviderUpsert,
  'api_key' | 'api_key_changed' | 'custom_config' | 'custom_config_changed' | 'custom_headers'
>

/** What to store when a client writes back what it read: what is masked or absent keeps the stored one. */
export function secretsOf(sent: SentSecrets, stored: LlmSecrets): LlmSecrets {
  const { is_lost: _, ...known } = stored
  return {
    ...known,
    api_key: keyOf(sent, stored.api_key),
    custom_headers:
      sent.custom_headers === null ? stored.custom_headers : unmaskHeaders(sent.custom_headers, stored.custom_headers),
    custom_config: configOf(sent, stored.custom_config),
  }
}

function keyOf({ api_key, api_key_changed }: SentSecrets, stored: string | null): string | null {
  if (api_key === null || api_key === '') return api_key_changed === true ? null : stored
  if (stored !== null && api_key === mask(stored)) return stored
  if (api_key === mask('')) {
    throw new AppError('INVALID_INPUT', { reason: '`api_key` is a masked one: send the key itself, or leave it out.' })
  }
  return api_key
}

function configOf(sent: SentSecrets, stored: LlmSecrets['custom_config']): LlmSecrets['custom_config'] {
  if (sent.custom_config === null) return sent.custom_config_changed === true ? null : stored
  return unmaskDeep(sent.custom_config, stored ?? {}) as Record<string, string> // Texts stay texts.
}

/** Who could send a stored secret to an address of their own could read it. */
export function checkHandedOn(
  stored: LlmSecrets,
  wanted: LlmSecrets,
  moved: { from: string | null; to: string | null },
): void {
  if (moved.from === null || originOf(moved.from) === originOf(moved.to)) return
  const isKept =
    (wanted.api_key !== null && wanted.api_key === stored.api_key) ||
    wanted.custom_headers.some((it) =>
      stored.custom_headers.some((old) => old.key === it.key && old.value === it.value),
    )
  if (!isKept) return
  throw new AppError('VALIDATION_ERROR', {
    reason:
      '`api_base` leads to another server: send api_key and custom_headers anew, so that it is not given the secrets of the former one.',
  })
}

const originOf = (url: string | null) => (url === null ? null : (URL.parse(url)?.origin ?? url))
