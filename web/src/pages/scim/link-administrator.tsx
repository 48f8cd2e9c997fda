// Lets the directory manage an administrator, whom it does not take over by itself.
import { Button, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { linkScimUser } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'

export function LinkAdministrator() {
  const t = textsOf('admin.scim.link')
  const [email, setEmail] = useState('')
  const queryClient = useQueryClient()
  const link = useMutation({
    mutationFn: () => linkScimUser(api, { body: { user_email: email.trim() } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['scim'] }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (email.trim() !== '') link.mutate()
  }
  return (
    <section className="card card-pad" aria-labelledby="link-administrator">
      <form className="stack" onSubmit={submit}>
        <h2 id="link-administrator">{t('title')}</h2>
        <p className="dimmed">{t('help')}</p>
        <TextInput
          label={textsOf('parts')('email_address')}
          type="email"
          maxLength={500}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        {link.isError && <ErrorAlert error={link.error} />}
        {link.isSuccess && <p role="status">{t('done')}</p>}
        <div>
          <Button type="submit" loading={link.isPending} disabled={email.trim() === ''}>
            {t('link')}
          </Button>
        </div>
      </form>
    </section>
  )
}
