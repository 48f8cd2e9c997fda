import { NativeSelect, TextInput } from '@mantine/core'
import { ROLE_LABELS } from './roles.ts'

export interface PeopleFilter {
  q: string
  role: string
  state: string
  page: number
}

export const ALL_PEOPLE: PeopleFilter = { q: '', role: 'all', state: 'all', page: 0 }

interface PeopleFiltersProps {
  filter: PeopleFilter
  onChange: (filter: PeopleFilter) => void
}

/** A change leads to the first page. */
export const PeopleFilters = ({ filter, onChange }: PeopleFiltersProps) => (
  <div className="row people-filters">
    <TextInput
      aria-label="Search people"
      placeholder="Address or name"
      maxLength={500}
      value={filter.q}
      onChange={(event) => onChange({ ...filter, q: event.currentTarget.value, page: 0 })}
    />
    <NativeSelect
      aria-label="Role"
      value={filter.role}
      onChange={(event) => onChange({ ...filter, role: event.currentTarget.value, page: 0 })}
      data={[
        { value: 'all', label: 'All roles' },
        ...Object.entries(ROLE_LABELS).map(([value, label]) => ({ value, label })),
      ]}
    />
    <NativeSelect
      aria-label="State"
      value={filter.state}
      onChange={(event) => onChange({ ...filter, state: event.currentTarget.value, page: 0 })}
      data={[
        { value: 'all', label: 'Active and suspended' },
        { value: 'active', label: 'Active' },
        { value: 'suspended', label: 'Suspended' },
      ]}
    />
  </div>
)
