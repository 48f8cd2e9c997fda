import { useQuery, useQueryClient } from '@tanstack/react-query'
import { listAllPersonas, listLlmProviderKinds, listLlmProviders } from '../../../../src/client/operations.ts'
import type { DefaultModel, LLMProviderView, LLMProviderViews } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'

export const useProviders = () =>
  useQuery({ queryKey: ['llm-providers'], queryFn: ({ signal }) => listLlmProviders(api, { signal }) })

/** The kinds do not change while the service runs. */
export const useKinds = () =>
  useQuery({
    queryKey: ['llm-provider-kinds'],
    queryFn: ({ signal }) => listLlmProviderKinds(api, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })

export const useAgents = () =>
  useQuery({ queryKey: ['personas', 'all'], queryFn: ({ signal }) => listAllPersonas(api, { signal }) })

/** A change of a model can end an alert. */
export function useReloadModels() {
  const client = useQueryClient()
  return async () => {
    await Promise.all([
      client.invalidateQueries({ queryKey: ['llm-providers'] }),
      client.invalidateQueries({ queryKey: ['alerts'] }),
      client.invalidateQueries({ queryKey: ['models'] }),
    ])
  }
}

export const isDefault = (model: DefaultModel | null, provider: LLMProviderView, name: string): boolean =>
  model?.provider_id === provider.id && model.model_name === name

/** All models, with their providers. */
export const modelsOf = ({ providers }: LLMProviderViews) =>
  providers.flatMap((provider) => provider.model_configurations.map((model) => ({ provider, model })))
