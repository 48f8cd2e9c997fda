// What a language model is opened with, whatever stands behind it.
import type { LanguageModel } from './language-model.ts'

export interface ModelSettings {
  /** As people know it. */
  name: string
  /** As its server names it. */
  model: string
  /** Where its /chat/completions is. */
  url: string
  key: string | null
  headers: Readonly<Record<string, string>>
  /** For servers that want one in the address. */
  api_version: string | null
  max_input_tokens: number
  /** False: it is given no callables. Else it shows. */
  supports_tools: boolean
  first_token_timeout_ms: number
  idle_timeout_ms: number
  /** Whose address it is. The operator's is called as it is, any other through `egress`. */
  from: 'operator' | { provider_id: number | null }
}

/** What holds where nobody set it. Few models read less; who sets up a larger one says so. */
export const MODEL_DEFAULTS = {
  max_input_tokens: 8_192,
  first_token_timeout_ms: 60_000,
  idle_timeout_ms: 30_000,
} as const

export type OpenModel = (settings: ModelSettings) => LanguageModel
