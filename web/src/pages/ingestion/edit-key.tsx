// Changes name, permissions, person, expiration and token limit of a key. Only changed fields are sent.
import { Button, NativeSelect, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { listApiKeys, updateApiKey } from '../../../../src/client/operations.ts'
import type { ApiKeyDescriptor, ApiKeyUpdate } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import type { DifferenceRow } from '../../parts/difference-table.tsx'
import { mergeChanges, saveVersion } from '../../parts/save-version.ts'
import { ErrorAlert } from '../../parts/states.tsx'
import { exactTime, formatCount } from '../../parts/text.tsx'
import { changedRows, TheirChanges } from '../../parts/their-changes.tsx'
import { textsOf } from '../../text/texts.ts'
import { type KeyKind, KINDS, keyName, kindChoices, kindOf, MAX_EMAIL, MAX_NAME, permissionsText } from './key-kinds.ts'

const DAYS = ['30', '90', '365'] as const
const MAX_TOKENS = 1_000_000_000_000

interface Fields {
  name: string
  kind: KeyKind | undefined
  email: string
  /** Days from now, `never`, or `keep`. */
  expires: string
  tokens: string
}

export function EditKey({ apiKey, onClose }: { apiKey: ApiKeyDescriptor; onClose: () => void }) {
  const t = textsOf('admin.ingestion.keys.edit')
  const parts = textsOf('parts')
  const { fields, set, save, theirs } = useKeyForm(apiKey, onClose)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <Dialog title={t('title', { name: keyName(apiKey) })} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <TextInput
          label={parts('name')}
          value={fields.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
          maxLength={MAX_NAME}
          data-autofocus
        />
        <KindSelect kind={fields.kind} onChange={(kind) => set({ kind })} />
        <TextInput
          label={t('person')}
          description={t('person_help')}
          type="email"
          value={fields.email}
          onChange={(event) => set({ email: event.currentTarget.value })}
          maxLength={MAX_EMAIL}
          autoComplete="off"
        />
        <NativeSelect
          label={parts('expires')}
          value={fields.expires}
          onChange={(event) => set({ expires: event.currentTarget.value })}
          data={expirations()}
        />
        <TextInput
          label={t('tokens')}
          description={t('tokens_help')}
          type="number"
          min={0}
          max={MAX_TOKENS}
          value={fields.tokens}
          onChange={(event) => set({ tokens: event.currentTarget.value })}
        />
        <TheirChanges rows={theirs} />
        {save.isError && <ErrorAlert error={save.error} />}
        <div className="dialog-buttons">
          <Button variant="default" onClick={onClose}>
            {parts('cancel')}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {parts('save')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

/** `seen`: the key that the person has seen. `theirs`: what another person changed since the form was opened. */
function useKeyForm(apiKey: ApiKeyDescriptor, onSaved: () => void) {
  const queryClient = useQueryClient()
  const [seen, setSeen] = useState(apiKey)
  const [fields, setFields] = useState(() => fieldsOf(apiKey))
  const [theirs, setTheirs] = useState<readonly DifferenceRow[]>([])
  const save = useMutation({
    mutationFn: () =>
      saveVersion({
        seen,
        save: (it) => saveKey(it, fields),
        read: () => readKey(apiKey.api_key_id),
        isSame: (one, other) => differencesOf(one, other).length === 0,
      }),
    onSuccess: async (result) => {
      await queryClient.invalidateQueries({ queryKey: ['keys'] })
      if (result.state === 'saved') return onSaved()
      setTheirs(differencesOf(seen, result.current))
      setFields(mergeChanges(fieldsOf(seen), fields, fieldsOf(result.current)))
      setSeen(result.current)
    },
  })
  const set = (change: Partial<Fields>) => setFields((it) => ({ ...it, ...change }))
  return { fields, set, save, theirs }
}

const saveKey = (seen: ApiKeyDescriptor, fields: Fields): Promise<ApiKeyDescriptor> =>
  updateApiKey(api, {
    api_key_id: seen.api_key_id,
    body: { ...changeOf(seen, fields), expected_version: seen.version },
  })

/** The key as it is now. */
async function readKey(id: number): Promise<ApiKeyDescriptor> {
  const [key] = await listApiKeys(api, { after: id - 1, limit: 1 })
  if (key?.api_key_id !== id) throw new Error(textsOf('admin.ingestion.keys.edit')('deleted'))
  return key
}

function differencesOf(before: ApiKeyDescriptor, after: ApiKeyDescriptor): DifferenceRow[] {
  const t = textsOf('admin.ingestion.keys.edit')
  const parts = textsOf('parts')
  const row = (label: string, read: (it: ApiKeyDescriptor) => string) => ({
    ...{ name: label, label, before: read(before), after: read(after) },
  })
  return changedRows([
    row(parts('name'), (it) => it.api_key_name ?? ''),
    row(parts('permissions'), permissionsText),
    row(t('person'), (it) => it.user_email ?? ''),
    row(parts('expires'), (it) => (it.expires_at === null ? parts('never') : exactTime(it.expires_at))),
    row(t('tokens'), (it) => (it.daily_token_limit === null ? '' : formatCount(it.daily_token_limit))),
  ])
}

interface KindProps {
  kind: KeyKind | undefined
  onChange: (kind: KeyKind | undefined) => void
}

/** Other permissions than those offered stay as they are, unless the person chooses. */
function KindSelect({ kind, onChange }: KindProps) {
  const choices = kindChoices()
  const other = textsOf('admin.ingestion.keys.edit')('other_permissions')
  return (
    <NativeSelect
      label={textsOf('parts')('permissions')}
      value={kind ?? ''}
      onChange={({ currentTarget: { value } }) => onChange(choices.find((it) => it.value === value)?.value)}
      data={[...(kind === undefined ? [{ value: '', label: other }] : []), ...choices]}
    />
  )
}

function expirations() {
  const t = textsOf('parts.new_secret')
  return [
    { value: 'keep', label: textsOf('admin.ingestion.keys.edit')('keep') },
    ...DAYS.map((days) => ({ value: days, label: t('days', { days: Number(days) }) })),
    { value: 'never', label: t('never') },
  ]
}

const fieldsOf = (apiKey: ApiKeyDescriptor): Fields => ({
  name: apiKey.api_key_name ?? '',
  kind: kindOf(apiKey),
  email: apiKey.user_email ?? '',
  expires: 'keep',
  tokens: apiKey.daily_token_limit === null ? '' : String(apiKey.daily_token_limit),
})

function changeOf(apiKey: ApiKeyDescriptor, fields: Fields): ApiKeyUpdate {
  const before = fieldsOf(apiKey)
  const { name, kind, email, expires, tokens } = fields
  return {
    ...(name.trim() !== before.name && { name: name.trim() === '' ? null : name.trim() }),
    ...(kind !== undefined && kind !== before.kind && KINDS[kind]),
    ...(email.trim() !== before.email && { user_email: email.trim() === '' ? null : email.trim() }),
    ...(expires !== before.expires && { expiration_days: expires === 'never' ? null : Number(expires) }),
    ...(tokens !== before.tokens && { daily_token_limit: tokens === '' ? null : Number(tokens) }),
  }
}
