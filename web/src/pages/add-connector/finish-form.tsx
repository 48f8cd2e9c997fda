// The name of the connector, who may read its documents, and when it runs.
import { Button, NativeSelect, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { hasPermission, useMe } from '../../session.ts'
import { textsOf } from '../../text/texts.ts'
import { AccessChoice, type AccessType, type ChosenGroup } from './access-choice.tsx'
import { createPair } from './create-pair.ts'
import { kindTitle } from './kind-texts.ts'
import type { Draft } from './use-draft.ts'

/** In seconds. */
const REFRESH = ['1800', '3600', '21600', '86400', '604800', 'never'] as const
const PRUNE = ['86400', '604800', '2592000', 'never'] as const

export function FinishForm({ draft, onFieldErrors }: { draft: Draft; onFieldErrors: () => void }) {
  const t = textsOf('admin.add_connector')
  const { kind } = draft
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const me = useMe()
  // Curators open documents to groups that they curate, and to nobody else. A key with that role has wider rights.
  const isCurator = me?.role === 'curator' && hasPermission(me, 'read:user_groups')
  const [name, setName] = useState('')
  const [access, setAccess] = useState<AccessType | null>(kind.supports_sync && !isCurator ? 'sync' : null)
  const [groups, setGroups] = useState<readonly ChosenGroup[]>([])
  const [refresh, setRefresh] = useState(kind.source === 'file' ? 'never' : '1800')
  const [prune, setPrune] = useState('86400')
  const create = useMutation({
    mutationFn: (access_type: AccessType) =>
      createPair(draft.body, {
        ...{ name: name.trim() === '' ? kindTitle(kind) : name.trim(), access_type },
        groups: access_type === 'private' ? groups.map((it) => it.name) : [],
        refresh_freq: secondsOf(refresh),
        prune_freq: secondsOf(prune),
      }),
    onSuccess: async (id) => {
      void queryClient.invalidateQueries({ queryKey: ['listing'] })
      await navigate({ to: '/admin/connector/$cc_pair_id', params: { cc_pair_id: String(id) } })
    },
    onError: (error) => {
      draft.showErrors(error)
      setTimeout(onFieldErrors)
    },
  })
  const isCredentialMissing = draft.credentialId === null
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (access !== null && !isCredentialMissing) create.mutate(access)
  }
  return (
    <form className="schema-form" onSubmit={submit} aria-label={t('finish_title')}>
      <TextInput
        label={t('name')}
        description={t('name_help')}
        placeholder={kindTitle(kind)}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        maxLength={1_000}
        dir="auto"
      />
      <AccessChoice
        {...{ access, groups }}
        onAccess={setAccess}
        onGroups={setGroups}
        hasSync={kind.supports_sync && !isCurator}
        hasPublic={!isCurator}
      />
      <NativeSelect
        label={t('refresh')}
        description={t('refresh_help')}
        value={refresh}
        onChange={(event) => setRefresh(event.currentTarget.value)}
        data={REFRESH.map((it) => ({ value: it, label: t(`every.${it}`) }))}
      />
      <NativeSelect
        label={t('prune')}
        description={t('prune_help')}
        value={prune}
        onChange={(event) => setPrune(event.currentTarget.value)}
        data={PRUNE.map((it) => ({ value: it, label: t(`every.${it}`) }))}
      />
      {isCredentialMissing && <p className="small dimmed">{t('credential_missing')}</p>}
      <div>
        <Button type="submit" loading={create.isPending} disabled={isCredentialMissing || access === null}>
          {t('create')}
        </Button>
      </div>
    </form>
  )
}

const secondsOf = (value: string): number | null => (value === 'never' ? null : Number(value))
