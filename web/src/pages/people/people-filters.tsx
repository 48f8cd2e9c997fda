import { NativeSelect, TextInput } from '@mantine/core'
import { textsOf } from '../../text/texts.ts'
import { ROLES, roleChoices } from './roles.ts'

export interface PeopleFilter {
  q: string
  role: string
  state: string
  page: number
}

const STATES = ['all', 'active', 'suspended'] as const

export const ALL_PEOPLE: PeopleFilter = { q: '', role: 'all', state: 'all', page: 0 }

interface PeopleFiltersProps {
  filter: PeopleFilter
  onChange: (filter: PeopleFilter) => void
}

/** A change leads to the first page. */
export function PeopleFilters({ filter, onChange }: PeopleFiltersProps) {
  const t = textsOf('admin.people')
  return (
    <div className="row people-filters">
      <TextInput
        aria-label={t('search')}
        placeholder={t('search_example')}
        maxLength={500}
        value={filter.q}
        onChange={(event) => onChange({ ...filter, q: event.currentTarget.value, page: 0 })}
      />
      <NativeSelect
        aria-label={textsOf('parts')('role')}
        value={filter.role}
        onChange={(event) => onChange({ ...filter, role: event.currentTarget.value, page: 0 })}
        data={[{ value: 'all', label: t('all_roles') }, ...roleChoices(ROLES)]}
      />
      <NativeSelect
        aria-label={t('state')}
        value={filter.state}
        onChange={(event) => onChange({ ...filter, state: event.currentTarget.value, page: 0 })}
        data={STATES.map((value) => ({ value, label: t(`states.${value}`) }))}
      />
    </div>
  )
}
