import { queryOptions } from '@tanstack/react-query'
import {
  listOauthTokenStatuses,
  listPassthroughConsents,
  listTools,
  listUsableMcpServers,
} from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'

export const tokenStatusesQuery = queryOptions({
  queryKey: ['connected', 'accounts'],
  queryFn: ({ signal }) => listOauthTokenStatuses(api, { signal }),
})

/** The tools that use an account of the person. */
export const toolsWithAccountQuery = queryOptions({
  queryKey: ['connected', 'tools'],
  queryFn: async ({ signal }) =>
    (await listTools(api, { built_in: false, signal })).filter((it) => it.oauth_config_id != null),
})

export const usableServersQuery = queryOptions({
  queryKey: ['connected', 'servers'],
  queryFn: async ({ signal }) => (await listUsableMcpServers(api, { signal })).mcp_servers,
})

export const consentsQuery = queryOptions({
  queryKey: ['connected', 'consents'],
  queryFn: ({ signal }) => listPassthroughConsents(api, { signal }),
})
