import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { renameUserGroup } from '../../../../src/client/operations.ts'
import type { UserGroup } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { textsOf } from '../../text/texts.ts'
import { GroupNameForm } from './group-name-form.tsx'
import { useReloadGroups } from './groups-query.ts'

export function RenameGroup({ group, onClose }: { group: UserGroup; onClose: () => void }) {
  const t = textsOf('admin.groups.renaming')
  const reload = useReloadGroups()
  const rename = useMutation({
    mutationFn: (name: string) => renameUserGroup(api, { body: { id: group.id, name } }),
    onSuccess: async () => {
      await reload()
      onClose()
    },
  })
  return (
    <Dialog title={t('title')} onClose={onClose}>
      <GroupNameForm name={group.name} description={t('help')} error={rename.error} onSubmit={rename.mutate}>
        <Button variant="default" onClick={onClose}>
          {textsOf('parts')('cancel')}
        </Button>
        <Button type="submit" loading={rename.isPending}>
          {textsOf('admin.groups')('rename')}
        </Button>
      </GroupNameForm>
    </Dialog>
  )
}
