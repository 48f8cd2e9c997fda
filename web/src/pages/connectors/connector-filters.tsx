import { NativeSelect, TextInput } from '@mantine/core'
import { Icon } from '../../parts/icon.tsx'
import { textsOf } from '../../text/texts.ts'
import { type ShownState, STATES } from './status.tsx'

export const ALL_STATES = 'all' as const

interface Props {
  name: string
  state: ShownState | typeof ALL_STATES
  onChange: (filter: { name: string; state: string }) => void
}

export function ConnectorFilters({ name, state, onChange }: Props) {
  const t = textsOf('admin.connectors')
  const labels = textsOf('admin.connectors.status')
  const states = Object.keys(STATES).filter((it): it is ShownState => it in STATES)
  return (
    <div className="row connector-filters">
      <TextInput
        aria-label={t('filter_name')}
        placeholder={t('filter_name')}
        maxLength={500}
        value={name}
        onChange={(event) => onChange({ name: event.currentTarget.value, state })}
        leftSection={<Icon name="filter" size={16} />}
      />
      <NativeSelect
        aria-label={t('filter_state')}
        value={state}
        onChange={(event) => onChange({ name, state: event.currentTarget.value })}
        data={[
          { value: ALL_STATES, label: t('all_states') },
          ...states.map((value) => ({ value, label: labels(`states.${value}`) })),
        ]}
      />
    </div>
  )
}
