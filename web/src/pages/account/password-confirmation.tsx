// Asks for the password before a change of how the person signs in.
import { Button, PasswordInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { errorMessage } from '../../api.ts'

interface PasswordConfirmationProps {
  action: string
  error: Error | null
  isPending: boolean
  onConfirm: (password: string) => void
  onCancel: () => void
}

export function PasswordConfirmation({ action, error, isPending, onConfirm, onCancel }: PasswordConfirmationProps) {
  const [password, setPassword] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (password !== '') onConfirm(password)
  }
  return (
    <form className="stack" onSubmit={submit}>
      <PasswordInput
        label="Your password"
        autoComplete="current-password"
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        error={error === null ? undefined : errorMessage(error)}
        visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the password' }}
        autoFocus
      />
      <div className="row">
        <Button type="submit" loading={isPending} disabled={password === ''}>
          {action}
        </Button>
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  )
}
