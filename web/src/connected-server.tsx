// Where the browser comes back to after somebody has signed in at a remote server of tools.
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { postMcpOauthCallback } from '../../src/client/operations.ts'
import { api } from './api.ts'
import { Failure, Waiting } from './parts/states.tsx'

const NAMES = ['code', 'state', 'iss', 'error', 'error_description'] as const
export type SignedIn = Partial<Record<(typeof NAMES)[number], string>>

export const readSignedIn = (search: Record<string, unknown>): SignedIn =>
  Object.fromEntries(NAMES.flatMap((name) => (typeof search[name] === 'string' ? [[name, search[name]]] : [])))

export function ConnectedServer() {
  const { state = '', ...returned } = useSearch({ from: '/signed-in/mcp/oauth/callback' })
  const navigate = useNavigate()
  // A state works once: whatever becomes of the page, it is not asked again.
  const { data, error } = useQuery({
    queryKey: ['mcp-oauth-callback', state],
    queryFn: ({ signal }) => postMcpOauthCallback(api, { state, ...returned, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  useEffect(() => {
    document.title = 'Connect a server · Pharos'
  }, [])
  useEffect(() => {
    if (data !== undefined) void navigate({ href: data.redirect_url, replace: true })
  }, [data, navigate])
  return (
    <>
      <h1>Connect a server</h1>
      {error === null ? <Waiting lines={2} /> : <Failure error={error} />}
    </>
  )
}
