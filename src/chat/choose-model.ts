// Which language model answers: the one that was asked for, else that of the persona, else the default; and who stands in
// for it. What somebody may not use is not asked, whoever names it.
import { ENVIRONMENT_NAME, ENVIRONMENT_PROVIDER, NO_SECRETS, usualBase } from '../domain/llm-provider.ts'
import type { Logger } from '../domain/logger.ts'
import type { Subject } from '../domain/subject.ts'
import { fallback, resting } from '../inference/fallback.ts'
import type { LanguageModel } from '../inference/language-model.ts'
import { MODEL_DEFAULTS, type ModelSettings, type OpenModel } from '../inference/model-settings.ts'
import type { Database } from '../store/database.ts'
import {
  type LlmModel,
  type LlmProvider,
  listDefaults,
  listLlmProviders,
  type ModelName,
  type Purpose,
} from '../store/llm-providers.ts'
import type { SecretBox } from '../store/secret-box.ts'
import { openBudget } from './budget.ts'
import { countedModel } from './counted-model.ts'

/** What LLM_URL, LLM_KEY and LLM_MODEL say. */
export interface EnvironmentModel {
  url: string
  key: string | null
  model: string
  max_input_tokens: number
}

export interface PickRequest {
  subject: Subject
  persona: {
    id: number
    default_model_configuration_id?: number | null
    /** The same by name, as older clients have it. */
    llm_model_provider_override?: string | null
    llm_model_version_override?: string | null
  } | null
  /** What the request asks for; a name that leads to nothing counts as none. */
  override: {
    model_configuration_id?: number | null
    /** The name of a provider, or its kind. */
    model_provider?: string | null
    model_version?: string | null
  } | null
  /** For the name of a chat, its own default goes before all others. */
  purpose?: 'text' | 'chat_naming'
}

/** Without a model, `reason` is a sentence for the person. */
export type Picked = { model: LanguageModel; reason: null } | { model: null; reason: string }

export interface LanguageModels {
  /** What it uses is counted for the subject; a spent budget gives no model. */
  pick(request: PickRequest): Promise<Picked>
  /** All of them, that of the settings first; secrets open. */
  list(): Promise<LlmProvider[]>
  /** Those whose visible models the subject may choose, with that persona or with any. */
  listFor(subject: Subject, personaId: number | null): Promise<LlmProvider[]>
  /** Of models that are there. */
  defaults(): Promise<Record<Purpose, ModelName | null>>
  /** Null for what is nowhere. */
  settingsOf(provider: LlmProvider, model: LlmModel): ModelSettings | null
  /** Has it say something. Rejects with a `ModelError`. */
  test(settings: ModelSettings, signal: AbortSignal): Promise<void>
}

interface Needs {
  db: Database
  secrets: SecretBox
  environment: EnvironmentModel | null
  open: OpenModel
  logger: Logger
  now: () => number
}

const NOTHING_SET_UP = 'No language model is set up.'
const NOTHING_OPEN = 'No language model is open to you here.'
/** Opened ones are kept: they know what their servers do not take, and how long they want to be left alone. */
const MAX_OPEN = 200
/** Enough for one that thinks before it speaks. */
const TEST_TOKENS = 200

export function openLanguageModels({ db, secrets, environment, open, logger, now }: Needs): LanguageModels {
  const budget = openBudget({ db, logger, now })
  const opened = new Map<string, LanguageModel>()
  const openOnce = (settings: ModelSettings): LanguageModel => {
    const key = JSON.stringify(settings)
    const model = opened.get(key) ?? resting(open(settings), () => performance.now())
    opened.delete(key)
    opened.set(key, model)
    if (opened.size > MAX_OPEN) opened.delete(opened.keys().next().value!)
    return model
  }
  const list = async () => [
    ...(environment === null ? [] : [environmentProvider(environment)]),
    ...(await listLlmProviders({ db, secrets })),
  ]
  const defaults = async (providers: readonly LlmProvider[]) => {
    const stored = await listDefaults(db)
    const known = (name: ModelName | null) => (name !== null && findModel(providers, name) !== undefined ? name : null)
    return { text: known(stored.text), vision: known(stored.vision), chat_naming: known(stored.chat_naming) }
  }
  return {
    async pick(request) {
      const all = await list()
      if (all.length === 0) return { model: null, reason: NOTHING_SET_UP }
      const places = placesOf(all, request, await defaults(all))
      const [first, ...others] = places.map(({ provider, model }) => openOnce(settingsOf(provider, model)!))
      if (first === undefined) return { model: null, reason: NOTHING_OPEN }
      const { subject } = request
      const spent = await budget.spent(subject)
      if (spent !== null) return { model: null, reason: spent }
      return { model: countedModel(fallback([first, ...others]), { budget, subject }), reason: null }
    },
    list,
    async listFor(subject, personaId) {
      const open = (await list()).filter((it) => isOpen(it, subject, personaId))
      return open.map((it) => ({ ...it, models: it.models.filter((model) => model.is_visible) }))
    },
    defaults: async () => defaults(await list()),
    settingsOf,
    async test(settings, signal) {
      const messages = [{ role: 'user', content: 'Answer with the word "yes".' }] as const
      for await (const _ of open(settings).stream({ messages, max_output_tokens: TEST_TOKENS, signal })) return
    },
  }
}

