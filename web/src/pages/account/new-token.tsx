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
import { textsOf } from '../../text/texts.ts'
import { tokensQuery } from './queries.ts'

type Scopes = CreateTokenRequest['scopes']
const PERMISSIONS = {
  all: null,
  search: ['read:search'],
  chat: ['read:search', 'read:chat', 'write:chat'],
} satisfies Record<string, Scopes>
const KINDS = ['all', 'search', 'chat'] as const
const DAYS = [30, 90]

function expirations() {
  const t = textsOf('parts.new_secret')
  return [
    ...DAYS.map((days) => ({ value: String(days), label: t('days', { days }) })),
    { value: '365', label: t('year') },
    { value: 'never', label: t('never') },
  ]
}

export function NewToken({ onClose }: { onClose: () => void }) {
  const t = textsOf('account.tokens')
  const parts = textsOf('parts')
  const [name, setName] = useState('')
  const [permissions, setPermissions] = useState<keyof typeof PERMISSIONS>('all')
  const [end, setEnd] = useState('90')
  const queryClient = useQueryClient()
  const create = useMutation({
    mutationFn: () => {
      const expiration_days = end === 'never' ? null : Number(end)
      const body = { name: name.trim(), expiration_days, scopes: PERMISSIONS[permissions] }
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
    <Dialog title={t('new')} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <TextInput
          label={parts('name')}
          description={t('name_help')}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          maxLength={100}
          required
          withAsterisk={false}
          data-autofocus
        />
        <NativeSelect
          label={parts('permissions')}
          value={permissions}
          onChange={({ currentTarget: { value } }) => isKeyOf(PERMISSIONS, value) && setPermissions(value)}
          data={KINDS.map((value) => ({ value, label: t(`kinds.${value}`) }))}
        />
        <NativeSelect
          label={parts('expires')}
          value={end}
          onChange={(event) => setEnd(event.currentTarget.value)}
          data={expirations()}
        />
        {create.isError && <ErrorAlert error={create.error} />}
        <div className="dialog-buttons">
          <Button variant="default" onClick={onClose}>
            {parts('cancel')}
          </Button>
          <Button type="submit" loading={create.isPending} disabled={name.trim() === ''}>
            {t('create')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
