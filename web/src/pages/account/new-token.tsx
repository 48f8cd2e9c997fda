import { Button, NativeSelect, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { createPersonalAccessToken } from '../../../../src/client/operations.ts'
import type { CreateTokenRequest } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { isKeyOf } from '../../parts/is-key-of.ts'
import { SecretDialog } from '../../parts/secret-dialog.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { tokensQuery } from './queries.ts'

type Scopes = CreateTokenRequest['scopes']
const PERMISSIONS = {
  all: { label: 'Everything that you may do', scopes: null },
  search: { label: 'Search', scopes: ['read:search'] },
  chat: { label: 'Search and chat', scopes: ['read:search', 'read:chat', 'write:chat'] },
} satisfies Record<string, { label: string; scopes: Scopes }>
const EXPIRATIONS = { 30: 'in 30 days', 90: 'in 90 days', 365: 'in a year', never: 'never' }

export function NewToken({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('')
  const [permissions, setPermissions] = useState<keyof typeof PERMISSIONS>('all')
  const [end, setEnd] = useState('90')
  const queryClient = useQueryClient()
  const create = useMutation({
    mutationFn: () => {
      const expiration_days = end === 'never' ? null : Number(end)
      const body = { name: name.trim(), expiration_days, scopes: PERMISSIONS[permissions].scopes }
      return createPersonalAccessToken(api, { body })
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: tokensQuery.queryKey }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() !== '') create.mutate()
  }
  if (create.data !== undefined) return <SecretDialog kind="token" secret={create.data.token} onClose={onClose} />
  return (
    <Dialog title="New token" onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <TextInput
          label="Name"
          description="The program that uses this token."
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          maxLength={100}
          required
          withAsterisk={false}
          data-autofocus
        />
        <NativeSelect
          label="Permissions"
          value={permissions}
          onChange={({ currentTarget: { value } }) => isKeyOf(PERMISSIONS, value) && setPermissions(value)}
          data={Object.entries(PERMISSIONS).map(([value, { label }]) => ({ value, label }))}
        />
        <NativeSelect
          label="Expires"
          value={end}
          onChange={(event) => setEnd(event.currentTarget.value)}
          data={Object.entries(EXPIRATIONS).map(([value, label]) => ({ value, label }))}
        />
        {create.isError && <ErrorAlert error={create.error} />}
        <div className="dialog-buttons">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isPending} disabled={name.trim() === ''}>
            Create token
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