const environmentProvider = ({ url, key, model, max_input_tokens }: EnvironmentModel): LlmProvider => ({
  id: ENVIRONMENT_PROVIDER,
  name: ENVIRONMENT_NAME,
  provider: 'openai_compatible',
  api_base: url,
  api_version: null,
  deployment_name: null,
  secrets: { ...NO_SECRETS, api_key: key },
  is_public: true,
  is_auto_mode: false,
  groups: [],
  personas: [],
  fallback_order: null,
  first_token_timeout_ms: null,
  idle_timeout_ms: null,
  time_created: 0,
  time_updated: 0,
  models: [
    {
      id: ENVIRONMENT_PROVIDER,
      name: model,
      display_name: null,
      is_visible: true,
      max_input_tokens,
      supports_image_input: false,
      supports_tools: true,
    },
  ],
})

interface Place {
  provider: LlmProvider
  model: LlmModel
}

/** The one that answers, and then those that stand in for it, each once. */
function placesOf(
  providers: readonly LlmProvider[],
  { subject, persona, override, purpose = 'text' }: PickRequest,
  { text, chat_naming }: Record<Purpose, ModelName | null>,
): Place[] {
  const open = providers.filter((it) => isUsable(it) && isOpen(it, subject, persona?.id ?? null))
  const places = open.flatMap((provider) => provider.models.map((model) => ({ provider, model })))
  const visible = places.filter(({ model }) => model.is_visible)
  const byId = (from: readonly Place[], id: number | null | undefined) =>
    typeof id === 'number' ? from.find(({ model }) => model.id === id) : undefined
  const standIns = [
    ...open.filter((it) => it.fallback_order !== null).sort((a, b) => a.fallback_order! - b.fallback_order!),
    ...open.filter((it) => it.id === ENVIRONMENT_PROVIDER),
  ].flatMap((provider) => visible.find((it) => it.provider === provider) ?? [])
  const named = (it: ModelName | null) =>
    places.find(({ provider, model }) => provider.id === it?.provider_id && model.name === it.model_name)
  const chosen =
    (purpose === 'chat_naming' ? named(chat_naming) : undefined) ??
    byId(visible, override?.model_configuration_id) ??
    byName(visible, override?.model_provider, override?.model_version) ??
    byId(places, persona?.default_model_configuration_id) ??
    byName(places, persona?.llm_model_provider_override, persona?.llm_model_version_override) ??
    named(text) ??
    standIns.find(({ provider }) => provider.id === ENVIRONMENT_PROVIDER) ??
    standIns[0] ??
    visible[0]
  return chosen === undefined ? [] : [...new Set([chosen, ...standIns])]
}

function byName(
  places: readonly Place[],
  provider: string | null | undefined,
  version: string | null | undefined,
): Place | undefined {
  if (!provider && !version) return undefined
  const fits = ({ provider: it, model }: Place) =>
    (!provider || it.name === provider || it.provider === provider) && (!version || model.name === version)
  return places.find((it) => fits(it) && it.provider.name === provider) ?? places.find(fits)
}

const findModel = (providers: readonly LlmProvider[], { provider_id, model_name }: ModelName): LlmModel | undefined =>
  providers.find((it) => it.id === provider_id)?.models.find((it) => it.name === model_name)

const baseOf = ({ api_base, provider }: LlmProvider) => api_base ?? usualBase(provider)

const isUsable = (provider: LlmProvider) => provider.secrets.is_lost !== true && baseOf(provider) !== null

/** Administrators may use what they set up. */
function isOpen({ is_public, groups, personas }: LlmProvider, subject: Subject, personaId: number | null): boolean {
  if (personas.length > 0 && (personaId === null || !personas.includes(personaId))) return false
  return is_public || subject.rights.has('admin') || groups.some((it) => subject.groups.includes(it))
}

function settingsOf(provider: LlmProvider, model: LlmModel): ModelSettings | null {
  const url = baseOf(provider)
  if (url === null) return null
  const { api_key, custom_headers } = provider.secrets
  return {
    name: model.display_name || model.name,
    model: provider.deployment_name ?? model.name,
    url,
    key: api_key,
    headers: Object.fromEntries(custom_headers.map(({ key, value }) => [key, value])),
    api_version: provider.api_version,
    max_input_tokens: model.max_input_tokens ?? MODEL_DEFAULTS.max_input_tokens,
    supports_tools: model.supports_tools,
    first_token_timeout_ms: provider.first_token_timeout_ms ?? MODEL_DEFAULTS.first_token_timeout_ms,
    idle_timeout_ms: provider.idle_timeout_ms ?? MODEL_DEFAULTS.idle_timeout_ms,
    from: provider.id === ENVIRONMENT_PROVIDER ? 'operator' : { provider_id: provider.id },
  }
}
