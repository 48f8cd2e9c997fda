// The settings of a language model, independent of its provider.
import type { LanguageModel } from './language-model.ts'

export interface ModelSettings {
  /** The display name. */
  name: string
  /** The name at the server. */
  model: string
  /** The base of its /chat/completions. */
  url: string
  key: string | null
  headers: Readonly<Record<string, string>>
  /** For servers that expect a version in the address. */
  api_version: string | null
  max_input_tokens: number
  /** False: no functions are offered. True: they are offered until the server refuses them. */
  supports_tools: boolean
  /** False: no pictures are sent. True: they are sent until the server refuses them. */
  supports_images: boolean
  first_token_timeout_ms: number
  idle_timeout_ms: number
  /** The owner of the address. The operator's is called directly, any other through `egress`. */
  urlOwner: 'operator' | { provider_id: number | null }
}

/** Defaults for settings that are absent. */
export const MODEL_DEFAULTS = {
  first_token_timeout_ms: 60_000,
  idle_timeout_ms: 30_000,
} as const

export type OpenModel = (settings: ModelSettings) => LanguageModel

/** The names of the models at a server. Rejects with a `ModelError`, or with the reason of the signal. */
export type ListServerModels = (settings: ModelSettings, signal: AbortSignal) => Promise<string[]>
