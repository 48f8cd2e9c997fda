import { queryOptions, useQueryClient } from '@tanstack/react-query'
import { getMcpServer, listMcpServers, listStoredMcpTools } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'

export const mcpServersQuery = queryOptions({
  queryKey: ['mcp', 'list'],
  queryFn: async ({ signal }) => (await listMcpServers(api, { signal })).mcp_servers,
})

export const mcpServerQuery = (id: number) =>
  queryOptions({ queryKey: ['mcp', 'one', id], queryFn: ({ signal }) => getMcpServer(api, { server_id: id, signal }) })

/** The tools as they were when the server was last read. Models see them so. */
export const storedMcpToolsQuery = (id: number) =>
  queryOptions({
    queryKey: ['mcp', 'tools', id],
    queryFn: async ({ signal }) => (await listStoredMcpTools(api, { server_id: id, signal })).tools,
  })

/** Reads again what a change of a server changes. */
export function useReloadMcp(): () => Promise<void> {
  const queryClient = useQueryClient()
  return async () => {
    await queryClient.invalidateQueries({ queryKey: ['mcp'] })
    void queryClient.invalidateQueries({ queryKey: ['tools'] })
  }
}
