// People for administrators: a list by page, and a dialog for each person.
import { Badge, Button, NativeSelect, Table, TextInput } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { listUsers } from '../../../src/client/operations.ts'
import type { FullUserSnapshot } from '../../../src/client/schemas.ts'
import { api } from '../api.ts'
import { isKeyOf } from '../parts/is-key-of.ts'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../parts/states.tsx'
import { TableFrame } from '../parts/table-frame.tsx'
import { formatCount, Time } from '../parts/text.tsx'
import { ImportPeople } from './import-people.tsx'
import { Invitations } from './invitations.tsx'
import { InvitePeople } from './invite-people.tsx'
import { PersonDialog } from './person-dialog.tsx'
import { ROLE_LABELS } from './roles.ts'
import './people.css'

const USERS_CSV = '/api/manage/admin/users/csv'
const PAGE_SIZE = 25
const STATES = { all: null, active: true, suspended: false }

export function PeoplePage() {
  const [filter, setFilter] = useState({ q: '', role: 'all', state: 'all', page: 0 })
  const [dialog, setDialog] = useState<'invite' | 'import' | null>(null)
  const [openId, setOpenId] = useState<string | null>(null)
  useEffect(() => {
    document.title = 'People · Pharos'
  }, [])
  const people = useQuery({
    queryKey: ['people', filter],
    queryFn: ({ signal }) =>
      listUsers(api, {
        q: filter.q.trim() === '' ? null : filter.q.trim(),
        roles: isKeyOf(ROLE_LABELS, filter.role) ? filter.role : null,
        is_active: isKeyOf(STATES, filter.state) ? STATES[filter.state] : null,
        page_num: filter.page,
        page_size: PAGE_SIZE,
        signal,
      }),
    placeholderData: keepPreviousData,
  })
  const open = people.data?.items.find((it) => it.id === openId)
  return (
    <>
      <div className="page-head">
        <div>
          <h1>People</h1>
          <p>Everybody who may sign in, or for whom a key acts.</p>
        </div>
        <div className="row people-tools">
          <Button component="a" variant="default" href={USERS_CSV} download="people.csv">
            Export CSV
          </Button>
          <Button variant="default" onClick={() => setDialog('import')}>
            Import CSV
          </Button>
          <Button onClick={() => setDialog('invite')}>Invite people</Button>
        </div>
      </div>
      <div className="row people-tools people-filters">
        <TextInput
          aria-label="Search people"
          placeholder="Address or name"
          maxLength={500}
          value={filter.q}
          onChange={(event) => setFilter({ ...filter, q: event.currentTarget.value, page: 0 })}
        />
        <NativeSelect
          aria-label="Role"
          value={filter.role}
          onChange={(event) => setFilter({ ...filter, role: event.currentTarget.value, page: 0 })}
          data={[
            { value: 'all', label: 'All roles' },
            ...Object.entries(ROLE_LABELS).map(([value, label]) => ({ value, label })),
          ]}
        />
        <NativeSelect
          aria-label="State"
          value={filter.state}
          onChange={(event) => setFilter({ ...filter, state: event.currentTarget.value, page: 0 })}
          data={[
            { value: 'all', label: 'Active and suspended' },
            { value: 'active', label: 'Active' },
            { value: 'suspended', label: 'Suspended' },
          ]}
        />
      </div>
      {people.isError && <ErrorAlert error={people.error} retry={() => void people.refetch()} />}
      {people.isPending && <LoadingSkeleton lines={8} />}
      {people.data !== undefined && (
        <div className="card">
          {people.data.items.length === 0 ? (
            <EmptyState icon="filter" title="Nobody matches the filters" />
          ) : (
            <PeopleTable people={people.data.items} onOpen={setOpenId} />
          )}
          <Pages page={filter.page} total={people.data.total_items} onPage={(page) => setFilter({ ...filter, page })} />
        </div>
      )}
      <Invitations />
      {dialog === 'invite' && <InvitePeople onClose={() => setDialog(null)} />}
      {dialog === 'import' && <ImportPeople onClose={() => setDialog(null)} />}
      {open !== undefined && <PersonDialog person={open} onClose={() => setOpenId(null)} />}
    </>
  )
}

interface TableProps {
  people: readonly FullUserSnapshot[]
  onOpen: (id: string) => void
}

const PeopleTable = ({ people, onOpen }: TableProps) => (
  <TableFrame label="People">
    <Table verticalSpacing="sm" horizontalSpacing="md" miw="44rem">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Person</Table.Th>
          <Table.Th>Role</Table.Th>
          <Table.Th>State</Table.Th>
          <Table.Th>Groups</Table.Th>
          <Table.Th>Last seen</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {people.map((it) => (
          <Table.Tr key={it.id}>
            <Table.Td className="long-text">
              <button type="button" className="link-button" onClick={() => onOpen(it.id)}>
                <bdi>{it.email}</bdi>
              </button>
              {it.personal_name !== null && (
                <div className="small dimmed">
                  <bdi>{it.personal_name}</bdi>
                </div>
              )}
            </Table.Td>
            <Table.Td className="nowrap">{ROLE_LABELS[it.role]}</Table.Td>
            <Table.Td>
              <Badge variant="light" tt="none" color={it.is_active ? 'green' : 'red'}>
                {it.is_active ? 'Active' : 'Suspended'}
              </Badge>
            </Table.Td>
            <Table.Td className="long-text">
              <bdi>{it.groups.map(({ name }) => name).join(', ')}</bdi>
            </Table.Td>
            <Table.Td className="nowrap">
              <Time at={it.last_seen_at} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </TableFrame>
)

const Pages = ({ page, total, onPage }: { page: number; total: number; onPage: (page: number) => void }) => (
  <div className="section-end row">
    <Button size="xs" variant="default" disabled={page === 0} onClick={() => onPage(page - 1)}>
      Previous page
    </Button>
    <span className="small dimmed" role="status">
      {total === 0
        ? '0 people'
        : `${formatCount(page * PAGE_SIZE + 1)} to ${formatCount(Math.min(total, (page + 1) * PAGE_SIZE))} of ${formatCount(total)}`}
    </span>
    <Button size="xs" variant="default" disabled={(page + 1) * PAGE_SIZE >= total} onClick={() => onPage(page + 1)}>
      Next page
    </Button>
  </div>
)
