// Chooses the language model: the requested one, else the persona's, else the default; the others are fallbacks. A
// model that the subject may not use is never called, even if the request names it.
import type { ModelOverride } from '../../domain/chat/chat.ts'
import type { Logger } from '../../domain/logger.ts'
import type { Meter } from '../../domain/meter.ts'
import {
  defaultApiBase,
  ENVIRONMENT_PROVIDER_ID,
  ENVIRONMENT_PROVIDER_NAME,
  maxInputTokensOf,
  NO_LLM_SECRETS,
} from '../../domain/models/llm-provider.ts'
import type { Subject } from '../../domain/subject.ts'
import { createLruCache } from '../../flow/lru-cache.ts'
import { withCooldown, withFallback } from '../../inference/fallback.ts'
import type { LanguageModel } from '../../inference/language-model.ts'
import { MODEL_DEFAULTS, type ModelSettings, type OpenModel } from '../../inference/model-settings.ts'
import type { Database } from '../../store/database/database.ts'
import { type FailingModel, listFailingModels } from '../../store/models/failing-models.ts'
import {
  getDefaultModels,
  type LlmModel,
  type LlmProvider,
  listLlmProviders,
  type ModelPurpose,
  type ModelReference,
} from '../../store/models/llm-providers.ts'
import type { TokenSubject } from '../../store/models/usage-limits.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import { findCandidateById, findCandidateByName, findCandidateByText, type ModelCandidate } from './find-candidate.ts'
import { createModelFailures, digestOfSettings } from './model-failures.ts'
import { PROBE_PICTURE } from './probe-picture.ts'
import { createTokenBudget, type ExhaustedBudget } from './token-budget.ts'
import { withTokenBudget } from './with-token-budget.ts'

/** The values of LLM_URL, LLM_KEY and LLM_MODEL. */
export interface EnvironmentModel {
  url: string
  key: string | null
  model: string
  max_input_tokens: number
  supports_image_input: boolean
}

export interface ModelChoiceRequest {
  subject: Subject
  persona: {
    id: number
    default_model_configuration_id?: number | null
    /** The same model by name, as older clients send it. */
    llm_model_provider_override?: string | null
    llm_model_version_override?: string | null
  } | null
  /** The model that the request names; a name that matches nothing is ignored. */
  /** `model_provider` is the name of a provider, or its kind. */
  override: Partial<ModelOverride> | null
  /** The model of the chat in one text, as `findCandidateByText` reads it. */
  chatModel?: string | null
  /**
   * `chat_naming` prefers its own default over all other choices. `vision` allows no other choice than its own default,
   * and only fallbacks that read pictures.
   */
  purpose?: ModelPurpose
}

/** Without a model, `reason` is a sentence for the user. */
export type ModelChoice = { model: LanguageModel; reason: null } | { model: null; reason: string }

export interface LanguageModels {
  /** Usage is recorded for the subject; an exhausted budget yields no model. */
  choose(request: ModelChoiceRequest): Promise<ModelChoice>
  /**
   * The default vision model, for work of the service that no person asks for. Usage is recorded under
   * `SERVICE_USAGE_ID`; the daily limit of the service counts it. `model` is null if no vision model is set, or if it
   * cannot be used now.
   */
  chooseForService(): Promise<ModelChoice>
  /** Null while tokens are left, or if there is no model that could use them. */
  findExhaustedBudget(subject: Subject): Promise<ExhaustedBudget | null>
  /** Whether everything that the override names resolves to a model that the subject may choose with that persona. */
  canChoose(subject: Subject, personaId: number | null, override: Partial<ModelOverride>): Promise<boolean>
  /** All providers, the one from the environment first; secrets are decrypted. */
  list(): Promise<LlmProvider[]>
  /** Providers with the visible models that the subject may choose, with this persona or with any. */
  listAvailable(subject: Subject, personaId: number | null): Promise<LlmProvider[]>
  /** Only models that exist. */
  defaults(): Promise<Record<ModelPurpose, ModelReference | null>>
  /** Null if the provider has no known address. */
  settingsOf(provider: LlmProvider, model: LlmModel): ModelSettings | null
  /** Requests a short answer, with a picture if the model reads them. Rejects with a `ModelError`. */
  probe(settings: ModelSettings, signal: AbortSignal): Promise<void>
  /** Configured models whose last calls failed, as people know them. */
  listFailing(): Promise<FailingModelListing[]>
}

