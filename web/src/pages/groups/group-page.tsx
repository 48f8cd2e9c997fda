// One group: its members and curators, the connectors that it opens, and what else names it.
import { Button } from '@mantine/core'
import { skipToken, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { UserGroup } from '../../../../src/client/schemas.ts'
import { AdminLink } from '../../admin/admin-link.tsx'
import { isNotFound } from '../../api.ts'
import { Icon } from '../../parts/icon.tsx'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { hasPermission, useMe } from '../../session.ts'
import { DeleteGroup } from './delete-group.tsx'
import { GroupConnectors } from './group-connectors.tsx'
import { GroupMembers } from './group-members.tsx'
import { isManual, originLabel, originReason } from './group-origin.ts'
import { groupQuery } from './groups-query.ts'
import { NamedRecords } from './named-records.tsx'
import { RenameGroup } from './rename-group.tsx'

const readId = (text: string): number | null => (/^\d{1,15}$/.test(text) ? Number(text) : null)

export function GroupPage({ id: text }: { id: string }) {
  const id = readId(text)
  const group = useQuery({ ...groupQuery(id ?? 0), ...(id === null && { queryFn: skipToken }) })
  const name = group.data?.name
  useEffect(() => {
    document.title = `${name ?? 'Group'} · Pharos`
  }, [name])
  if (id === null || isNotFound(group.error)) return <GroupNotFound />
  return (
    <>
      <AdminLink page="groups" className="group-back">
        <Icon name="back" size={16} /> Groups
      </AdminLink>
      {group.isError && <ErrorAlert error={group.error} retry={() => void group.refetch()} />}
      {group.isPending && <LoadingSkeleton lines={8} />}
      {group.data !== undefined && <GroupDetails group={group.data} />}
    </>
  )
}

const GroupNotFound = () => (
  <EmptyState icon="document" title="This group does not exist" heading="h1">
    It may have been deleted, or you do not curate it. <AdminLink page="groups">Go to the groups</AdminLink>.
  </EmptyState>
)

function GroupDetails({ group }: { group: UserGroup }) {
  const isAdmin = hasPermission(useMe(), 'admin')
  const [dialog, setDialog] = useState<'rename' | 'delete' | null>(null)
  const isOurs = isManual(group.origin)
  const close = () => setDialog(null)
  return (
    <>
      <div className="page-head">
        <div className="long-text">
          <h1>
            <bdi>{group.name}</bdi>
          </h1>
          <p>{isOurs ? 'This group was created here.' : <bdi>{originLabel(group.origin)}</bdi>}</p>
        </div>
        {isAdmin && isOurs && (
          <div className="row">
            <Button variant="default" onClick={() => setDialog('rename')}>
              Rename
            </Button>
            <Button variant="default" onClick={() => setDialog('delete')}>
              Delete
            </Button>
          </div>
        )}
      </div>
      <div className="stack">
        {!isOurs && (
          <p className="card card-pad long-text" role="note">
            {originReason(group.origin)} Here you choose {isAdmin && 'its curators and '}its connectors.
          </p>
        )}
        <GroupMembers group={group} mayChange={isOurs} isAdmin={isAdmin} />
        <GroupConnectors group={group} />
        <NamedRecords title="Document sets" records={group.document_sets} />
        <NamedRecords title="Personas" records={group.personas} />
        {isAdmin && <NamedRecords title="Keys" records={group.api_keys} />}
      </div>
      {dialog === 'rename' && <RenameGroup group={group} onClose={close} />}
      {dialog === 'delete' && <DeleteGroup group={group} onClose={close} />}
    </>
  )
}
