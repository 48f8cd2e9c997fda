// The values of the form of a provider, and what is sent.
import type {
  LLMProviderUpsertRequest,
  LLMProviderView,
  LLMServerRequest,
  ModelConfigurationView,
  WellKnownLLMProviderDescriptor,
} from '../../../../src/client/schemas.ts'

/** Numbers are texts, as the fields have them. Empty: the default. */
export interface ModelValues {
  /** For the list of fields: a new model has no name yet. */
  key: number
  name: string
  display_name: string
  max_input_tokens: string
  /** Null if it is not known. */
  default_max_input_tokens: number | null
  is_visible: boolean
  supports_tools: boolean
  supports_image_input: boolean
}

export interface ProviderValues {
  name: string
  provider: string
  api_base: string
  /** Empty: the stored key stays. */
  api_key: string
  removesKey: boolean
  models: readonly ModelValues[]
  isForAll: boolean
  groups: readonly string[]
  personas: readonly number[]
  api_version: string
  deployment_name: string
  headers: readonly { key: string; value: string }[]
  first_token_s: string
  idle_s: string
  fallback_order: string
  /** Only for a new provider: its first model becomes the default. */
  isDefault: boolean
}

export interface FieldsProps {
  values: ProviderValues
  set: (change: Partial<ProviderValues>) => void
}

let lastKey = 0

export const newModel = (name = '', default_max_input_tokens: number | null = null): ModelValues => ({
  ...{ key: ++lastKey, name, display_name: '', max_input_tokens: '', default_max_input_tokens },
  ...{ is_visible: true, supports_tools: true, supports_image_input: false },
})

const valuesOfModel = ({ id: _, configured_max_input_tokens, ...model }: ModelConfigurationView): ModelValues => ({
  ...model,
  key: ++lastKey,
  display_name: model.display_name === model.name ? '' : model.display_name,
  max_input_tokens: configured_max_input_tokens?.toString() ?? '',
  default_max_input_tokens: configured_max_input_tokens === null ? model.max_input_tokens : null,
})

interface Initial {
  kind: WellKnownLLMProviderDescriptor | null
  provider: LLMProviderView | null
  title: string
  hasDefault: boolean
}

export function initialValues({ kind, provider, title, hasDefault }: Initial): ProviderValues {
  const timeout = (ms: number | undefined, usual: number) =>
    ms === undefined || ms === usual ? '' : String(ms / 1_000)
  return {
    name: provider?.name ?? title,
    provider: provider?.provider ?? kind?.name ?? '',
    api_base: provider?.api_base ?? '',
    ...{ api_key: '', removesKey: false },
    models: provider?.model_configurations.map(valuesOfModel) ?? [newModel()],
    isForAll: provider?.is_public ?? true,
    groups: provider?.groups.map(String) ?? [],
    personas: provider?.personas ?? [],
    api_version: provider?.api_version ?? '',
    deployment_name: provider?.deployment_name ?? '',
    headers: provider?.custom_headers ?? [],
    first_token_s: timeout(provider?.first_token_timeout_ms, FIRST_TOKEN_MS),
    idle_s: timeout(provider?.idle_timeout_ms, IDLE_MS),
    fallback_order: provider?.fallback_order?.toString() ?? '',
    isDefault: !hasDefault,
  }
}

/** The defaults of the service, which the fields show. */
const FIRST_TOKEN_MS = 60_000
const IDLE_MS = 30_000

const textOrNull = (text: string): string | null => (text.trim() === '' ? null : text.trim())
const numberOrNull = (text: string): number | null => (text.trim() === '' ? null : Number(text))
const milliseconds = (text: string): number | null => {
  const seconds = numberOrNull(text)
  return seconds === null ? null : Math.round(seconds * 1_000)
}

export const namedModels = ({ models }: Pick<ProviderValues, 'models'>) => models.filter((it) => it.name.trim() !== '')

export const connectionOf = (values: ProviderValues, id: number | null): LLMServerRequest => ({
  id,
  provider: values.provider,
  api_key: textOrNull(values.api_key),
  api_key_changed: values.removesKey || null,
  api_base: textOrNull(values.api_base),
  api_version: textOrNull(values.api_version),
  deployment_name: textOrNull(values.deployment_name),
  custom_headers: values.headers.filter((it) => it.key.trim() !== ''),
})

export const requestOf = (values: ProviderValues, provider: LLMProviderView | null): LLMProviderUpsertRequest => ({
  ...connectionOf(values, provider?.id ?? null),
  name: values.name.trim(),
  is_public: values.isForAll,
  groups: values.isForAll ? [] : [...values.groups],
  personas: [...values.personas],
  model_configurations: namedModels(values).map(({ key: _, default_max_input_tokens: _default, ...model }) => ({
    ...model,
    name: model.name.trim(),
    display_name: textOrNull(model.display_name),
    max_input_tokens: numberOrNull(model.max_input_tokens),
  })),
  fallback_order: numberOrNull(values.fallback_order),
  first_token_timeout_ms: milliseconds(values.first_token_s),
  idle_timeout_ms: milliseconds(values.idle_s),
  expected_version: provider?.version ?? null,
})
