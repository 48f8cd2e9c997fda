// The groups of a person. Those of another place are shown, and only that place changes them.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { addUsersToGroup, removeUsersFromGroup } from '../../../../src/client/operations.ts'
import type { PersonDetails } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { EndButton } from '../../parts/record-table.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { GroupPicker } from './group-picker.tsx'

const MANUAL = 'manual'

export function PersonGroups({ personId, groups }: { personId: string; groups: PersonDetails['groups'] }) {
  const t = textsOf('admin.people.details')
  const parts = textsOf('parts')
  const [unknown, setUnknown] = useState<string | null>(null)
  const queryClient = useQueryClient()
  const onSettled = () => queryClient.invalidateQueries({ queryKey: ['people'] })
  const add = useMutation({
    mutationFn: (user_group_id: number) => addUsersToGroup(api, { user_group_id, body: { user_ids: [personId] } }),
    onSettled,
  })
  const remove = useMutation({
    mutationFn: (user_group_id: number) => removeUsersFromGroup(api, { user_group_id, body: { user_ids: [personId] } }),
    onSettled,
  })
  const error = add.error ?? remove.error
  return (
    <section aria-label={parts('groups')} className="people-part">
      <h3>{parts('groups')}</h3>
      {groups.length === 0 && <p className="dimmed small">{t('no_groups')}</p>}
      <ul className="people-list">
        {groups.map(({ id, name, origin, is_curator }) => (
          <li key={id} className="row">
            <span className="long-text">
              <bdi>{name}</bdi> <GroupNote origin={origin} isCurator={is_curator} />
            </span>
            {origin === MANUAL && (
              <EndButton
                label={parts('remove')}
                longLabel={t('remove_from', { name })}
                isPending={remove.isPending && remove.variables === id}
                onClick={() => remove.mutate(id)}
              />
            )}
          </li>
        ))}
      </ul>
      <GroupPicker
        label={t('another_group')}
        isPending={add.isPending}
        onPick={({ id, name }) => {
          setUnknown(id === null ? name : null)
          if (id !== null) add.mutate(id)
        }}
      />
      {unknown !== null && (
        <p className="small" role="alert">
          {t.rich('unknown_group', { name: () => <bdi>{unknown}</bdi> })}
        </p>
      )}
      {error !== null && <ErrorAlert error={error} />}
    </section>
  )
}

function GroupNote({ origin, isCurator }: { origin: string; isCurator: boolean }) {
  const t = textsOf('admin.people.details')
  if (origin === MANUAL) return isCurator && <span className="small dimmed">{t('curates')}</span>
  return <span className="small dimmed">{t(isCurator ? 'curates_managed_by' : 'managed_by', { origin })}</span>
}
