import { Button, PasswordInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { changePassword } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { sessionsQuery } from './queries.ts'

export function PasswordForm() {
  const t = textsOf('account.password')
  const [before, setBefore] = useState('')
  const [after, setAfter] = useState('')
  const queryClient = useQueryClient()
  const change = useMutation({
    mutationFn: () => changePassword(api, { body: { old_password: before, new_password: after } }),
    onSuccess: async () => {
      setBefore('')
      setAfter('')
      await queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (before !== '' && after !== '') change.mutate()
  }
  return (
    <section className="card" aria-labelledby="password">
      <div className="section-head">
        <h2 id="password">{textsOf('parts')('password')}</h2>
      </div>
      <form className="stack account-body" onSubmit={submit}>
        <PasswordInput
          label={t('old')}
          autoComplete="current-password"
          value={before}
          onChange={(event) => setBefore(event.currentTarget.value)}
          visibilityToggleButtonProps={{ 'aria-label': t('show_old') }}
        />
        <PasswordInput
          label={t('new')}
          description={t('help')}
          autoComplete="new-password"
          value={after}
          onChange={(event) => setAfter(event.currentTarget.value)}
          visibilityToggleButtonProps={{ 'aria-label': t('show_new') }}
        />
        {change.isError && <ErrorAlert error={change.error} />}
        {change.isSuccess && <p role="status">{t('changed')}</p>}
        <div>
          <Button type="submit" loading={change.isPending} disabled={before === '' || after === ''}>
            {t('change')}
          </Button>
        </div>
      </form>
    </section>
  )
}
