// The passkeys of the person: add one for this device, delete one.
import { Button, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ApiError } from '../../../../src/client/api.ts'
import { createPasskey, deletePasskey, listPasskeys, startPasskey } from '../../../../src/client/operations.ts'
import type { PasskeySnapshot } from '../../../../src/client/schemas.ts'
import { api, errorMessage } from '../../api.ts'
import { EndButton, RecordTable } from '../../parts/record-table.tsx'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { Time } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { createPasskey as createInBrowser, hasPasskeys, isCancelled, isKnownPasskey } from './passkey-browser.ts'
import { PasswordConfirmation } from './password-confirmation.tsx'

const passkeysQuery = {
  queryKey: ['passkeys'],
  queryFn: ({ signal }: { signal: AbortSignal }) => listPasskeys(api, { signal }),
}

export function Passkeys() {
  const t = textsOf('account.passkeys')
  const queryClient = useQueryClient()
  const passkeys = useQuery(passkeysQuery)
  const remove = useMutation({
    mutationFn: (id: number) => deletePasskey(api, { passkey_id: id }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: passkeysQuery.queryKey }),
  })
  return (
    <section className="card" aria-labelledby="passkeys">
      <div className="section-head">
        <h2 id="passkeys">{t('title')}</h2>
      </div>
      <div className="stack account-body">
        <p className="dimmed">{t('help')}</p>
        {hasPasskeys() ? <AddPasskey /> : <p>{t('unavailable')}</p>}
      </div>
      {remove.isError && <ErrorAlert error={remove.error} />}
      {passkeys.isError && <ErrorAlert error={passkeys.error} />}
      {passkeys.isPending && <LoadingSkeleton lines={2} />}
      {(passkeys.data?.length ?? 0) > 0 && (
        <PasskeyTable passkeys={passkeys.data ?? []} onDelete={(id) => remove.mutate(id)} />
      )}
    </section>
  )
}

function AddPasskey() {
  const t = textsOf('account.passkeys')
  const [name, setName] = useState('')
  const queryClient = useQueryClient()
  const add = useMutation({
    mutationFn: async (password: string | null) => {
      const response = await createInBrowser(await startPasskey(api, { body: { password } }))
      return createPasskey(api, { body: { name: name.trim(), response } })
    },
    onSuccess: async () => {
      setName('')
      await queryClient.invalidateQueries({ queryKey: passkeysQuery.queryKey })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() !== '') add.mutate(null)
  }
  if (needsPassword(add.error))
    return (
      <PasswordConfirmation
        action={textsOf('account.confirm')('continue')}
        error={isStale(add.error) ? null : add.error}
        isPending={add.isPending}
        onConfirm={add.mutate}
        onCancel={add.reset}
      />
    )
  return (
    <form className="stack" onSubmit={submit}>
      <TextInput
        label={t('name')}
        placeholder={t('name_example')}
        maxLength={100}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={add.isError ? explain(add.error) : undefined}
      />
      {add.isSuccess && name === '' && <p role="status">{t('added')}</p>}
      <div>
        <Button type="submit" loading={add.isPending} disabled={name.trim() === ''}>
          {t('add')}
        </Button>
      </div>
    </form>
  )
}

const isStale = (error: unknown): boolean => error instanceof ApiError && error.error_code === 'SIGN_IN_AGAIN'
const needsPassword = (error: unknown): boolean =>
  isStale(error) || (error instanceof ApiError && error.error_code === 'LOGIN_BAD_CREDENTIALS')

function explain(error: unknown): string {
  const t = textsOf('account.passkeys')
  if (isCancelled(error)) return t('cancelled')
  return isKnownPasskey(error) ? t('known') : errorMessage(error)
}

function PasskeyTable({
  passkeys,
  onDelete,
}: {
  passkeys: readonly PasskeySnapshot[]
  onDelete: (id: number) => void
}) {
  const t = textsOf('account.passkeys')
  return (
    <RecordTable
      label={t('title')}
      rows={passkeys}
      keyOf={({ id }) => id}
      columns={[
        {
          label: textsOf('parts')('name'),
          cell: ({ name, is_backed_up }) => <bdi>{is_backed_up ? t('synchronized', { name }) : name}</bdi>,
        },
        { label: t('added_at'), className: 'nowrap', cell: (it) => <Time at={it.created_at} /> },
        { label: t('last_used'), className: 'nowrap', cell: (it) => <Time at={it.last_used_at} /> },
      ]}
      action={({ id, name }) => (
        <EndButton
          label={textsOf('parts')('delete')}
          longLabel={t('delete_of', { name })}
          onClick={() => onDelete(id)}
        />
      )}
    />
  )
}
