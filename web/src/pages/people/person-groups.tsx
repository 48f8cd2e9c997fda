// The groups of a person. Those of another place are shown, and only that place changes them.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { addUsersToGroup, removeUsersFromGroup } from '../../../../src/client/operations.ts'
import type { PersonDetails } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { EndButton } from '../../parts/record-table.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { GroupPicker } from './group-picker.tsx'

const MANUAL = 'manual'

export function PersonGroups({ personId, groups }: { personId: string; groups: PersonDetails['groups'] }) {
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
    <section aria-label="Groups" className="people-part">
      <h3>Groups</h3>
      {groups.length === 0 && <p className="dimmed small">The person belongs to no group.</p>}
      <ul className="people-list">
        {groups.map(({ id, name, origin, is_curator }) => (
          <li key={id} className="row">
            <span className="long-text">
              <bdi>{name}</bdi>
              <span className="small dimmed">
                {is_curator && ' · curator'}
                {origin !== MANUAL && ` · managed by ${origin}`}
              </span>
            </span>
            {origin === MANUAL && (
              <EndButton
                label="Remove"
                longLabel={`Remove from the group ${name}`}
                isPending={remove.isPending && remove.variables === id}
                onClick={() => remove.mutate(id)}
              />
            )}
          </li>
        ))}
      </ul>
      <GroupPicker
        label="Another group"
        isPending={add.isPending}
        onPick={({ id, name }) => {
          setUnknown(id === null ? name : null)
          if (id !== null) add.mutate(id)
        }}
      />
      {unknown !== null && (
        <p className="small" role="alert">
          There is no group “<bdi>{unknown}</bdi>”.
        </p>
      )}
      {error !== null && <ErrorAlert error={error} />}
    </section>
  )
}
