import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { deleteUserGroup } from '../../../../src/client/operations.ts'
import type { UserGroup } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { formatCount } from '../../parts/text.tsx'
import { useReloadGroups } from './groups-query.ts'

export function DeleteGroup({ group, onClose }: { group: UserGroup; onClose: () => void }) {
  const reload = useReloadGroups()
  const navigate = useNavigate()
  const remove = useMutation({
    mutationFn: () => deleteUserGroup(api, { user_group_id: group.id }),
    onSuccess: async () => {
      await navigate({ to: '/admin/$page/{-$id}', params: { page: 'groups', id: undefined } })
      await reload()
    },
  })
  return (
    <Dialog title="Delete the group?" onClose={onClose}>
      <p className="long-text">
        <bdi>{group.name}</bdi> is deleted with the next request. This cannot be undone.
      </p>
      <ul className="long-text">
        {consequences(group).map((it) => (
          <li key={it}>{it}</li>
        ))}
      </ul>
      {remove.isError && <ErrorAlert error={remove.error} />}
      <div className="dialog-buttons">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
          Delete group
        </Button>
      </div>
    </Dialog>
  )
}

const counted = (count: number, one: string, many: string): string[] =>
  count === 0 ? [] : [`${formatCount(count)} ${count === 1 ? one : many}`]

function consequences({ users, curator_ids, api_keys, cc_pairs, document_sets, personas }: UserGroup): string[] {
  const named = [
    ...counted(cc_pairs.length, 'connector', 'connectors'),
    ...counted(document_sets.length, 'document set', 'document sets'),
    ...counted(personas.length, 'persona', 'personas'),
  ]
  return [
    ...counted(users.length, 'member loses', 'members lose').map((it) => `${it} what only this group opens.`),
    ...counted(curator_ids.length, 'curator no longer curates', 'curators no longer curate').map(
      (it) => `${it} it. A curator of no other group is a basic person again.`,
    ),
    ...counted(api_keys.length, 'key loses', 'keys lose').map(
      (it) => `${it} the group. A key that names no other group then belongs to none.`,
    ),
    ...(named.length === 0 ? [] : [`These no longer name it: ${named.join(', ')}. What is private stays private.`]),
    'Invitations no longer name it, and its limits are deleted.',
  ]
}
