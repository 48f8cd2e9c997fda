// People for administrators: a list by page, and a dialog for each person.
import { Button } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { listUsers } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { CsvLink } from '../../parts/csv/csv-button.tsx'
import { isKeyOf } from '../../parts/is-key-of.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { textsOf } from '../../text/texts.ts'
import { ImportPeople } from './import-people.tsx'
import { Invitations } from './invitations.tsx'
import { InvitePeople } from './invite-people.tsx'
import { ALL_PEOPLE, type PeopleFilter, PeopleFilters } from './people-filters.tsx'
import { Pages, PeopleTable } from './people-table.tsx'
import { PersonDialog } from './person-dialog.tsx'
import { isRole } from './roles.ts'
import './people.css'

const USERS_CSV = '/api/manage/admin/users/csv'
const PAGE_SIZE = 25
const STATES = { all: null, active: true, suspended: false }

export function PeoplePage() {
  const t = textsOf('admin.people')
  const [filter, setFilter] = useState(ALL_PEOPLE)
  const [dialog, setDialog] = useState<'invite' | 'import' | null>(null)
  useTitle(t('title'))
  return (
    <>
      <PageHead title={t('title')} help={t('help')}>
        <CsvLink href={USERS_CSV} file="people" />
        <Button variant="default" onClick={() => setDialog('import')}>
          {t('import')}
        </Button>
        <Button onClick={() => setDialog('invite')}>{t('invite')}</Button>
      </PageHead>
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
        roles: isRole(filter.role) ? filter.role : null,
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

function NoPeople({ filter: { q, role, state } }: { filter: PeopleFilter }) {
  const t = textsOf('admin.people')
  return q.trim() === '' && role === 'all' && state === 'all' ? (
    <EmptyState icon="document" title={t('nobody')}>
      {t('nobody_help')}
    </EmptyState>
  ) : (
    <EmptyState icon="filter" title={t('no_match')} />
  )
}