export interface FailingModelListing {
  provider_id: number
  name: string
  reason: string
  failing_since: number
}

interface LanguageModelsDeps {
  db: Database
  secrets: SecretBox
  environment: EnvironmentModel | null
  open: OpenModel
  logger: Logger
  meter: Pick<Meter, 'countTokens'>
  now: () => number
  /** Called when a model failed, or worked again. */
  onModelChange?: () => void
}

/** Counts what the service has models read that no person asks for. No key and no person has it. */
export const SERVICE_USAGE_ID = 'service'
const SERVICE: TokenSubject = {
  usage_id: SERVICE_USAGE_ID,
  user_id: SERVICE_USAGE_ID,
  ...{ api_key_id: null, person_id: null, groups: [] },
}

const NO_VISION_MODEL = 'No language model that reads pictures is chosen.'
const NO_MODEL_CONFIGURED = 'No language model is configured.'
const NO_MODEL_ALLOWED = 'You may not use any language model here.'
/** Opened models are cached because they remember what their servers do not support and until when to back off. */
const MAX_CACHED_MODELS = 200
/** Enough for a model that reasons before it answers. */
const TEST_TOKENS = 200

export function openLanguageModels({
  db,
  secrets,
  environment,
  open,
  logger,
  meter,
  now,
  onModelChange = () => {},
}: LanguageModelsDeps): LanguageModels {
  const budget = createTokenBudget({ db, logger, meter, now })
  const opened = createLruCache<string, LanguageModel>(MAX_CACHED_MODELS)
  const failures = createModelFailures({ db, logger, now, onChange: onModelChange })
  const cachedModel = (candidate: ModelCandidate): LanguageModel => {
    const source = { ...referenceOf(candidate), settings: candidateSettings(candidate) }
    return opened.getOrCreate(JSON.stringify(source), () =>
      withCooldown(failures.watch(open(source.settings), source), () => performance.now()),
    )
  }
  const list = async () => [
    ...(environment === null ? [] : [environmentProvider(environment)]),
    ...(await listLlmProviders({ db, secrets })),
  ]
  const defaults = async (providers: readonly LlmProvider[]) => {
    const stored = await getDefaultModels(db)
    const known = (name: ModelReference | null) =>
      name !== null && findModel(providers, name) !== undefined ? name : null
    return { text: known(stored.text), vision: known(stored.vision), chat_naming: known(stored.chat_naming) }
  }
  const choose = async (
    candidates: readonly ModelCandidate[],
    subject: TokenSubject,
    noCandidate: string,
  ): Promise<ModelChoice> => {
    const [first, ...others] = candidates.map(cachedModel)
    if (first === undefined) return { model: null, reason: noCandidate }
    const spent = await budget.findExhausted(subject)
    if (spent !== null) return { model: null, reason: spent.reason }
    return { model: withTokenBudget(withFallback([first, ...others]), { budget, subject }), reason: null }
  }
  return {
    async choose(request) {
      const all = await list()
      if (all.length === 0) return { model: null, reason: NO_MODEL_CONFIGURED }
      const candidates = rankCandidates(all, request, await defaults(all))
      return choose(candidates, request.subject, request.purpose === 'vision' ? NO_VISION_MODEL : NO_MODEL_ALLOWED)
    },
    async chooseForService() {
      const all = await list()
      const { vision } = await defaults(all)
      const candidate = usableCandidates(all).find((it) => isNamed(it, vision))
      return choose(candidate?.model.supports_image_input ? [candidate] : [], SERVICE, NO_VISION_MODEL)
    },
    findExhaustedBudget: async (subject) =>
      (await list()).some((it) => isOpenTo(it, subject, null)) ? budget.findExhausted(subject) : null,
    async canChoose(subject, personaId, override) {
      return includesChoice(visibleCandidates(allowedCandidates(await list(), subject, personaId)), override)
    },
    list,
    async listAvailable(subject, personaId) {
      const open = (await list()).filter((it) => isOpenTo(it, subject, personaId))
      return open.map((it) => ({ ...it, models: it.models.filter((model) => model.is_visible) }))
    },
    defaults: async () => defaults(await list()),
    settingsOf,
    async probe(settings, signal) {
      const pictures = settings.supports_images ? { images: [PROBE_PICTURE] } : {}
      const messages = [{ role: 'user', content: 'Answer with the word "yes".', ...pictures }] as const
      for await (const _ of open(settings).stream({ messages, max_output_tokens: TEST_TOKENS, signal })) break
      await failures.noteAnswer(settings)
    },
    listFailing: async () => {
      const noted = (await listFailingModels(db)).filter((it) => it.failures >= ALERT_AFTER)
      return noted.length === 0 ? [] : matchFailures(noted, await list())
    },
  }
}

