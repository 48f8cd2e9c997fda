// Providers with which people sign in, for administrators.
import { Badge, Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import {
  checkSignInProvider,
  deleteSignInProvider,
  listSignInProvidersForAdmin,
  testSignInProvider,
  updateSignInProvider,
} from '../../../src/client/operations.ts'
import type { SignInProviderSnapshot } from '../../../src/client/schemas.ts'
import { api } from '../api.ts'
import { CopyButton } from '../parts/copy.tsx'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../parts/states.tsx'
import { ProviderForm } from './provider-form.tsx'
import { Verdict } from './verdict.tsx'

const QUERY_KEY = ['sign-in-providers', 'admin']

export function ProvidersPage() {
  const [isAdding, setIsAdding] = useState(false)
  const providers = useQuery({
    queryKey: QUERY_KEY,
    queryFn: ({ signal }) => listSignInProvidersForAdmin(api, { signal }),
  })
  useEffect(() => {
    document.title = 'Sign-in providers · Pharos'
  }, [])
  return (
    <div className="stack">
      <div className="page-head">
        <div>
          <h1>Sign-in providers</h1>
          <p>People sign in with the directory of your company. Test a provider before you switch it on.</p>
        </div>
      </div>
      {providers.isPending && <LoadingSkeleton />}
      {providers.isError && <ErrorAlert error={providers.error} retry={() => void providers.refetch()} />}
      {providers.data?.length === 0 && !isAdding && (
        <EmptyState icon="document" title="No provider yet">
          People sign in with a password or a key.
        </EmptyState>
      )}
      {providers.data?.map((it) => (
        <Provider key={it.id} provider={it} />
      ))}
      {isAdding ? (
        <ProviderForm onDone={() => setIsAdding(false)} />
      ) : (
        <div>
          <Button onClick={() => setIsAdding(true)}>Add a provider</Button>
        </div>
      )}
    </div>
  )
}

function Provider({ provider }: { provider: SignInProviderSnapshot }) {
  const { id, slug, name, type, is_enabled, oidc, ldap, redirect_uri, backchannel_logout_uri, linked_people } = provider
  const { tested } = useSearch({ from: '/signed-in/admin/admin/$page/{-$id}' })
  const [isEditing, setIsEditing] = useState(false)
  const queryClient = useQueryClient()
  const reload = () => queryClient.invalidateQueries({ queryKey: QUERY_KEY })
  const path = { provider_id: id }
  const check = useMutation({ mutationFn: () => checkSignInProvider(api, path) })
  const test = useMutation({
    mutationFn: () => testSignInProvider(api, path),
    onSuccess: ({ authorization_url }) => window.location.assign(authorization_url),
  })
  const toggle = useMutation({
    mutationFn: () => updateSignInProvider(api, { ...path, body: { is_enabled: !is_enabled } }),
    onSuccess: reload,
  })
  const remove = useMutation({ mutationFn: () => deleteSignInProvider(api, path), onSuccess: reload })
  const error = check.error ?? test.error ?? toggle.error ?? remove.error
  return (
    <section className="card card-pad stack" aria-label={name}>
      <h2>
        {name}{' '}
        <Badge color={is_enabled ? 'green' : 'gray'} variant="light">
          {is_enabled ? 'on' : 'off'}
        </Badge>
      </h2>
      <p className="small" style={{ overflowWrap: 'anywhere' }}>
        {oidc?.issuer ?? ldap?.url} · {linked_people} people · groups come from <code>{`${type}:${slug}`}</code>
      </p>
      {oidc === null ? (
        <p className="small">
          A directory is changed and tested through the API: docs/ldap.md shows how. It is switched on and off here.
        </p>
      ) : (
        <>
          <Address label="Redirect URI" text={redirect_uri} />
          <Address label="Back-channel logout URI" text={backchannel_logout_uri} />
        </>
      )}
      {error !== null && <ErrorAlert error={error} />}
      {check.data !== undefined && (
        <p className="small" role="status">
          The discovery document was read. The token endpoint is {check.data.token_endpoint}.
        </p>
      )}
      {oidc !== null && <Verdict providerId={id} isNew={tested === String(id)} />}
      <div className="row" style={{ flexWrap: 'wrap' }}>
        {oidc !== null && (
          <>
            <Button variant="default" size="xs" loading={check.isPending} onClick={() => check.mutate()}>
              Check
            </Button>
            <Button variant="default" size="xs" loading={test.isPending} onClick={() => test.mutate()}>
              Test
            </Button>
            <Button variant="default" size="xs" onClick={() => setIsEditing(!isEditing)}>
              Edit
            </Button>
          </>
        )}
        <Button variant="default" size="xs" loading={toggle.isPending} onClick={() => toggle.mutate()}>
          {is_enabled ? 'Switch off' : 'Switch on'}
        </Button>
        {!is_enabled && (
          <Button variant="default" size="xs" color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
            Delete
          </Button>
        )}
      </div>
      {isEditing && <ProviderForm provider={provider} onDone={() => setIsEditing(false)} />}
    </section>
  )
}

const Address = ({ label, text }: { label: string; text: string }) => (
  <p className="small" style={{ overflowWrap: 'anywhere' }}>
    {label}: <code>{text}</code> <CopyButton text={text} label={`Copy the ${label}`} />
  </p>
)
