// Lets the directory manage an administrator, whom it does not take over by itself.
import { Button, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { linkScimUser } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { ErrorAlert } from '../../parts/states.tsx'

export function LinkAdministrator() {
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
        <h2 id="link-administrator">Link an administrator</h2>
        <p className="dimmed">
          The directory takes over other people by their address. For an administrator, you decide. It can then suspend
          them, but change neither their role nor their address.
        </p>
        <TextInput
          label="E-mail address"
          type="email"
          maxLength={500}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        {link.isError && <ErrorAlert error={link.error} />}
        {link.isSuccess && <p role="status">The directory manages this person from now on.</p>}
        <div>
          <Button type="submit" loading={link.isPending} disabled={email.trim() === ''}>
            Link
          </Button>
        </div>
      </form>
    </section>
  )
}
