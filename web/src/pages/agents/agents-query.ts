// Queries of the pages of agents.
import { queryOptions, skipToken, useQueryClient } from '@tanstack/react-query'
import {
  getMaxSelectedDocumentTokens,
  getPersona,
  listAllPersonas,
  listAvailableModels,
  listDocumentSets,
  listPersonaMcpServers,
  listPersonas,
  listTools,
  listUsableMcpServers,
} from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'

/** The agents of everybody, deleted ones too, for administrators. */
export const allAgentsQuery = queryOptions({
  queryKey: ['agents', 'all'],
  queryFn: ({ signal }) => listAllPersonas(api, { include_deleted: true, signal }),
})

/** The agents that a person may use, and the unlisted ones that they may change. */
export const usableAgentsQuery = queryOptions({
  queryKey: ['personas', 'with-unlisted'],
  queryFn: ({ signal }) => listPersonas(api, { include_unlisted: true, signal }),
})

export const agentQuery = (id: number | null) =>
  queryOptions({
    queryKey: ['agents', 'one', id],
    queryFn: id === null ? skipToken : ({ signal }) => getPersona(api, { persona_id: id, signal }),
  })

/** The tokens that the model keeps for documents. */
export const documentTokensQuery = (id: number) =>
  queryOptions({
    queryKey: ['agents', 'tokens', id],
    queryFn: ({ signal }) => getMaxSelectedDocumentTokens(api, { persona_id: id, signal }),
  })

export const agentServersQuery = (id: number) =>
  queryOptions({
    queryKey: ['agents', 'servers', id],
    queryFn: ({ signal }) => listPersonaMcpServers(api, { persona_id: id, signal }),
  })

export const toolsQuery = queryOptions({
  queryKey: ['agents', 'tools'],
  queryFn: ({ signal }) => listTools(api, { signal }),
})

export const serversQuery = queryOptions({
  queryKey: ['agents', 'usable-servers'],
  queryFn: ({ signal }) => listUsableMcpServers(api, { signal }),
})

export const setsQuery = queryOptions({
  queryKey: ['document-sets', 'usable'],
  queryFn: ({ signal }) => listDocumentSets(api, { signal }),
})

export const modelsQuery = queryOptions({
  queryKey: ['agents', 'models'],
  queryFn: ({ signal }) => listAvailableModels(api, { signal }),
})

/** Reads again what a change of an agent changes. */
export function useReloadAgents(): () => Promise<void> {
  const queryClient = useQueryClient()
  return async () => {
    void queryClient.invalidateQueries({ queryKey: ['models'] })
    await Promise.all([
      queryClient.invalidateQueries({ queryKey: ['agents'] }),
      queryClient.invalidateQueries({ queryKey: ['personas'] }),
    ])
  }
}