/** One failure can be a restart of the server. */
const ALERT_AFTER = 2

/** Leaves out models that were removed, or whose settings changed since they failed. */
function matchFailures(noted: readonly FailingModel[], providers: readonly LlmProvider[]): FailingModelListing[] {
  return noted.flatMap(({ provider_id, model_name, settings, reason, failing_since }) => {
    const provider = providers.find((it) => it.id === provider_id)
    const model = provider?.models.find((it) => it.name === model_name)
    const present = provider && model && settingsOf(provider, model)
    if (!present || digestOfSettings(present) !== settings || provider.time_updated > failing_since) return []
    return [{ provider_id, name: present.name, reason, failing_since }]
  })
}

const referenceOf = ({ provider, model }: ModelCandidate): ModelReference => ({
  provider_id: provider.id,
  model_name: model.name,
})

const environmentProvider = ({
  url,
  key,
  model,
  max_input_tokens,
  supports_image_input,
}: EnvironmentModel): LlmProvider => ({
  id: ENVIRONMENT_PROVIDER_ID,
  name: ENVIRONMENT_PROVIDER_NAME,
  provider: 'openai_compatible',
  api_base: url,
  api_version: null,
  deployment_name: null,
  secrets: { ...NO_LLM_SECRETS, api_key: key },
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
      id: ENVIRONMENT_PROVIDER_ID,
      name: model,
      display_name: null,
      is_visible: true,
      max_input_tokens,
      supports_image_input,
      supports_tools: true,
    },
  ],
})

/** The model that answers, then its fallbacks, each once. */
function rankCandidates(
  providers: readonly LlmProvider[],
  { subject, persona, override, chatModel, purpose = 'text' }: ModelChoiceRequest,
  { text, vision, chat_naming }: Record<ModelPurpose, ModelReference | null>,
): ModelCandidate[] {
  const candidates = allowedCandidates(providers, subject, persona?.id ?? null)
  const open = [...new Set(candidates.map((it) => it.provider))]
  const visible = visibleCandidates(candidates)
  const ordered = open.flatMap((provider) => {
    const { fallback_order: order } = provider
    return order === null ? [] : [{ provider, order }]
  })
  const standIns = [
    ...ordered.sort((a, b) => a.order - b.order).map((it) => it.provider),
    ...open.filter((it) => it.id === ENVIRONMENT_PROVIDER_ID),
  ].flatMap((provider) => visible.find((it) => it.provider === provider) ?? [])
  const named = (it: ModelReference | null) => candidates.find((candidate) => isNamed(candidate, it))
  if (purpose === 'vision') {
    const readers = [named(vision), ...standIns].filter((it) => it?.model.supports_image_input === true)
    return readers[0] === named(vision) ? [...new Set(readers)].filter((it) => it !== undefined) : []
  }
  const chosen =
    (purpose === 'chat_naming' ? named(chat_naming) : undefined) ??
    findCandidateById(visible, override?.model_configuration_id) ??
    findCandidateByName(visible, override?.model_provider, override?.model_version) ??
    findCandidateByText(visible, chatModel) ??
    findCandidateById(candidates, persona?.default_model_configuration_id) ??
    findCandidateByName(candidates, persona?.llm_model_provider_override, persona?.llm_model_version_override) ??
    named(text) ??
    standIns.find(({ provider }) => provider.id === ENVIRONMENT_PROVIDER_ID) ??
    standIns[0] ??
    visible[0]
  return chosen === undefined ? [] : [...new Set([chosen, ...standIns])]
}

