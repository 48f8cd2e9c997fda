// The choice of the readers of a connector.
import { Checkbox, Radio, TextInput } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { listUserGroups } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'

const ACCESS_TYPES = ['sync', 'public', 'private'] as const
export type AccessType = (typeof ACCESS_TYPES)[number]
export interface ChosenGroup {
  id: number
  name: string
}

interface AccessProps {
  access: AccessType | null
  onAccess: (access: AccessType) => void
  groups: readonly ChosenGroup[]
  onGroups: (groups: readonly ChosenGroup[]) => void
  hasSync: boolean
  hasPublic: boolean
}

export function AccessChoice({ access, onAccess, groups, onGroups, hasSync, hasPublic }: AccessProps) {
  const t = textsOf('admin.add_connector')
  const offered = ACCESS_TYPES.filter((it) => (it !== 'sync' || hasSync) && (it !== 'public' || hasPublic))
  return (
    <>
      <Radio.Group
        label={t('access')}
        value={access ?? ''}
        onChange={(value) => {
          const chosen = offered.find((it) => it === value)
          if (chosen !== undefined) onAccess(chosen)
        }}
        required
      >
        <div className="connect-choices">
          {offered.map((it) => (
            <Radio
              key={it}
              value={it}
              label={t(`access_types.${it}.label`)}
              description={t(`access_types.${it}.help`)}
            />
          ))}
        </div>
      </Radio.Group>
      {access === 'private' && <GroupChoice groups={groups} onGroups={onGroups} />}
    </>
  )
}

const MAX_GROUPS = 20

function GroupChoice({ groups, onGroups }: Pick<AccessProps, 'groups' | 'onGroups'>) {
  const t = textsOf('admin.add_connector')
  const [typed, setTyped] = useState('')
  const q = useDeferredValue(typed.trim())
  const found = useQuery({
    queryKey: ['groups', 'list', 'choice', q],
    queryFn: ({ signal }) => listUserGroups(api, { q: q === '' ? null : q, limit: MAX_GROUPS, signal }),
    placeholderData: keepPreviousData,
  })
  const others = (found.data ?? []).filter((it) => !groups.some(({ id }) => id === it.id))
  return (
    <fieldset className="schema-rows">
      <legend>{t('groups')}</legend>
      <p className="small dimmed">{groups.length === 0 ? t('no_groups') : t('groups_help')}</p>
      <TextInput
        aria-label={t('find_groups')}
        placeholder={t('find_groups')}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        maxLength={500}
        type="search"
      />
      {found.isError && <ErrorAlert error={found.error} />}
      {[...groups, ...others].map(({ id, name }) => (
        <Checkbox
          key={id}
          label={<bdi>{name}</bdi>}
          checked={groups.some((it) => it.id === id)}
          onChange={(event) =>
            onGroups(event.currentTarget.checked ? [...groups, { id, name }] : groups.filter((it) => it.id !== id))
          }
        />
      ))}
    </fieldset>
  )
}
