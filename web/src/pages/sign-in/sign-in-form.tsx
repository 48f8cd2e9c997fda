import { Button, PasswordInput, TextInput } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { textsOf } from '../../text/texts.ts'

interface SignInFormProps {
  /** The name at the place that checks the password. */
  nameLabel: string
  nameType?: 'email'
  maxNameLength: number
  /** Shown below the password. */
  error: string | undefined
  isPending: boolean
  onSubmit: (credentials: { name: string; password: string }) => void
  /** Further fields. */
  children?: ReactNode
}

/** A name and a password, as password managers fill them in. */
export function SignInForm({
  nameLabel,
  nameType,
  maxNameLength,
  error,
  isPending,
  onSubmit,
  children,
}: SignInFormProps) {
  const t = textsOf('parts')
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() !== '' && password !== '') onSubmit({ name: name.trim(), password })
  }
  return (
    <form className="stack" onSubmit={submit}>
      <TextInput
        label={nameLabel}
        type={nameType ?? 'text'}
        name="username"
        autoComplete="username"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        maxLength={maxNameLength}
        size="md"
        autoFocus
        required
        withAsterisk={false}
      />
      <PasswordInput
        label={t('password')}
        name="password"
        autoComplete="current-password"
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        error={error}
        visibilityToggleButtonProps={{ 'aria-label': t('show_password') }}
        size="md"
        required
        withAsterisk={false}
      />
      {children}
      <Button type="submit" size="md" fullWidth loading={isPending}>
        {textsOf('sign_in')('sign_in')}
      </Button>
    </form>
  )
}
