// The people who may use the models of a provider, and the agents with which they may.
import { Checkbox, Radio } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { listUserGroupNames } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { useAgents } from './models-query.ts'
import type { FieldsProps } from './provider-values.ts'

export function AccessFields({ values, set }: FieldsProps) {
  const t = textsOf('admin.models.access')
  return (
    <>
      <Radio.Group
        label={t('who')}
        value={values.isForAll ? 'all' : 'groups'}
        onChange={(value) => set({ isForAll: value === 'all' })}
      >
        <Radio mt="xs" value="all" label={t('all')} />
        <Radio mt="xs" value="groups" label={t('groups')} description={t('groups_help')} />
      </Radio.Group>
      {!values.isForAll && <GroupChoices values={values} set={set} />}
      <AgentChoices values={values} set={set} />
    </>
  )
}

/** Names that the provider has and no group stay in the list. */
function GroupChoices({ values: { groups: chosen }, set }: FieldsProps) {
  const t = textsOf('admin.models.access')
  const [named] = useState(chosen)
  const groups = useQuery({
    queryKey: ['user-groups', 'names'],
    queryFn: ({ signal }) => listUserGroupNames(api, { signal }),
  })
  if (groups.isError) return <ErrorAlert error={groups.error} retry={() => void groups.refetch()} />
  const names = [...new Set([...named, ...(groups.data ?? []).map((it) => it.name)])]
  if (groups.data !== undefined && names.length === 0) return <p className="dimmed">{t('no_groups')}</p>
  return (
    <Choices
      legend={textsOf('parts')('groups')}
      items={names.map((name) => ({ value: name, label: name }))}
      chosen={chosen}
      onChange={(it) => set({ groups: it })}
    />
  )
}

function AgentChoices({ values: { personas: chosen }, set }: FieldsProps) {
  const t = textsOf('admin.models.access')
  const agents = useAgents()
  const [isLimited, setLimited] = useState(chosen.length > 0)
  return (
    <>
      <Checkbox
        label={t('some_agents')}
        description={t('some_agents_help')}
        checked={isLimited}
        onChange={(event) => {
          setLimited(event.currentTarget.checked)
          if (!event.currentTarget.checked) set({ personas: [] })
        }}
      />
      {isLimited && agents.isError && <ErrorAlert error={agents.error} retry={() => void agents.refetch()} />}
      {isLimited && agents.data !== undefined && (
        <Choices
          legend={t('agents')}
          items={agents.data.map(({ id, name }) => ({ value: id, label: name }))}
          chosen={chosen}
          onChange={(it) => set({ personas: it })}
        />
      )}
    </>
  )
}

interface ChoicesProps<Value> {
  legend: string
  items: readonly { value: Value; label: string }[]
  chosen: readonly Value[]
  onChange: (chosen: readonly Value[]) => void
}

const Choices = <Value extends string | number>({ legend, items, chosen, onChange }: ChoicesProps<Value>) => (
  <fieldset className="models-choices">
    <legend>{legend}</legend>
    {items.map(({ value, label }) => (
      <Checkbox
        key={value}
        label={<bdi>{label}</bdi>}
        checked={chosen.includes(value)}
        onChange={(event) =>
          onChange(event.currentTarget.checked ? [...chosen, value] : chosen.filter((it) => it !== value))
        }
      />
    ))}
  </fieldset>
)
