import { queryOptions, useQueryClient } from '@tanstack/react-query'
import {
  getOauthConfig,
  listCustomTools,
  listOauthConfigs,
  listOauthConnections,
} from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'

/** The provider sends browsers here; src/tools/oauth/tool-oauth.ts names the same path. */
export const redirectUri = (): string => `${window.location.origin}/oauth-config/callback`

export const oauthConfigsQuery = queryOptions({
  queryKey: ['oauth-configs', 'list'],
  queryFn: ({ signal }) => listOauthConfigs(api, { signal }),
})

export const oauthConfigQuery = (id: number) =>
  queryOptions({
    queryKey: ['oauth-configs', 'one', id],
    queryFn: ({ signal }) => getOauthConfig(api, { oauth_config_id: id, signal }),
  })

export const oauthConnectionsQuery = (id: number) =>
  queryOptions({
    queryKey: ['oauth-configs', 'connections', id],
    queryFn: ({ signal }) => listOauthConnections(api, { oauth_config_id: id, signal }),
  })

/** The tools that use the configuration. */
export const toolsOfOauthConfigQuery = (id: number) =>
  queryOptions({
    queryKey: ['tools', 'of-oauth-config', id],
    queryFn: async ({ signal }) => (await listCustomTools(api, { signal })).filter((it) => it.oauth_config_id === id),
  })

/** Reads again what a change of a configuration changes: it, its tools and who is connected. */
export function useReloadOauthConfigs(): () => Promise<void> {
  const queryClient = useQueryClient()
  return async () => {
    await queryClient.invalidateQueries({ queryKey: ['oauth-configs'] })
    void queryClient.invalidateQueries({ queryKey: ['tools'] })
  }
}
