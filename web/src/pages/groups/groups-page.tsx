// Groups for administrators, and for curators those that they curate: a list by page, and a page for each group.
import { Button, Table, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { UserGroup } from '../../../../src/client/schemas.ts'
import { AdminLink } from '../../admin/admin-link.tsx'
import type { AdminPageProps } from '../../admin/admin-pages.ts'
import { Icon } from '../../parts/icon.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { TableFrame } from '../../parts/table-frame.tsx'
import { formatCount } from '../../parts/text.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { hasPermission, useMe } from '../../session.ts'
import { textsOf } from '../../text/texts.ts'
import { CreateGroup } from './create-group.tsx'
import { originLabel } from './group-origin.ts'
import { GroupPage } from './group-page.tsx'
import { groupsQuery, PAGE_SIZE } from './groups-query.ts'
import './groups.css'

export const GroupsPage = ({ id }: AdminPageProps) => (id === undefined ? <GroupList /> : <GroupPage id={id} />)

const FIRST = { q: '', cursors: [0] }

function GroupList() {
  const t = textsOf('admin.groups')
  const parts = textsOf('parts')
  const isAdmin = hasPermission(useMe(), 'admin')
  /** The last cursor is the id before the page that is shown; those before it lead back. */
  const [{ q, cursors }, setPlace] = useState(FIRST)
  const [isCreating, setIsCreating] = useState(false)
  useTitle(t('title'))
  const groups = useQuery(groupsQuery(q.trim(), cursors.at(-1) ?? 0))
  const shown = groups.data?.slice(0, PAGE_SIZE)
  const last = shown?.at(-1)?.id
  return (
    <>
      <PageHead title={t('title')} help={t(isAdmin ? 'help' : 'help_for_curators')}>
        {isAdmin && (
          <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setIsCreating(true)}>
            {t('new')}
          </Button>
        )}
      </PageHead>
      <TextInput
        className="group-search"
        aria-label={t('search')}
        placeholder={parts('name')}
        maxLength={500}
        value={q}
        onChange={(event) => setPlace({ ...FIRST, q: event.currentTarget.value })}
      />
      {groups.isError && <ErrorAlert error={groups.error} retry={() => void groups.refetch()} />}
      {groups.isPending && <LoadingSkeleton lines={8} />}
      {shown !== undefined && (
        <div className="card">
          {shown.length === 0 ? <NoGroups isFiltered={q.trim() !== ''} /> : <GroupTable groups={shown} />}
          <div className="section-end row">
            <Button
              size="xs"
              variant="default"
              disabled={cursors.length === 1}
              onClick={() => setPlace({ q, cursors: cursors.slice(0, -1) })}
            >
              {parts('previous_page')}
            </Button>
            <Button
              size="xs"
              variant="default"
              disabled={(groups.data?.length ?? 0) <= PAGE_SIZE || groups.isPlaceholderData}
              onClick={() => last !== undefined && setPlace({ q, cursors: [...cursors, last] })}
            >
              {parts('next_page')}
            </Button>
          </div>
        </div>
      )}
      {isCreating && <CreateGroup onClose={() => setIsCreating(false)} />}
    </>
  )
}

function NoGroups({ isFiltered }: { isFiltered: boolean }) {
  const t = textsOf('admin.groups')
  return isFiltered ? (
    <EmptyState icon="filter" title={t('no_match')} />
  ) : (
    <EmptyState icon="document" title={t('empty')}>
      {t('empty_help')}
    </EmptyState>
  )
}

function GroupTable({ groups }: { groups: readonly UserGroup[] }) {
  const t = textsOf('admin.groups')
  return (
    <TableFrame label={t('title')}>
      <Table verticalSpacing="sm" horizontalSpacing="md" miw="40rem">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('group')}</Table.Th>
            <Table.Th>{t('comes_from')}</Table.Th>
            <Table.Th className="number">{t('members')}</Table.Th>
            <Table.Th className="number">{t('curators')}</Table.Th>
            <Table.Th className="number">{t('connectors')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {groups.map((it) => (
            <Table.Tr key={it.id}>
              <Table.Td className="long-text">
                <AdminLink page="groups" id={String(it.id)}>
                  <bdi>{it.name}</bdi>
                </AdminLink>
              </Table.Td>
              <Table.Td className="long-text">
                <bdi>{originLabel(it.origin)}</bdi>
              </Table.Td>
              <Table.Td className="number">{formatCount(it.users.length)}</Table.Td>
              <Table.Td className="number">{formatCount(it.curator_ids.length)}</Table.Td>
              <Table.Td className="number">{formatCount(it.cc_pairs.length)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </TableFrame>
  )
}
