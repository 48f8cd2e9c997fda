// People for administrators: a list by page, and a dialog for each person.
import { Button } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { listUsers } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { isKeyOf } from '../../parts/is-key-of.ts'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { ImportPeople } from './import-people.tsx'
import { Invitations } from './invitations.tsx'
import { InvitePeople } from './invite-people.tsx'
import { ALL_PEOPLE, type PeopleFilter, PeopleFilters } from './people-filters.tsx'
import { Pages, PeopleTable } from './people-table.tsx'
import { PersonDialog } from './person-dialog.tsx'
import { ROLE_LABELS } from './roles.ts'
import './people.css'

const USERS_CSV = '/api/manage/admin/users/csv'
const PAGE_SIZE = 25
const STATES = { all: null, active: true, suspended: false }

export function PeoplePage() {
  const [filter, setFilter] = useState(ALL_PEOPLE)
  const [dialog, setDialog] = useState<'invite' | 'import' | null>(null)
  useEffect(() => {
    document.title = 'People · Pharos'
  }, [])
  return (
    <>
      <div className="page-head">
        <div>
          <h1>People</h1>
          <p>Everybody who may sign in, or for whom a key acts.</p>
        </div>
        <div className="row">
          <Button component="a" variant="default" href={USERS_CSV} download="people.csv">
            Export CSV
          </Button>
          <Button variant="default" onClick={() => setDialog('import')}>
            Import CSV
          </Button>
          <Button onClick={() => setDialog('invite')}>Invite people</Button>
        </div>
      </div>
      <PeopleFilters filter={filter} onChange={setFilter} />
      <PeopleList filter={filter} onPage={(page) => setFilter({ ...filter, page })} />
      <Invitations />
      {dialog === 'invite' && <InvitePeople onClose={() => setDialog(null)} />}
      {dialog === 'import' && <ImportPeople onClose={() => setDialog(null)} />}
    </>
  )
}

function PeopleList({ filter, onPage }: { filter: PeopleFilter; onPage: (page: number) => void }) {
  const [openId, setOpenId] = useState<string | null>(null)
  const people = useQuery({
    queryKey: ['people', 'list', filter],
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
  if (people.isError) return <ErrorAlert error={people.error} retry={() => void people.refetch()} />
  if (people.isPending) return <LoadingSkeleton lines={8} />
  const { items, total_items } = people.data
  const open = items.find((it) => it.id === openId)
  return (
    <div className="card">
      {items.length === 0 && <NoPeople filter={filter} />}
      {items.length > 0 && <PeopleTable people={items} onOpen={setOpenId} />}
      <Pages page={filter.page} pageSize={PAGE_SIZE} total={total_items} onPage={onPage} />
      {open !== undefined && <PersonDialog person={open} onClose={() => setOpenId(null)} />}
    </div>
  )
}

const NoPeople = ({ filter: { q, role, state } }: { filter: PeopleFilter }) =>
  q.trim() === '' && role === 'all' && state === 'all' ? (
    <EmptyState icon="document" title="Nobody yet">
      Invite people, or import a table.
    </EmptyState>
  ) : (
    <EmptyState icon="filter" title="Nobody matches the filters" />
  )
