// One group: its members and curators, the connectors that it opens, and what else names it.
import { Button } from '@mantine/core'
import { skipToken, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { UserGroup } from '../../../../src/client/schemas.ts'
import { AdminLink } from '../../admin/admin-link.tsx'
import { isNotFound } from '../../api.ts'
import { Icon } from '../../parts/icon.tsx'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { hasPermission, useMe } from '../../session.ts'
import { textsOf } from '../../text/texts.ts'
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
  useTitle(name ?? textsOf('admin.groups')('group'))
  if (id === null || isNotFound(group.error)) return <GroupNotFound />
  return (
    <>
      <AdminLink page="groups" className="group-back">
        <Icon name="back" size={16} /> {textsOf('admin.groups')('title')}
      </AdminLink>
      {group.isError && <ErrorAlert error={group.error} retry={() => void group.refetch()} />}
      {group.isPending && <LoadingSkeleton lines={8} />}
      {group.data !== undefined && <GroupDetails group={group.data} />}
    </>
  )
}

function GroupNotFound() {
  const t = textsOf('admin.groups')
  return (
    <EmptyState icon="document" title={t('missing')} heading="h1">
      {t.rich('missing_help', { link: (text) => <AdminLink page="groups">{text}</AdminLink> })}
    </EmptyState>
  )
}

function GroupDetails({ group }: { group: UserGroup }) {
  const t = textsOf('admin.groups')
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
          <p>{isOurs ? t('made_here') : <bdi>{originLabel(group.origin)}</bdi>}</p>
        </div>
        {isAdmin && isOurs && (
          <div className="row">
            <Button variant="default" onClick={() => setDialog('rename')}>
              {t('rename')}
            </Button>
            <Button variant="default" onClick={() => setDialog('delete')}>
              {textsOf('parts')('delete')}
            </Button>
          </div>
        )}
      </div>
      <div className="stack">
        {!isOurs && (
          <p className="card card-pad long-text" role="note">
            {originReason(group.origin)} {t(isAdmin ? 'choose_both' : 'choose_connectors')}
          </p>
        )}
        <GroupMembers group={group} mayChange={isOurs} isAdmin={isAdmin} />
        <GroupConnectors group={group} />
        <NamedRecords title={t('document_sets')} records={group.document_sets} />
        <NamedRecords title={t('personas')} records={group.personas} />
        {isAdmin && <NamedRecords title={t('keys')} records={group.api_keys} />}
      </div>
      {dialog === 'rename' && <RenameGroup group={group} onClose={close} />}
      {dialog === 'delete' && <DeleteGroup group={group} onClose={close} />}
    </>
  )
}
