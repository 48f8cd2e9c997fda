import { Button, PasswordInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useEffect, useState } from 'react'
import { createSession, getAuthType, getMe, login } from '../../../../src/client/operations.ts'
import type { SignInProvider } from '../../../../src/client/schemas.ts'
import { api, errorMessage, isSignedOut } from '../../api.ts'
import { Brand } from '../../parts/brand.tsx'
import { ColorSchemeButton } from '../../parts/color-scheme-button.tsx'
import { ProviderButtons } from './provider-buttons.tsx'
import { CodeField, isAskingForCode } from './sign-in-code.tsx'
import { DirectoryForm } from './sign-in-directory.tsx'
import { SignInForm } from './sign-in-form.tsx'
import { PasskeyButton } from './sign-in-passkey.tsx'
import { useSignIn } from './use-sign-in.ts'
import './sign-in.css'

export function SignIn() {
  const [hasKey, setHasKey] = useState(false)
  const [directory, setDirectory] = useState<SignInProvider | null>(null)
  const isPassword = !hasKey && directory === null
  useEffect(() => {
    document.title = 'Sign in · Pharos'
  }, [])
  const leave = () => {
    setHasKey(isPassword)
    setDirectory(null)
  }
  return (
    <main className="sign-in">
      <div className="sign-in-corner">
        <ColorSchemeButton />
      </div>
      <div className="card sign-in-form">
        <Brand size={44} />
        <h1>Sign in to Pharos</h1>
        <p className="dimmed">One search box for everything your company knows.</p>
        {directory === null && <ProviderButtons onDirectory={setDirectory} />}
        {directory !== null && <DirectoryForm provider={directory} />}
        {hasKey && directory === null && <KeyForm />}
        {isPassword && <PasswordForm />}
        {isPassword && <PasskeyButton />}
        <Button variant="subtle" color="gray" size="compact-sm" onClick={leave}>
          {isPassword ? 'Use a key' : 'Use a password'}
        </Button>
        <Hint />
      </div>
    </main>
  )
}

/** The ways to get an account or a new password. The terminal helps only while there is nobody yet. */
function Hint() {
  const { data } = useQuery({ queryKey: ['auth-type'], queryFn: ({ signal }) => getAuthType(api, { signal }) })
  return (
    <p className="dimmed small sign-in-hint">
      {data?.password_reset_enabled && (
        <>
          <Link to="/forgot-password">Forgotten your password?</Link>{' '}
        </>
      )}
      {data?.registration_enabled && (
        <>
          No account? <Link to="/register">Create one</Link>.{' '}
        </>
      )}
      {data?.password_reset_enabled === false &&
        'No account, or the password is lost? Ask your administrator for a link. '}
      {data?.has_users === false && (
        <>
          Setting up? The terminal and <code>data/first-admin-link</code> show a link for the first account.
        </>
      )}
    </p>
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
      nameLabel="E-mail address"
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
        label="Key"
        description="An API key or a personal access token. You stay signed in for up to 30 days."
        value={key}
        onChange={(event) => setKey(event.currentTarget.value)}
        error={signIn.isError ? keyErrorMessage(signIn.error) : undefined}
        name="password"
        autoComplete="current-password"
        visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the key' }}
        spellCheck={false}
        size="md"
        autoFocus
        required
        withAsterisk={false}
      />
      <Button type="submit" size="md" fullWidth loading={signIn.isPending}>
        Sign in
      </Button>
    </form>
  )
}

const keyErrorMessage = (error: unknown) =>
  isSignedOut(error) ? 'This key is not valid. It may be mistyped, deleted or expired.' : errorMessage(error)
