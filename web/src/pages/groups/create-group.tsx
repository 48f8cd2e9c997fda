import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { createUserGroup } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { textsOf } from '../../text/texts.ts'
import { GroupNameForm } from './group-name-form.tsx'
import { useReloadGroups } from './groups-query.ts'

/** Members and connectors are chosen on the page of the new group. */
export function CreateGroup({ onClose }: { onClose: () => void }) {
  const t = textsOf('admin.groups')
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
    <Dialog title={t('new')} onClose={onClose}>
      <GroupNameForm name="" description={t('creating.help')} error={create.error} onSubmit={create.mutate}>
        <Button variant="default" onClick={onClose}>
          {textsOf('parts')('cancel')}
        </Button>
        <Button type="submit" loading={create.isPending}>
          {t('creating.create')}
        </Button>
      </GroupNameForm>
    </Dialog>
  )
}
