// The OAuth callback page of remote MCP servers.
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { finishMcpOauthFlow } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { textsOf } from '../../text/texts.ts'

const PARAMS = ['code', 'state', 'iss', 'error', 'error_description'] as const
export type McpOAuthCallbackParams = Partial<Record<(typeof PARAMS)[number], string>>

export const readMcpOAuthCallbackParams = (search: Record<string, unknown>): McpOAuthCallbackParams =>
  Object.fromEntries(PARAMS.flatMap((name) => (typeof search[name] === 'string' ? [[name, search[name]]] : [])))

export function McpOAuthCallback() {
  const t = textsOf('connect')
  const { state = '', ...returned } = useSearch({ from: '/signed-in/mcp/oauth/callback' })
  const navigate = useNavigate()
  // A state is valid once, so the request is never repeated.
  const { data, error } = useQuery({
    queryKey: ['mcp-oauth-callback', state],
    queryFn: ({ signal }) => finishMcpOauthFlow(api, { state, ...returned, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  useTitle(t('server'))
  useEffect(() => {
    if (data !== undefined) void navigate({ href: data.redirect_url, replace: true })
  }, [data, navigate])
  return (
    <>
      <h1>{t('server')}</h1>
      {error === null ? <LoadingSkeleton lines={2} /> : <ErrorAlert error={error} />}
    </>
  )
}
