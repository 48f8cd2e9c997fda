// Reads the fields of a provider from a request: its address is checked, and stored secrets are kept.
import type { z } from 'zod'
import { knownImageInput } from '../../../domain/models/known-models.ts'
import {
  checkSecretsStayWithServer,
  defaultApiBase,
  type LlmProviderUpsert,
  type ModelConfiguration,
  maxInputTokensOf,
  mergeSecrets,
  NO_LLM_SECRETS,
  uniqueModels,
} from '../../../domain/models/llm-provider.ts'
import type { LlmProvider, LlmProviderFields } from '../../../store/models/llm-providers.ts'
import { checkEgressAddress } from '../../checks/egress-address.ts'
import { InvalidRequestError } from '../../http/error-response.ts'
import type { RouteCall } from '../../route.ts'

type ProviderContext = Pick<RouteCall<unknown, unknown, unknown, 'egress'>, 'services' | 'signal'>

/** Checks the base URL of a provider; throws 422 at `api_base` if it is missing or may not be called. */
export async function checkApiBase(
  { services, signal }: ProviderContext,
  { api_base, provider }: { api_base: string | null; provider: string },
  id: number | null,
): Promise<void> {
  const loc = ['body', 'api_base']
  const url = api_base || defaultApiBase(provider)
  if (url === null) {
    const msg = `Provider "${provider}" has no default address. Set api_base to the URL that serves its /chat/completions.`
    throw new InvalidRequestError([{ loc, msg, type: 'value_error' }])
  }
  await checkEgressAddress(services, { loc, url, profile: 'admin-target', asker: { kind: 'llm_provider', id } }, signal)
}

export const ADDRESS_CHECK_NOTE = 'An address that this service may not call is rejected with 422.'

/** Merges a request with the stored provider: sent fields win; fields that only Pharos knows stay if they are absent. */
export function providerFields(body: z.infer<typeof LlmProviderUpsert>, stored: LlmProvider | null): LlmProviderFields {
  const { name, provider, api_version, deployment_name } = body
  const secrets = mergeSecrets(body, stored?.secrets ?? NO_LLM_SECRETS)
  const api_base = body.api_base || null
  const apiBase = (it: { api_base: string | null; provider: string }) => it.api_base ?? defaultApiBase(it.provider)
  if (stored !== null) {
    checkSecretsStayWithServer(stored.secrets, secrets, { from: apiBase(stored), to: apiBase({ api_base, provider }) })
  }
  const sentOrStored = <K extends 'fallback_order' | 'first_token_timeout_ms' | 'idle_timeout_ms'>(field: K) =>
    body[field] === undefined ? (stored?.[field] ?? null) : body[field]
  return {
    name,
    provider,
    api_base,
    api_version: api_version || null,
    deployment_name: deployment_name || null,
    secrets,
    is_public: body.is_public ?? stored?.is_public ?? true,
    is_auto_mode: body.is_auto_mode ?? stored?.is_auto_mode ?? false,
    groups: body.groups?.map(String) ?? stored?.groups ?? [],
    personas: body.personas ?? stored?.personas ?? [],
    fallback_order: sentOrStored('fallback_order'),
    first_token_timeout_ms: sentOrStored('first_token_timeout_ms'),
    idle_timeout_ms: sentOrStored('idle_timeout_ms'),
    models: modelsToStore(body, stored),
  }
}

/** A client that writes back what it read sends the default as a number. It stays the default. */
function modelsToStore(
  { provider, model_configurations: sent }: z.infer<typeof LlmProviderUpsert>,
  stored: LlmProvider | null,
): ModelConfiguration[] | null {
  if (sent === null) return stored === null ? [] : null
  const imageInputOf = (name: string): boolean =>
    stored?.models.find((it) => it.name === name)?.supports_image_input ?? knownImageInput(provider, name) ?? false
  return uniqueModels(sent).models.map((it) => {
    const isDefault = it.max_input_tokens === maxInputTokensOf(provider, { ...it, max_input_tokens: null })
    const supports_image_input = it.supports_image_input ?? imageInputOf(it.name)
    return { ...it, supports_image_input, ...(isDefault && { max_input_tokens: null }) }
  })
}
