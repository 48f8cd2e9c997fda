import { Button, PasswordInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type FormEvent, useEffect, useState } from 'react'
import { createSession } from '../../src/client/operations.ts'
import { api, errorMessage, isSignedOut } from './api.ts'
import { Brand } from './parts/brand.tsx'
import { ColorSchemeButton } from './parts/color-scheme-button.tsx'
import { meQuery } from './session.ts'
import './sign-in.css'

export function SignIn() {
  const [key, setKey] = useState('')
  const { next } = useSearch({ from: '/sign-in' })
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  useEffect(() => {
    document.title = 'Sign in · Pharos'
  }, [])
  const signIn = useMutation({
    mutationFn: () => createSession(api, { body: { api_key: key } }),
    onSuccess: async (me) => {
      queryClient.setQueryData(meQuery.queryKey, me)
      await navigate({ href: safeNextPath(next), replace: true })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (key.trim() !== '') signIn.mutate()
  }
  return (
    <main className="sign-in">
      <div className="sign-in-corner">
        <ColorSchemeButton />
      </div>
      <form className="card sign-in-form" onSubmit={submit}>
        <Brand size={44} />
        <h1>Sign in to Pharos</h1>
        <p className="dimmed">One search box for everything your company knows.</p>
        {/* Password managers need a user name to store the key. */}
        <input type="text" name="username" autoComplete="username" value="Pharos" readOnly hidden />
        <PasswordInput
          label="Key"
          description="An API key or a personal access token. You stay signed in for up to 30 days."
          value={key}
          onChange={(event) => setKey(event.currentTarget.value)}
          error={signIn.isError ? signInErrorMessage(signIn.error) : undefined}
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
        <p className="dimmed small sign-in-hint">
          No key? Ask your administrator. Setting up? Find the admin key in the terminal or in{' '}
          <code>data/admin-api-key</code>.
        </p>
      </form>
    </main>
  )
}

const signInErrorMessage = (error: unknown) =>
  isSignedOut(error) ? 'This key is not valid. It may be mistyped, deleted or expired.' : errorMessage(error)

/** Accepts only paths on this origin, so that `next` cannot redirect elsewhere. */
function safeNextPath(next: string | undefined): string {
  if (next === undefined || !next.startsWith('/')) return '/'
  const url = new URL(next, window.location.origin)
  return url.origin === window.location.origin ? url.pathname + url.search : '/'
}
