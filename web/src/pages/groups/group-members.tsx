import { Badge, Button, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { removeUsersFromGroup, setGroupCurator } from '../../../../src/client/operations.ts'
import type { UserGroup } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Icon } from '../../parts/icon.tsx'
import { RecordTable } from '../../parts/record-table.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { formatCount } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { roleLabel } from '../people/roles.ts'
import { AddPeople } from './add-people.tsx'
import { useReloadGroups } from './groups-query.ts'

/** A longer list has a field that searches it. */
const SEARCHED_FROM = 25

interface Props {
  group: UserGroup
  /** Whether the members are chosen here. */
  mayChange: boolean
  isAdmin: boolean
}

type Member = UserGroup['users'][number]

export function GroupMembers({ group, mayChange, isAdmin }: Props) {
  const t = textsOf('admin.groups.member')
  const [text, setText] = useState('')
  const [isAdding, setIsAdding] = useState(false)
  const part = text.trim().toLowerCase()
  const found = group.users.filter((it) => it.email.toLowerCase().includes(part))
  return (
    <section className="card" aria-labelledby="group-members">
      <header className="group-section">
        <h2 id="group-members">
          {t.rich('count', { count: () => <span className="dimmed">({formatCount(group.users.length)})</span> })}
        </h2>
        {mayChange && (
          <Button size="xs" leftSection={<Icon name="plus" size={15} />} onClick={() => setIsAdding(true)}>
            {textsOf('admin.groups.adding')('title')}
          </Button>
        )}
      </header>
      {group.users.length > SEARCHED_FROM && (
        <TextInput
          className="group-section"
          aria-label={t('search')}
          placeholder={t('address')}
          maxLength={500}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      )}
      {group.users.length === 0 && <p className="section-note dimmed">{t('nobody')}</p>}
      {group.users.length > 0 && found.length === 0 && <p className="section-note dimmed">{t('no_match')}</p>}
      {found.length > 0 && <MemberTable group={group} members={found} mayChange={mayChange} isAdmin={isAdmin} />}
      {isAdding && <AddPeople group={group} onClose={() => setIsAdding(false)} />}
    </section>
  )
}

function MemberTable({ group, members, mayChange, isAdmin }: Props & { members: readonly Member[] }) {
  const reload = useReloadGroups()
  const change = useMutation({ mutationFn: (run: () => Promise<unknown>) => run(), onSettled: reload })
  const curators = new Set(group.curator_ids)
  const user_group_id = group.id
  const remove = ({ id }: Member) =>
    change.mutate(() => removeUsersFromGroup(api, { user_group_id, body: { user_ids: [id] } }))
  const setCurator = ({ id }: Member, is_curator: boolean) =>
    change.mutate(() => setGroupCurator(api, { user_group_id, body: { user_id: id, is_curator } }))
  return (
    <>
      {change.isError && <ErrorAlert error={change.error} />}
      <RecordTable
        label={textsOf('admin.groups')('members')}
        rows={members}
        keyOf={({ id }) => id}
        columns={[
          {
            label: textsOf('admin.people')('person'),
            className: 'long-text',
            cell: (it) => <Person member={it} isCurator={curators.has(it.id)} />,
          },
        ]}
        action={(it) => (
          <MemberActions
            member={it}
            isCurator={curators.has(it.id)}
            isBusy={change.isPending}
            {...(isAdmin && { onCurator: setCurator })}
            {...(mayChange && (isAdmin || !curators.has(it.id)) && { onRemove: remove })}
          />
        )}
      />
    </>
  )
}

const Person = ({ member, isCurator }: { member: Member; isCurator: boolean }) => (
  <>
    <bdi>{member.email}</bdi>
    <div className="small dimmed">
      {roleLabel(member.role)} <MemberBadges member={member} isCurator={isCurator} />
    </div>
  </>
)

const MemberBadges = ({ member, isCurator }: { member: Member; isCurator: boolean }) => (
  <>
    {isCurator && (
      <Badge variant="light" tt="none">
        {textsOf('admin.groups.member')('curates')}
      </Badge>
    )}{' '}
    {!member.is_active && (
      <Badge variant="light" tt="none" color="red">
        {textsOf('admin.groups.member')('suspended')}
      </Badge>
    )}
  </>
)

interface ActionProps {
  member: Member
  isCurator: boolean
  isBusy: boolean
  /** Absent if the caller may not do this. */
  onCurator?: (member: Member, isCurator: boolean) => void
  onRemove?: (member: Member) => void
}

function MemberActions({ member, isCurator, isBusy, onCurator, onRemove }: ActionProps) {
  const t = textsOf('admin.groups.member')
  return (
    <div className="group-actions">
      {onCurator !== undefined && (isCurator || member.role !== 'limited') && (
        <Button
          variant="subtle"
          size="compact-sm"
          disabled={isBusy}
          aria-label={t(isCurator ? 'end_curating_of' : 'make_curator_of', { email: member.email })}
          onClick={() => onCurator(member, !isCurator)}
        >
          {t(isCurator ? 'end_curating' : 'make_curator')}
        </Button>
      )}
      {onRemove !== undefined && (
        <Button
          variant="subtle"
          size="compact-sm"
          color="red"
          c="var(--mantine-color-error)"
          disabled={isBusy}
          aria-label={t('remove_of', { email: member.email })}
          onClick={() => onRemove(member)}
        >
          {textsOf('parts')('remove')}
        </Button>
      )}
    </div>
  )
}
