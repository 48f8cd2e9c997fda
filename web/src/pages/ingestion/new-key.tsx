import { Button, NativeSelect, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { createApiKey } from '../../../../src/client/operations.ts'
import type { ApiKeyArgs } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { isKeyOf } from '../../parts/is-key-of.ts'
import { SecretDialog } from '../../parts/secret-dialog.tsx'
import { ErrorAlert } from '../../parts/states.tsx'

const KEY_KINDS = {
  push: { label: 'Push documents', args: { role: 'limited', scopes: ['ingest'] } },
  both: { label: 'Push documents and search', args: { role: 'limited', scopes: ['ingest', 'search'] } },
  search: { label: 'Search', args: { role: 'basic', scopes: null } },
  curator: { label: 'Manage connectors and their documents', args: { role: 'curator', scopes: null } },
  admin: { label: 'Everything (administrator)', args: { role: 'admin', scopes: null } },
} satisfies Record<string, { label: string; args: ApiKeyArgs }>
const EXPIRATIONS = [
  { value: '30', label: 'in 30 days' },
  { value: '90', label: 'in 90 days' },
  { value: '365', label: 'in a year' },
  { value: 'never', label: 'never' },
]

export function NewKey({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('')
  const [kind, setKind] = useState<keyof typeof KEY_KINDS>('push')
  const [end, setEnd] = useState('90')
  const queryClient = useQueryClient()
  const create = useMutation({
    mutationFn: () =>
      createApiKey(api, {
        body: {
          ...KEY_KINDS[kind].args,
          name: name.trim(),
          expiration_days: end === 'never' ? null : Number(end),
        },
      }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['keys'] }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() !== '') create.mutate()
  }
  if (create.data?.api_key) return <SecretDialog kind="key" secret={create.data.api_key} onClose={onClose} />
  return (
    <Dialog title="New key" onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <TextInput
          label="Name"
          description="The app that uses this key."
          placeholder="Wiki export"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          maxLength={1_000}
          required
          withAsterisk={false}
          data-autofocus
        />
        <NativeSelect
          label="Permissions"
          value={kind}
          onChange={({ currentTarget: { value } }) => isKeyOf(KEY_KINDS, value) && setKind(value)}
          data={Object.entries(KEY_KINDS).map(([value, { label }]) => ({ value, label }))}
        />
        <NativeSelect
          label="Expires"
          value={end}
          onChange={(event) => setEnd(event.currentTarget.value)}
          data={EXPIRATIONS}
        />
        {create.isError && <ErrorAlert error={create.error} />}
        <div className="dialog-buttons">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isPending} disabled={name.trim() === ''}>
            Create key
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
