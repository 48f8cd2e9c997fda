import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { renameUserGroup } from '../../../../src/client/operations.ts'
import type { UserGroup } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { GroupNameForm } from './group-name-form.tsx'
import { useReloadGroups } from './groups-query.ts'

export function RenameGroup({ group, onClose }: { group: UserGroup; onClose: () => void }) {
  const reload = useReloadGroups()
  const rename = useMutation({
    mutationFn: (name: string) => renameUserGroup(api, { body: { id: group.id, name } }),
    onSuccess: async () => {
      await reload()
      onClose()
    },
  })
  return (
    <Dialog title="Rename the group" onClose={onClose}>
      <GroupNameForm
        name={group.name}
        description="Connectors, document sets, personas and invitations get the new name. Documents whose source names the group keep the old one, and are then closed to its members."
        error={rename.error}
        onSubmit={rename.mutate}
      >
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" loading={rename.isPending}>
          Rename
        </Button>
      </GroupNameForm>
    </Dialog>
  )
}
