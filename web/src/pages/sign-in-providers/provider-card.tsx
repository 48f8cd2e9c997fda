import { Badge, Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { deleteSignInProvider, getSignInProvider, updateSignInProvider } from '../../../../src/client/operations.ts'
import type { SignInProviderSnapshot } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { PROVIDER_TYPES } from './provider-types.ts'
import { Verdict } from './verdict.tsx'

export function ProviderCard({ provider }: { provider: SignInProviderSnapshot }) {
  const { id, slug, name, type, is_enabled, linked_people } = provider
  const { tested } = useSearch({ from: '/signed-in/admin/admin/$page/{-$id}' })
  const t = textsOf('admin.sign_in.card')
  const [isEditing, setIsEditing] = useState(false)
  const own = PROVIDER_TYPES[type]
  return (
    <section className="card card-pad stack" aria-label={name}>
      <h2>
        {name}{' '}
        <Badge color={is_enabled ? 'green' : 'gray'} variant="light">
          {is_enabled ? t('on') : t('off')}
        </Badge>
      </h2>
      <p className="small long-text">
        {textsOf('admin.sign_in')(`protocols.${type}`)} · <bdi>{own.address(provider)}</bdi> ·{' '}
        {t('people', { people: linked_people })} ·{' '}
        {t.rich('groups', { origin: () => <code>{`${type}:${slug}`}</code> })}
      </p>
      <own.Tests provider={provider} />
      <Verdict providerId={id} isNew={tested === String(id)} />
      <Changes provider={provider} onEdit={() => setIsEditing(!isEditing)} />
      {isEditing && <EditProvider id={id} onDone={() => setIsEditing(false)} />}
    </section>
  )
}

/** The form begins with the provider as it is now: another administrator may have changed it since the list was read. */
function EditProvider({ id: provider_id, onDone }: { id: number; onDone: () => void }) {
  const current = useQuery({
    queryKey: ['sign-in-provider', provider_id],
    queryFn: ({ signal }) => getSignInProvider(api, { provider_id, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  if (current.isPending) return <LoadingSkeleton lines={6} />
  if (current.isError) return <ErrorAlert error={current.error} retry={() => void current.refetch()} />
  const { Form } = PROVIDER_TYPES[current.data.type]
  return <Form provider={current.data} onDone={onDone} />
}

function Changes({ provider, onEdit }: { provider: SignInProviderSnapshot; onEdit: () => void }) {
  const t = textsOf('admin.sign_in.card')
  const { id: provider_id, is_enabled } = provider
  const queryClient = useQueryClient()
  const reload = () => queryClient.invalidateQueries({ queryKey: ['sign-in-providers'] })
  const toggle = useMutation({
    mutationFn: () => updateSignInProvider(api, { provider_id, body: { is_enabled: !is_enabled } }),
    onSuccess: reload,
  })
  const remove = useMutation({ mutationFn: () => deleteSignInProvider(api, { provider_id }), onSuccess: reload })
  const error = toggle.error ?? remove.error
  return (
    <>
      {error !== null && <ErrorAlert error={error} />}
      <div className="row">
        <Button variant="default" size="xs" onClick={onEdit}>
          {textsOf('parts')('edit')}
        </Button>
        <Button variant="default" size="xs" loading={toggle.isPending} onClick={() => toggle.mutate()}>
          {is_enabled ? t('switch_off') : t('switch_on')}
        </Button>
        {!is_enabled && (
          <Button variant="default" size="xs" color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
            {textsOf('parts')('delete')}
          </Button>
        )}
      </div>
    </>
  )
}
