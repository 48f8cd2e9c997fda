// Pages that ask for a link by mail: for a new password, and for a new account at an opened domain.
import { Button, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { forgotPassword, requestRegistrationLink } from '../../../../src/client/operations.ts'
import { api, errorMessage } from '../../api.ts'
import { Brand } from '../../parts/brand.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { textsOf } from '../../text/texts.ts'
import { Corner } from './corner.tsx'
import './sign-in.css'

const REQUESTS = { password: forgotPassword, account: requestRegistrationLink }

export const ForgotPassword = () => <RequestLink purpose="password" />
export const RequestAccount = () => <RequestLink purpose="account" />

function RequestLink({ purpose }: { purpose: keyof typeof REQUESTS }) {
  const t = textsOf('sign_in')
  const title = t(`request.${purpose}.title`)
  const [email, setEmail] = useState('')
  const request = useMutation({
    mutationFn: () => REQUESTS[purpose](api, { body: { email: email.trim() } }),
  })
  useTitle(title)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (email.trim() !== '') request.mutate()
  }
  return (
    <main className="sign-in">
      <Corner />
      <div className="card sign-in-form">
        <Brand size={44} />
        <h1>{title}</h1>
        {request.isSuccess ? (
          <p role="status">{t(`request.${purpose}.sent`)}</p>
        ) : (
          <>
            <p className="dimmed">{t(`request.${purpose}.help`)}</p>
            <form className="stack" onSubmit={submit}>
              <TextInput
                label={textsOf('parts')('email_address')}
                type="email"
                autoComplete="username"
                value={email}
                onChange={(event) => setEmail(event.currentTarget.value)}
                error={request.isError ? errorMessage(request.error) : undefined}
                maxLength={320}
                size="md"
                autoFocus
                required
                withAsterisk={false}
              />
              <Button type="submit" size="md" fullWidth loading={request.isPending}>
                {t('request.send')}
              </Button>
            </form>
          </>
        )}
        <p className="dimmed small sign-in-hint">
          <Link to="/sign-in">{t('back')}</Link>
        </p>
      </div>
    </main>
  )
}
