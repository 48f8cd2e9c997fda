// Asks for the password before a change of how the person signs in.
import { Button, PasswordInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { errorMessage } from '../../api.ts'
import { textsOf } from '../../text/texts.ts'

interface PasswordConfirmationProps {
  action: string
  error: Error | null
  isPending: boolean
  onConfirm: (password: string) => void
  onCancel: () => void
}

export function PasswordConfirmation({ action, error, isPending, onConfirm, onCancel }: PasswordConfirmationProps) {
  const parts = textsOf('parts')
  const [password, setPassword] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (password !== '') onConfirm(password)
  }
  return (
    <form className="stack" onSubmit={submit}>
      <PasswordInput
        label={textsOf('account.confirm')('label')}
        autoComplete="current-password"
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        error={error === null ? undefined : errorMessage(error)}
        visibilityToggleButtonProps={{ 'aria-label': parts('show_password') }}
        autoFocus
      />
      <div className="row">
        <Button type="submit" loading={isPending} disabled={password === ''}>
          {action}
        </Button>
        <Button variant="default" onClick={onCancel}>
          {parts('cancel')}
        </Button>
      </div>
    </form>
  )
}
