// Pages that ask for a link by mail: for a new password, and for a new account at an opened domain.
import { Button, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useEffect, useState } from 'react'
import { forgotPassword, requestRegistrationLink } from '../../../../src/client/operations.ts'
import { api, errorMessage } from '../../api.ts'
import { Brand } from '../../parts/brand.tsx'
import { ColorSchemeButton } from '../../parts/color-scheme-button.tsx'
import './sign-in.css'

const PURPOSES = {
  password: {
    request: forgotPassword,
    title: 'Choose a new password',
    explanation: 'We mail you a link with which you choose a new password. It works once, within an hour.',
    sent: 'If an account with this address signs in with a password, a mail is on its way. Look into your inbox, and among unwanted mail.',
  },
  account: {
    request: requestRegistrationLink,
    title: 'Create your account',
    explanation: 'We mail you a link with which you create your account. Use the e-mail address of your company.',
    sent: 'If accounts are open to this address, a mail is on its way. Look into your inbox, and among unwanted mail.',
  },
}

export const ForgotPassword = () => <RequestLink purpose="password" />
export const RequestAccount = () => <RequestLink purpose="account" />

function RequestLink({ purpose }: { purpose: keyof typeof PURPOSES }) {
  const { title, explanation, sent } = PURPOSES[purpose]
  const [email, setEmail] = useState('')
  const request = useMutation({
    mutationFn: () => PURPOSES[purpose].request(api, { body: { email: email.trim() } }),
  })
  useEffect(() => {
    document.title = `${title} · Pharos`
  }, [title])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (email.trim() !== '') request.mutate()
  }
  return (
    <main className="sign-in">
      <div className="sign-in-corner">
        <ColorSchemeButton />
      </div>
      <div className="card sign-in-form">
        <Brand size={44} />
        <h1>{title}</h1>
        {request.isSuccess ? (
          <p role="status">{sent}</p>
        ) : (
          <>
            <p className="dimmed">{explanation}</p>
            <form className="stack" onSubmit={submit}>
              <TextInput
                label="E-mail address"
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
                Mail me a link
              </Button>
            </form>
          </>
        )}
        <p className="dimmed small sign-in-hint">
          <Link to="/sign-in">Back to the sign-in</Link>
        </p>
      </div>
    </main>
  )
}
