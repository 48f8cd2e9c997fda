import { Badge, Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { deleteSignInProvider, updateSignInProvider } from '../../../../src/client/operations.ts'
import type { SignInProviderSnapshot } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { ErrorAlert } from '../../parts/states.tsx'
import { PROVIDER_TYPES } from './provider-types.ts'
import { Verdict } from './verdict.tsx'

export function ProviderCard({ provider }: { provider: SignInProviderSnapshot }) {
  const { id, slug, name, type, is_enabled, linked_people } = provider
  const { tested } = useSearch({ from: '/signed-in/admin/admin/$page/{-$id}' })
  const [isEditing, setIsEditing] = useState(false)
  const own = PROVIDER_TYPES[type]
  return (
    <section className="card card-pad stack" aria-label={name}>
      <h2>
        {name}{' '}
        <Badge color={is_enabled ? 'green' : 'gray'} variant="light">
          {is_enabled ? 'on' : 'off'}
        </Badge>
      </h2>
      <p className="small long-text">
        {[own?.label, own?.address(provider), linked_people === 1 ? '1 person' : `${linked_people} people`].join(' · ')}{' '}
        · groups come from <code>{`${type}:${slug}`}</code>
      </p>
      {own !== undefined && <own.Tests provider={provider} />}
      <Verdict providerId={id} isNew={tested === String(id)} />
      <Changes provider={provider} {...(own !== undefined && { onEdit: () => setIsEditing(!isEditing) })} />
      {isEditing && own !== undefined && <own.Form provider={provider} onDone={() => setIsEditing(false)} />}
    </section>
  )
}

function Changes({ provider, onEdit }: { provider: SignInProviderSnapshot; onEdit?: () => void }) {
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
        {onEdit !== undefined && (
          <Button variant="default" size="xs" onClick={onEdit}>
            Edit
          </Button>
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
    </>
  )
}
