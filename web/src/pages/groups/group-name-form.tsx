import { TextInput } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { errorMessage } from '../../api.ts'
import { textsOf } from '../../text/texts.ts'

interface Props {
  name: string
  description: string
  error: unknown
  onSubmit: (name: string) => void
  /** The buttons. */
  children: ReactNode
}

export function GroupNameForm({ name, description, error, onSubmit, children }: Props) {
  const [text, setText] = useState(name)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSubmit(text.trim())
  }
  return (
    <form className="stack" onSubmit={submit}>
      <TextInput
        label={textsOf('parts')('name')}
        description={description}
        maxLength={500}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        error={error === null ? undefined : errorMessage(error)}
        autoComplete="off"
        required
        withAsterisk={false}
      />
      <div className="dialog-buttons">{children}</div>
    </form>
  )
}
