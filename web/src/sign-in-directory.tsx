import { Button, PasswordInput, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { getMe, loginWithLdap } from '../../src/client/operations.ts'
import type { SignInProvider } from '../../src/client/schemas.ts'
import { api, errorMessage } from './api.ts'
import { useSignIn } from './sign-in.tsx'

/** The name and password of a directory (LDAP). */
export function DirectoryForm({ provider }: { provider: SignInProvider }) {
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  const signIn = useSignIn(async () => {
    await loginWithLdap(api, { body: { provider: provider.slug, username: username.trim(), password } })
    return getMe(api)
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (username.trim() !== '' && password !== '') signIn.mutate()
  }
  return (
    <form className="stack" onSubmit={submit}>
      <TextInput
        label={`User name at ${provider.name}`}
        name="username"
        autoComplete="username"
        value={username}
        onChange={(event) => setUsername(event.currentTarget.value)}
        maxLength={200}
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
        error={signIn.isError ? errorMessage(signIn.error) : undefined}
        visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the password' }}
        size="md"
        required
        withAsterisk={false}
      />
      <Button type="submit" size="md" fullWidth loading={signIn.isPending}>
        Sign in
      </Button>
    </form>
  )
}
