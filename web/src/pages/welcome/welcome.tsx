// The page behind a one-time link: the person gets an account or a new password, and is signed in.
import { Button, PasswordInput, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { getAccountLink, register } from '../../../../src/client/operations.ts'
import type { AccountLinkInfo } from '../../../../src/client/schemas.ts'
import { api, errorMessage } from '../../api.ts'
import { Brand } from '../../parts/brand.tsx'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { adoptPreferences, loadAgain } from '../../preferences.ts'
import { meQuery } from '../../session.ts'
import { textsOf } from '../../text/texts.ts'
import { Corner } from '../sign-in/corner.tsx'
import { CodeField, isAskingForCode } from '../sign-in/sign-in-code.tsx'
import '../sign-in/sign-in.css'

export function Welcome() {
  const t = textsOf('welcome')
  const [token] = useState(() => window.location.hash.slice(1))
  const link = useQuery({
    queryKey: ['account-link', token],
    queryFn: ({ signal }) => getAccountLink(api, { body: { token }, signal }),
    enabled: token !== '',
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
  useTitle(t('title'))
  return (
    <main className="sign-in">
      <Corner />
      <div className="card sign-in-form">
        <Brand size={44} />
        {token === '' && <h1>{t('incomplete.title')}</h1>}
        {token === '' && <p className="dimmed">{t('incomplete.help')}</p>}
        {link.isLoading && <LoadingSkeleton lines={4} />}
        {link.isError && <h1>{t('unusable')}</h1>}
        {link.isError && <ErrorAlert error={link.error} />}
        {link.data !== undefined && <AccountForm token={token} link={link.data} />}
        <p className="dimmed small sign-in-hint">
          {t.rich('has_account', { link: (text) => <Link to="/sign-in">{text}</Link> })}
        </p>
      </div>
    </main>
  )
}

function AccountForm({ token, link }: { token: string; link: AccountLinkInfo }) {
  const t = textsOf('welcome')
  const parts = textsOf('parts')
  const [email, setEmail] = useState(link.email ?? '')
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const create = useMutation({
    mutationFn: () => {
      const body = { token, password, email: email.trim(), name: name.trim() || null, otp: code.trim() || null }
      return register(api, { body })
    },
    onSuccess: async (me) => {
      queryClient.setQueryData(meQuery.queryKey, me)
      if (adoptPreferences(me.preferences)) await loadAgain('/')
      await navigate({ to: '/', replace: true })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (email.trim() !== '' && password !== '') create.mutate()
  }
  return (
    <form className="stack" onSubmit={submit}>
      <h1>{t(`headings.${link.purpose}`)}</h1>
      <TextInput
        label={parts('email_address')}
        type="email"
        name="username"
        autoComplete="username"
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
        readOnly={link.email !== null}
        maxLength={320}
        size="md"
        required
        withAsterisk={false}
        autoFocus={link.email === null}
      />
      {link.purpose !== 'reset' && (
        <TextInput
          label={parts('name')}
          autoComplete="name"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          maxLength={200}
          size="md"
        />
      )}
      <PasswordInput
        label={parts('password')}
        description={t('password_help')}
        name="password"
        autoComplete="new-password"
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        error={create.isError && !isAskingForCode(create.error) ? errorMessage(create.error) : undefined}
        visibilityToggleButtonProps={{ 'aria-label': parts('show_password') }}
        size="md"
        required
        withAsterisk={false}
        autoFocus={link.email !== null}
      />
      {(isAskingForCode(create.error) || code !== '') && (
        <CodeField code={code} onChange={setCode} error={create.error} />
      )}
      <Button type="submit" size="md" fullWidth loading={create.isPending}>
        {t(link.purpose === 'reset' ? 'set_password' : 'create_account')}
      </Button>
    </form>
  )
}
