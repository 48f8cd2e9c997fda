// The OAuth callback page: the provider redirects here after the user allowed tools to use their account.
import { Alert, Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { finishOauthFlow } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { Icon } from '../../parts/icon.tsx'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { textsOf } from '../../text/texts.ts'

export interface OAuthCallbackParams {
  code?: string
  state?: string
  error?: string
  error_description?: string
}

const stringOrUndefined = (value: unknown) => (typeof value === 'string' ? value : undefined)

export function readOAuthCallbackParams(search: Record<string, unknown>): OAuthCallbackParams {
  const names = ['code', 'state', 'error', 'error_description'] as const
  return Object.fromEntries(
    names.map((name) => [name, stringOrUndefined(search[name])]).filter(([, it]) => it !== undefined),
  )
}

export function OAuthCallback() {
  const t = textsOf('connect')
  const returned = useSearch({ from: '/signed-in/oauth-config/callback' })
  const navigate = useNavigate()
  // A state is valid once, so the request is never repeated.
  const { data, error } = useQuery({
    queryKey: ['oauth-callback', returned.state],
    queryFn: ({ signal }) => finishOauthFlow(api, { ...returned, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  useTitle(t('account'))
  useEffect(() => {
    if (data?.error === null) void navigate({ href: data.redirect_url, replace: true })
  }, [data, navigate])
  return (
    <>
      <h1>{t('account')}</h1>
      {error !== null && <ErrorAlert error={error} />}
      {error === null && (data === undefined || data.error === null) && <LoadingSkeleton lines={2} />}
      {typeof data?.error === 'string' && (
        <ConnectionRefused reason={data.error} leave={() => navigate({ href: data.redirect_url, replace: true })} />
      )}
    </>
  )
}

const ConnectionRefused = ({ reason, leave: onLeave }: { reason: string; leave: () => void }) => (
  <Alert color="red" variant="light" role="alert" icon={<Icon name="alert" />} title={textsOf('connect')('refused')}>
    <p className="small" style={{ margin: 0 }}>
      <bdi>{reason}</bdi>
    </p>
    <Button mt="sm" size="xs" variant="default" onClick={onLeave}>
      {textsOf('connect')('back')}
    </Button>
  </Alert>
)
