import { Button, PasswordInput, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { type FormEvent, useEffect, useState } from 'react'
import { createSession, getAuthType, getMe, login } from '../../src/client/operations.ts'
import type { SignInProvider, UserInfo } from '../../src/client/schemas.ts'
import { api, errorMessage, isSignedOut } from './api.ts'
import { safeNextPath } from './next-path.ts'
import { Brand } from './parts/brand.tsx'
import { ColorSchemeButton } from './parts/color-scheme-button.tsx'
import { ProviderButtons } from './provider-buttons.tsx'
import { meQuery } from './session.ts'
import { CodeField, isAskingForCode } from './sign-in-code.tsx'
import { DirectoryForm } from './sign-in-directory.tsx'
import { PasskeyButton } from './sign-in-passkey.tsx'
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
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const signIn = useSignIn(async () => {
    await login(api, { body: { username: email.trim(), password, otp: code.trim() === '' ? null : code.trim() } })
    return getMe(api)
  })
  const needsCode = isAskingForCode(signIn.error) || code !== ''
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (email.trim() !== '' && password !== '') signIn.mutate()
  }
  return (
    <form className="stack" onSubmit={submit}>
      <TextInput
        label="E-mail address"
        type="email"
        name="username"
        autoComplete="username"
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
        maxLength={320}
        size="md"
        autoFocus
        required
        withAsterisk={false}
      />
      <PasswordInput
        label="Password"
        name="password"
        autoComplete="current-password"
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        error={signIn.isError && !isAskingForCode(signIn.error) ? errorMessage(signIn.error) : undefined}
        visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the password' }}
        size="md"
        required
        withAsterisk={false}
      />
      {needsCode && <CodeField code={code} onChange={setCode} error={signIn.error} />}
      <Button type="submit" size="md" fullWidth loading={signIn.isPending}>
        Sign in
      </Button>
    </form>
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

/** Opens the page that the person wanted after the sign-in. */
export function useSignIn(mutationFn: () => Promise<UserInfo>) {
  const { next } = useSearch({ from: '/sign-in' })
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn,
    onSuccess: async (me) => {
      queryClient.setQueryData(meQuery.queryKey, me)
      await navigate({ href: safeNextPath(next, window.location.origin), replace: true })
    },
  })
}

const keyErrorMessage = (error: unknown) =>
  isSignedOut(error) ? 'This key is not valid. It may be mistyped, deleted or expired.' : errorMessage(error)
