// Where a provider sends the browser back to, after the person has agreed there that tools act with their account.
import { Alert, Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { postOauthConfigCallback } from '../../src/client/operations.ts'
import { api } from './api.ts'
import { Icon } from './parts/icon.tsx'
import { Failure, Waiting } from './parts/states.tsx'

export interface Returned {
  code?: string
  state?: string
  error?: string
  error_description?: string
}

const text = (value: unknown) => (typeof value === 'string' ? value : undefined)

export function readReturned(search: Record<string, unknown>): Returned {
  const names = ['code', 'state', 'error', 'error_description'] as const
  return Object.fromEntries(names.map((name) => [name, text(search[name])]).filter(([, it]) => it !== undefined))
}

export function Connected() {
  const returned = useSearch({ from: '/signed-in/oauth-config/callback' })
  const navigate = useNavigate()
  // A state works once: whatever becomes of the page, it is not asked again.
  const { data, error } = useQuery({
    queryKey: ['oauth-callback', returned.state],
    queryFn: ({ signal }) => postOauthConfigCallback(api, { ...returned, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  useEffect(() => {
    document.title = 'Connect an account · Pharos'
  }, [])
  useEffect(() => {
    if (data?.error === null) void navigate({ href: data.redirect_url, replace: true })
  }, [data, navigate])
  return (
    <>
      <h1>Connect an account</h1>
      {error !== null && <Failure error={error} />}
      {error === null && (data === undefined || data.error === null) && <Waiting lines={2} />}
      {typeof data?.error === 'string' && (
        <Refused reason={data.error} leave={() => navigate({ href: data.redirect_url, replace: true })} />
      )}
    </>
  )
}

const Refused = ({ reason, leave }: { reason: string; leave: () => void }) => (
  <Alert color="red" variant="light" role="alert" icon={<Icon name="alert" />} title="Your account was not connected">
    <p className="small" style={{ margin: 0 }}>
      {reason}
    </p>
    <Button mt="sm" size="xs" variant="default" onClick={leave}>
      Go back
    </Button>
  </Alert>
)
