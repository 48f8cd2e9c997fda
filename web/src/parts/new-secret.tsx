// The dialog that creates a key or a token, and shows it once.
import { Button, NativeSelect, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { textsOf } from '../text/texts.ts'
import { Dialog } from './dialog.tsx'
import { SecretDialog } from './secret-dialog.tsx'
import { ErrorAlert } from './states.tsx'

export interface NewSecretValues<Kind extends string> {
  name: string
  kind: Kind
  /** Null: it never expires. */
  expiration_days: number | null
}

interface NewSecretProps<Kind extends string> {
  is: 'key' | 'token'
  texts: { title: string; create: string; nameHelp: string; nameExample?: string }
  maxName: number
  /** The permissions to choose from; the first is chosen at the beginning. */
  kinds: readonly { value: Kind; label: string }[]
  /** Says below the choice what the permissions allow. */
  explain?: (kind: Kind) => ReactNode
  /** Resolves to the secret. */
  create: (values: NewSecretValues<Kind>) => Promise<string>
  onClose: () => void
}

export function NewSecret<Kind extends string>(props: NewSecretProps<Kind>) {
  const { is, texts, maxName, kinds, explain, onClose } = props
  const t = textsOf('parts')
  const [name, setName] = useState('')
  const [kind, setKind] = useState(kinds[0]?.value)
  const [end, setEnd] = useState('90')
  const create = useMutation({ mutationFn: props.create })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() === '' || kind === undefined) return
    create.mutate({ name: name.trim(), kind, expiration_days: end === 'never' ? null : Number(end) })
  }
  if (create.data !== undefined) return <SecretDialog kind={is} secret={create.data} onClose={onClose} />
  return (
    <Dialog title={texts.title} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <TextInput
          label={t('name')}
          description={texts.nameHelp}
          placeholder={texts.nameExample}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          maxLength={maxName}
          required
          withAsterisk={false}
          data-autofocus
        />
        <NativeSelect
          label={t('permissions')}
          value={kind}
          onChange={({ currentTarget: { value } }) => setKind(kinds.find((it) => it.value === value)?.value ?? kind)}
          data={[...kinds]}
        />
        {kind !== undefined && explain?.(kind)}
        <NativeSelect
          label={t('expires')}
          value={end}
          onChange={(event) => setEnd(event.currentTarget.value)}
          data={expirations()}
        />
        {create.isError && <ErrorAlert error={create.error} />}
        <div className="dialog-buttons">
          <Button variant="default" onClick={onClose}>
            {t('cancel')}
          </Button>
          <Button type="submit" loading={create.isPending} disabled={name.trim() === ''}>
            {texts.create}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function expirations(): { value: string; label: string }[] {
  const t = textsOf('parts.new_secret')
  return [
    ...[30, 90].map((days) => ({ value: String(days), label: t('days', { days }) })),
    { value: '365', label: t('year') },
    { value: 'never', label: t('never') },
  ]
}
