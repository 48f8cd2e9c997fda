// The choice of who reads the documents of a connector: everybody, or groups.
import { Button, Checkbox, Radio } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { listUserGroupNames, setCcPairAccess } from '../../../../src/client/operations.ts'
import type { CCPairFullInfo } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'

interface Props {
  pair: CCPairFullInfo
  onClose: () => void
}

export function ChooseAccess({ pair, onClose }: Props) {
  const t = textsOf('admin.connector.access')
  if (pair.access_type !== 'sync') return <AccessForm pair={pair} onClose={onClose} />
  return (
    <Dialog title={t('title')} onClose={onClose}>
      <p>{t('sync_help')}</p>
      <div className="dialog-buttons">
        <Button onClick={onClose}>{t('close')}</Button>
      </div>
    </Dialog>
  )
}

function AccessForm({ pair, onClose }: Props) {
  const t = textsOf('admin.connector.access')
  const queryClient = useQueryClient()
  const [type, setType] = useState<'public' | 'private'>(pair.access_type === 'public' ? 'public' : 'private')
  const [chosen, setChosen] = useState<readonly string[]>(() => pair.groups.map(String))
  const save = useMutation({
    mutationFn: () =>
      setCcPairAccess(api, {
        cc_pair_id: pair.id,
        body: { access_type: type, groups: type === 'public' ? [] : [...chosen] },
      }),
    onSuccess: async () => {
      await queryClient.invalidateQueries()
      onClose()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  const opens = type === 'public' && pair.access_type !== 'public'
  return (
    <Dialog title={t('title')} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <Radio.Group
          label={t('who')}
          value={type}
          onChange={(value) => setType(value === 'public' ? 'public' : 'private')}
        >
          <Radio mt="xs" value="public" label={t('public')} description={t('public_help')} />
          <Radio mt="xs" value="private" label={t('private')} description={t('private_help')} />
        </Radio.Group>
        {type === 'private' && <GroupChoices chosen={chosen} onChange={setChosen} />}
        {opens && <p role="status">{t('opens')}</p>}
        {save.isError && <ErrorAlert error={save.error} />}
        <div className="dialog-buttons">
          <Button variant="default" onClick={onClose}>
            {t('cancel')}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {t('submit')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

/** Groups that the connector names and nobody created stay in the list. */
function GroupChoices({
  chosen,
  onChange,
}: {
  chosen: readonly string[]
  onChange: (names: readonly string[]) => void
}) {
  const t = textsOf('admin.connector.access')
  const groups = useQuery({
    queryKey: ['user-groups', 'names'],
    queryFn: ({ signal }) => listUserGroupNames(api, { signal }),
  })
  const [named] = useState(chosen)
  const names = [...new Set([...named, ...(groups.data ?? []).map((it) => it.name)])]
  const toggle = (name: string) =>
    onChange(chosen.includes(name) ? chosen.filter((it) => it !== name) : [...chosen, name])
  if (groups.isError) return <ErrorAlert error={groups.error} retry={() => void groups.refetch()} />
  if (groups.data !== undefined && names.length === 0) return <p className="dimmed">{t('no_groups')}</p>
  return (
    <fieldset className="connector-choices">
      <legend>{t('groups')}</legend>
      {names.map((name) => (
        <Checkbox key={name} label={<bdi>{name}</bdi>} checked={chosen.includes(name)} onChange={() => toggle(name)} />
      ))}
    </fieldset>
  )
}
