import { Badge, Button } from '@mantine/core'
import type { FullUserSnapshot } from '../../../../src/client/schemas.ts'
import { RecordTable } from '../../parts/record-table.tsx'
import { formatCount, Time } from '../../parts/text.tsx'
import { ROLE_LABELS } from './roles.ts'

interface PeopleTableProps {
  people: readonly FullUserSnapshot[]
  onOpen: (id: string) => void
}

export const PeopleTable = ({ people, onOpen }: PeopleTableProps) => (
  <RecordTable
    label="People"
    rows={people}
    keyOf={({ id }) => id}
    columns={[
      { label: 'Person', className: 'long-text', cell: (it) => <Person person={it} onOpen={onOpen} /> },
      { label: 'Role', className: 'nowrap', cell: ({ role }) => ROLE_LABELS[role] },
      { label: 'State', className: 'nowrap', cell: ({ is_active }) => <State isActive={is_active} /> },
      {
        ...{ label: 'Groups', className: 'long-text' },
        cell: ({ groups }) => <bdi>{groups.map(({ name }) => name).join(', ')}</bdi>,
      },
      { label: 'Last seen', className: 'nowrap', cell: (it) => <Time at={it.last_seen_at} /> },
    ]}
  />
)

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
    {isActive ? 'Active' : 'Suspended'}
  </Badge>
)

interface PagesProps {
  page: number
  pageSize: number
  total: number
  onPage: (page: number) => void
}

export const Pages = ({ page, pageSize, total, onPage }: PagesProps) => (
  <div className="section-end row">
    <Button size="xs" variant="default" disabled={page === 0} onClick={() => onPage(page - 1)}>
      Previous page
    </Button>
    <span className="small dimmed" role="status">
      {total === 0
        ? '0 people'
        : `${formatCount(page * pageSize + 1)} to ${formatCount(Math.min(total, (page + 1) * pageSize))} of ${formatCount(total)}`}
    </span>
    <Button size="xs" variant="default" disabled={(page + 1) * pageSize >= total} onClick={() => onPage(page + 1)}>
      Next page
    </Button>
  </div>
)
