import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { createUserGroup } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { GroupNameForm } from './group-name-form.tsx'
import { useReloadGroups } from './groups-query.ts'

/** Members and connectors are chosen on the page of the new group. */
export function CreateGroup({ onClose }: { onClose: () => void }) {
  const reload = useReloadGroups()
  const navigate = useNavigate()
  const create = useMutation({
    mutationFn: (name: string) => createUserGroup(api, { body: { name, user_ids: [] } }),
    onSuccess: async ({ id }) => {
      await reload()
      await navigate({ to: '/admin/$page/{-$id}', params: { page: 'groups', id: String(id) } })
    },
  })
  return (
    <Dialog title="New group" onClose={onClose}>
      <GroupNameForm
        name=""
        description="Documents, connectors and personas that already name the group are open to its members."
        error={create.error}
        onSubmit={create.mutate}
      >
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" loading={create.isPending}>
          Create group
        </Button>
      </GroupNameForm>
    </Dialog>
  )
}
