import { Button, PasswordInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type FormEvent, useEffect, useState } from 'react'
import { postAuthSession } from '../../src/client/operations.ts'
import { api, isSignedOut, sentenceOf } from './api.ts'
import { Brand } from './parts/brand.tsx'
import { ColorSchemeButton } from './parts/color-scheme.tsx'
import { meQuery } from './session.ts'
import './sign-in.css'

export function SignIn() {
  const [key, setKey] = useState('')
  const { next } = useSearch({ from: '/sign-in' })
  const queries = useQueryClient()
  const navigate = useNavigate()
  useEffect(() => {
    document.title = 'Sign in · Pharos'
  }, [])
  const signIn = useMutation({
    mutationFn: () => postAuthSession(api, { body: { api_key: key } }),
    onSuccess: async (me) => {
      queries.setQueryData(meQuery.queryKey, me)
      await navigate({ href: ownAddress(next), replace: true })
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
        {/* Keepers of passwords want a name to keep the key under. */}
        <input type="text" name="username" autoComplete="username" value="Pharos" readOnly hidden />
        <PasswordInput
          label="Key"
          description="An API key or a personal access token. It stays in this browser for 30 days at most."
          value={key}
          onChange={(event) => setKey(event.currentTarget.value)}
          error={signIn.isError ? messageOf(signIn.error) : undefined}
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
          No key yet? An administrator makes one on the page Ingestion. The administrator’s own is in the output of the
          first start, and in the file <code>admin-api-key</code> of the data folder.
        </p>
      </form>
    </main>
  )
}

const messageOf = (error: unknown) =>
  isSignedOut(error) ? 'This key is not valid. It may be misspelt, deleted or expired.' : sentenceOf(error)

/** An address of these pages, whatever the address bar says. */
function ownAddress(next: string | undefined): string {
  if (next === undefined || !next.startsWith('/')) return '/'
  const url = new URL(next, window.location.origin)
  return url.origin === window.location.origin ? url.pathname + url.search : '/'
}
