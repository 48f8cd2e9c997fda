import { keepPreviousData, queryOptions, useQueryClient } from '@tanstack/react-query'
import {
  getTool,
  listAllPersonas,
  listCustomTools,
  listOwnMcpTools,
  listToolFailures,
  listToolOperations,
  listTools,
} from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'

export const PAGE_SIZE = 25

export const builtInToolsQuery = queryOptions({
  queryKey: ['tools', 'built-in'],
  queryFn: ({ signal }) => listTools(api, { built_in: true, include_disabled: true, signal }),
})

/** A page of tools, and one more that shows whether another page follows. `after` is the id before the page. */
export const customToolsQuery = (after: number) =>
  queryOptions({
    queryKey: ['tools', 'custom', after],
    queryFn: ({ signal }) => listCustomTools(api, { after, limit: PAGE_SIZE + 1, signal }),
    placeholderData: keepPreviousData,
  })

export const mcpToolsQuery = queryOptions({
  queryKey: ['tools', 'mcp'],
  queryFn: ({ signal }) => listOwnMcpTools(api, { signal }),
})

export const toolQuery = (id: number) =>
  queryOptions({ queryKey: ['tools', 'one', id], queryFn: ({ signal }) => getTool(api, { tool_id: id, signal }) })

export const operationsQuery = (id: number) =>
  queryOptions({
    queryKey: ['tools', 'operations', id],
    queryFn: ({ signal }) => listToolOperations(api, { tool_id: id, signal }),
  })

export const failuresQuery = (id: number) =>
  queryOptions({
    queryKey: ['tools', 'failures', id],
    queryFn: ({ signal }) => listToolFailures(api, { tool_id: id, signal }),
  })

/** The agents that use one of these tools. */
export const agentsOfToolsQuery = (ids: readonly number[]) =>
  queryOptions({
    queryKey: ['tools', 'agents', ids],
    queryFn: async ({ signal }) =>
      (await listAllPersonas(api, { signal })).filter((it) => it.tools.some((tool) => ids.includes(tool.id))),
  })

/** Reads again what a change of a tool changes. */
export function useReloadTools(): () => Promise<void> {
  const queryClient = useQueryClient()
  return async () => {
    await queryClient.invalidateQueries({ queryKey: ['tools'] })
    void queryClient.invalidateQueries({ queryKey: ['oauth-configs'] })
    void queryClient.invalidateQueries({ queryKey: ['mcp'] })
  }
}