const isNamed = ({ provider, model }: ModelCandidate, it: ModelReference | null): boolean =>
  provider.id === it?.provider_id && model.name === it.model_name

const allowedCandidates = (
  providers: readonly LlmProvider[],
  subject: Subject,
  personaId: number | null,
): ModelCandidate[] => usableCandidates(providers.filter((it) => isOpenTo(it, subject, personaId)))

const usableCandidates = (providers: readonly LlmProvider[]): ModelCandidate[] =>
  providers.flatMap((provider) => {
    const url = apiBaseOf(provider)
    const isUsable = provider.secrets.is_lost !== true
    return url === null || !isUsable ? [] : provider.models.map((model) => ({ provider, url, model }))
  })

const visibleCandidates = (candidates: readonly ModelCandidate[]) => candidates.filter(({ model }) => model.is_visible)

function includesChoice(
  candidates: readonly ModelCandidate[],
  { model_configuration_id: id, ...named }: Partial<ModelOverride>,
): boolean {
  const { model_provider, model_version } = named
  const hasId = typeof id !== 'number' || findCandidateById(candidates, id) !== undefined
  const isNamed = Boolean(model_provider) || Boolean(model_version)
  return hasId && (!isNamed || findCandidateByName(candidates, model_provider, model_version) !== undefined)
}

const findModel = (
  providers: readonly LlmProvider[],
  { provider_id, model_name }: ModelReference,
): LlmModel | undefined => providers.find((it) => it.id === provider_id)?.models.find((it) => it.name === model_name)

const apiBaseOf = ({ api_base, provider }: LlmProvider) => api_base ?? defaultApiBase(provider)

/** Administrators may use every provider that they configured. */
function isOpenTo({ is_public, groups, personas }: LlmProvider, subject: Subject, personaId: number | null): boolean {
  if (personas.length > 0 && (personaId === null || !personas.includes(personaId))) return false
  return is_public || subject.rights.has('admin') || groups.some((it) => subject.groups.includes(it))
}

function settingsOf(provider: LlmProvider, model: LlmModel): ModelSettings | null {
  const url = apiBaseOf(provider)
  return url === null ? null : candidateSettings({ provider, url, model })
}

function candidateSettings({ provider, url, model }: ModelCandidate): ModelSettings {
  const { api_key, custom_headers } = provider.secrets
  return {
    name: model.display_name || model.name,
    model: provider.deployment_name ?? model.name,
    url,
    key: api_key,
    headers: Object.fromEntries(custom_headers.map(({ key, value }) => [key, value])),
    api_version: provider.api_version,
    max_input_tokens: maxInputTokensOf(provider.provider, model),
    supports_tools: model.supports_tools,
    supports_images: model.supports_image_input,
    first_token_timeout_ms: provider.first_token_timeout_ms ?? MODEL_DEFAULTS.first_token_timeout_ms,
    idle_timeout_ms: provider.idle_timeout_ms ?? MODEL_DEFAULTS.idle_timeout_ms,
    urlOwner: provider.id === ENVIRONMENT_PROVIDER_ID ? 'operator' : { provider_id: provider.id },
  }
}
