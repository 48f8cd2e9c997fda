import { Badge, Button } from '@mantine/core'
import type { FullUserSnapshot } from '../../../../src/client/schemas.ts'
import { RecordTable } from '../../parts/record-table.tsx'
import { Time } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { roleLabel } from './roles.ts'

interface PeopleTableProps {
  people: readonly FullUserSnapshot[]
  onOpen: (id: string) => void
}

export function PeopleTable({ people, onOpen }: PeopleTableProps) {
  const t = textsOf('admin.people')
  const parts = textsOf('parts')
  return (
    <RecordTable
      label={t('title')}
      rows={people}
      keyOf={({ id }) => id}
      columns={[
        { label: t('person'), className: 'long-text', cell: (it) => <Person person={it} onOpen={onOpen} /> },
        { label: parts('role'), className: 'nowrap', cell: ({ role }) => roleLabel(role) },
        { label: t('state'), className: 'nowrap', cell: ({ is_active }) => <State isActive={is_active} /> },
        {
          ...{ label: parts('groups'), className: 'long-text' },
          cell: ({ groups }) => <bdi>{groups.map(({ name }) => name).join(', ')}</bdi>,
        },
        { label: t('last_seen'), className: 'nowrap', cell: (it) => <Time at={it.last_seen_at} /> },
      ]}
    />
  )
}

const Person = ({ person, onOpen }: { person: FullUserSnapshot; onOpen: (id: string) => void }) => (
  <>
    <button type="button" className="link-button" onClick={() => onOpen(person.id)}>
      <bdi>{person.email}</bdi>
    </button>
    {person.personal_name !== null && (
      <div className="small dimmed">
        <bdi>{person.personal_name}</bdi>
      </div>
    )}
  </>
)

const State = ({ isActive }: { isActive: boolean }) => (
  <Badge variant="light" tt="none" miw="max-content" color={isActive ? 'green' : 'red'}>
    {textsOf('admin.people.states')(isActive ? 'active' : 'suspended')}
  </Badge>
)

interface PagesProps {
  page: number
  pageSize: number
  total: number
  onPage: (page: number) => void
}

export function Pages({ page, pageSize, total, onPage }: PagesProps) {
  const parts = textsOf('parts')
  const range = { total, from: page * pageSize + 1, to: Math.min(total, (page + 1) * pageSize) }
  return (
    <div className="section-end row">
      <Button size="xs" variant="default" disabled={page === 0} onClick={() => onPage(page - 1)}>
        {parts('previous_page')}
      </Button>
      <span className="small dimmed" role="status">
        {textsOf('admin.people')('range', range)}
      </span>
      <Button size="xs" variant="default" disabled={range.to >= total} onClick={() => onPage(page + 1)}>
        {parts('next_page')}
      </Button>
    </div>
  )
}
