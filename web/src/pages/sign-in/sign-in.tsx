import { Button, PasswordInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { createSession, getAuthType, getMe, login } from '../../../../src/client/operations.ts'
import type { SignInProvider } from '../../../../src/client/schemas.ts'
import { api, errorMessage, isSignedOut } from '../../api.ts'
import { Brand } from '../../parts/brand.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { textsOf } from '../../text/texts.ts'
import { Corner } from './corner.tsx'
import { ProviderButtons } from './provider-buttons.tsx'
import { CodeField, isAskingForCode } from './sign-in-code.tsx'
import { DirectoryForm } from './sign-in-directory.tsx'
import { SignInForm } from './sign-in-form.tsx'
import { PasskeyButton } from './sign-in-passkey.tsx'
import { useSignIn } from './use-sign-in.ts'
import './sign-in.css'

export function SignIn() {
  const t = textsOf('sign_in')
  const [hasKey, setHasKey] = useState(false)
  const [directory, setDirectory] = useState<SignInProvider | null>(null)
  const isPassword = !hasKey && directory === null
  useTitle(t('document_title'))
  const leave = () => {
    setHasKey(isPassword)
    setDirectory(null)
  }
  return (
    <main className="sign-in">
      <Corner />
      <div className="card sign-in-form">
        <Brand size={44} />
        <h1>{t('title')}</h1>
        <p className="dimmed">{t('subtitle')}</p>
        {directory === null && <ProviderButtons onDirectory={setDirectory} />}
        {directory !== null && <DirectoryForm provider={directory} />}
        {hasKey && directory === null && <KeyForm />}
        {isPassword && <PasswordForm />}
        {isPassword && <PasskeyButton />}
        <Button variant="subtle" color="gray" size="compact-sm" onClick={leave}>
          {t(isPassword ? 'use_key' : 'use_password')}
        </Button>
        <Hint />
      </div>
    </main>
  )
}

/** The ways to get an account or a new password. The terminal helps only while there is nobody yet. */
function Hint() {
  const t = textsOf('sign_in.hints')
  const { data } = useQuery({ queryKey: ['auth-type'], queryFn: ({ signal }) => getAuthType(api, { signal }) })
  if (data === undefined) return null
  return (
    <div className="dimmed small sign-in-hint">
      {data.password_reset_enabled && (
        <p>{t.rich('forgotten', { link: (text) => <Link to="/forgot-password">{text}</Link> })}</p>
      )}
      {data.registration_enabled && <p>{t.rich('create', { link: (text) => <Link to="/register">{text}</Link> })}</p>}
      {!data.password_reset_enabled && data.has_users && <p>{t('ask')}</p>}
      {!data.has_users && <p>{t.rich('first', { code: (text) => <code>{text}</code> })}</p>}
    </div>
  )
}

function PasswordForm() {
  const [code, setCode] = useState('')
  const signIn = useSignIn(async ({ name, password }: { name: string; password: string }) => {
    await login(api, { body: { username: name, password, otp: code.trim() === '' ? null : code.trim() } })
    return getMe(api)
  })
  const needsCode = isAskingForCode(signIn.error) || code !== ''
  return (
    <SignInForm
      nameLabel={textsOf('parts')('email_address')}
      nameType="email"
      maxNameLength={320}
      error={signIn.isError && !isAskingForCode(signIn.error) ? errorMessage(signIn.error) : undefined}
      isPending={signIn.isPending}
      onSubmit={signIn.mutate}
    >
      {needsCode && <CodeField code={code} onChange={setCode} error={signIn.error} />}
    </SignInForm>
  )
}

function KeyForm() {
  const t = textsOf('sign_in')
  const [key, setKey] = useState('')
  const signIn = useSignIn(() => createSession(api, { body: { api_key: key } }))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (key.trim() !== '') signIn.mutate()
  }
  return (
    <form className="stack" onSubmit={submit}>
      {/* Password managers need a user name to store the key. */}
      <input type="text" name="username" autoComplete="username" value="Pharos" readOnly hidden />
      <PasswordInput
        label={textsOf('parts')('key')}
        description={t('key.help')}
        value={key}
        onChange={(event) => setKey(event.currentTarget.value)}
        error={signIn.isError ? keyErrorMessage(signIn.error) : undefined}
        name="password"
        autoComplete="current-password"
        visibilityToggleButtonProps={{ 'aria-label': t('key.show') }}
        spellCheck={false}
        size="md"
        autoFocus
        required
        withAsterisk={false}
      />
      <Button type="submit" size="md" fullWidth loading={signIn.isPending}>
        {t('sign_in')}
      </Button>
    </form>
  )
}

const keyErrorMessage = (error: unknown) =>
  isSignedOut(error) ? textsOf('sign_in.key')('not_valid') : errorMessage(error)
