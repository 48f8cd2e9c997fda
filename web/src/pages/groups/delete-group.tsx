import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { deleteUserGroup } from '../../../../src/client/operations.ts'
import type { UserGroup } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { useReloadGroups } from './groups-query.ts'

export function DeleteGroup({ group, onClose }: { group: UserGroup; onClose: () => void }) {
  const t = textsOf('admin.groups.deleting')
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
    <Dialog title={t('title')} onClose={onClose}>
      <p className="long-text">{t.rich('help', { name: () => <bdi>{group.name}</bdi> })}</p>
      <ul className="long-text">
        {consequences(group).map((it) => (
          <li key={it}>{it}</li>
        ))}
      </ul>
      {remove.isError && <ErrorAlert error={remove.error} />}
      <div className="dialog-buttons">
        <Button variant="default" onClick={onClose}>
          {textsOf('parts')('cancel')}
        </Button>
        <Button color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
          {t('delete')}
        </Button>
      </div>
    </Dialog>
  )
}

function consequences({ users, curator_ids, api_keys, ...named }: UserGroup): string[] {
  const t = textsOf('admin.groups.deleting')
  const names = listOfNamed(named)
  return [
    ...(users.length === 0 ? [] : [t('members', { count: users.length })]),
    ...(curator_ids.length === 0 ? [] : [t('curators', { count: curator_ids.length })]),
    ...(api_keys.length === 0 ? [] : [t('keys', { count: api_keys.length })]),
    ...(names === '' ? [] : [t('named', { names })]),
    t('others'),
  ]
}

/** For example: 2 connectors, 1 persona. */
function listOfNamed({
  cc_pairs,
  document_sets,
  personas,
}: Pick<UserGroup, 'cc_pairs' | 'document_sets' | 'personas'>): string {
  const t = textsOf('admin.groups.deleting')
  return [
    ...(cc_pairs.length === 0 ? [] : [t('named_connectors', { count: cc_pairs.length })]),
    ...(document_sets.length === 0 ? [] : [t('named_document_sets', { count: document_sets.length })]),
    ...(personas.length === 0 ? [] : [t('named_personas', { count: personas.length })]),
  ].join(', ')
}
