import { Button, NativeSelect, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { postAdminApiKey } from '../../../src/client/operations.ts'
import type { ApiKeyArgs } from '../../../src/client/schemas.ts'
import { api } from '../api.ts'
import { CodeBlock } from '../parts/copy.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Failure } from '../parts/states.tsx'

const KINDS: Record<string, { label: string; args: ApiKeyArgs }> = {
  push: { label: 'Push documents', args: { role: 'limited', scopes: ['ingest'] } },
  both: { label: 'Push documents and search', args: { role: 'limited', scopes: ['ingest', 'search'] } },
  search: { label: 'Search', args: { role: 'basic', scopes: null } },
  curator: { label: 'Manage connectors and their documents', args: { role: 'curator', scopes: null } },
  admin: { label: 'Everything (administrator)', args: { role: 'admin', scopes: null } },
}
const ENDS = [
  { value: '30', label: 'in 30 days' },
  { value: '90', label: 'in 90 days' },
  { value: '365', label: 'in a year' },
  { value: 'never', label: 'never' },
]

export function NewKey({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('')
  const [kind, setKind] = useState('push')
  const [end, setEnd] = useState('90')
  const queries = useQueryClient()
  const make = useMutation({
    mutationFn: () =>
      postAdminApiKey(api, {
        body: {
          ...KINDS[kind]!.args,
          name: name.trim(),
          expiration_days: end === 'never' ? null : Number(end),
        },
      }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['keys'] }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() !== '') make.mutate()
  }
  if (make.data?.api_key) return <MadeKey secret={make.data.api_key} onClose={onClose} />
  return (
    <Dialog title="New key" onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <TextInput
          label="Name"
          description="What uses it, so that you know later."
          placeholder="Wiki export"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          maxLength={1_000}
          required
          withAsterisk={false}
          data-autofocus
        />
        <NativeSelect
          label="It may"
          value={kind}
          onChange={(event) => setKind(event.currentTarget.value)}
          data={Object.entries(KINDS).map(([value, { label }]) => ({ value, label }))}
        />
        <NativeSelect label="It ends" value={end} onChange={(event) => setEnd(event.currentTarget.value)} data={ENDS} />
        {make.isError && <Failure error={make.error} />}
        <div className="dialog-buttons">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={make.isPending} disabled={name.trim() === ''}>
            Make the key
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

const MadeKey = ({ secret, onClose }: { secret: string; onClose: () => void }) => (
  <Dialog title="Copy the key now" onClose={onClose}>
    <p className="dimmed">It is shown this once: only a hash of it is kept.</p>
    <CodeBlock text={secret} label="The new key" isWord />
    <div className="dialog-buttons">
      <Button onClick={onClose}>I have it</Button>
    </div>
  </Dialog>
)
