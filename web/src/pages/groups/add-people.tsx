import { Button, Checkbox, TextInput } from '@mantine/core'
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useDeferredValue, useState } from 'react'
import { addUsersToGroup, listUserAddresses } from '../../../../src/client/operations.ts'
import type { UserAddress, UserGroup } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { useReloadGroups } from './groups-query.ts'

const FOUND = 20

/** Chosen people stay chosen while others are looked for. */
export function AddPeople({ group, onClose }: { group: UserGroup; onClose: () => void }) {
  const t = textsOf('admin.groups.adding')
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState<readonly UserAddress[]>([])
  const reload = useReloadGroups()
  const add = useMutation({
    mutationFn: () => addUsersToGroup(api, { user_group_id: group.id, body: { user_ids: chosen.map((it) => it.id) } }),
    onSuccess: async () => {
      await reload()
      onClose()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (chosen.length > 0) add.mutate()
  }
  const toggle = (person: UserAddress) =>
    setChosen((before) =>
      before.some((it) => it.id === person.id) ? before.filter((it) => it.id !== person.id) : [...before, person],
    )
  return (
    <Dialog title={t('title')} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <TextInput
          label={t('search')}
          description={t('search_help')}
          maxLength={500}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          autoComplete="off"
        />
        <FoundPeople text={text} members={group.users} chosen={chosen} onToggle={toggle} />
        <p role="status" className="small long-text">
          {chosen.length === 0 ? (
            <span className="dimmed">{t('nobody_chosen')}</span>
          ) : (
            t.rich('chosen', { names: () => <bdi>{chosen.map((it) => it.email).join(', ')}</bdi> })
          )}
        </p>
        {add.isError && <ErrorAlert error={add.error} />}
        <div className="dialog-buttons">
          <Button variant="default" onClick={onClose}>
            {textsOf('parts')('cancel')}
          </Button>
          <Button type="submit" loading={add.isPending} disabled={chosen.length === 0}>
            {t('add', { count: chosen.length })}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

interface FoundProps {
  text: string
  members: UserGroup['users']
  chosen: readonly UserAddress[]
  onToggle: (person: UserAddress) => void
}

function FoundPeople({ text, members, chosen, onToggle }: FoundProps) {
  const t = textsOf('admin.groups.adding')
  const q = useDeferredValue(text.trim())
  const people = useQuery({
    queryKey: ['people', 'addresses', q],
    // One more shows whether there are others.
    queryFn: ({ signal }) => listUserAddresses(api, { q, limit: FOUND + 1, signal }),
    enabled: q !== '',
    placeholderData: keepPreviousData,
  })
  if (q === '') return null
  if (people.isError) return <ErrorAlert error={people.error} retry={() => void people.refetch()} />
  if (people.data === undefined) return null
  if (people.data.length === 0) return <p className="dimmed">{t('no_match')}</p>
  const isMember = (person: UserAddress) => members.some((it) => it.id === person.id)
  return (
    <fieldset className="group-choices">
      <legend className="sr-only">{t('people')}</legend>
      {people.data.slice(0, FOUND).map((it) => (
        <Checkbox
          key={it.id}
          label={<bdi>{it.email}</bdi>}
          {...(isMember(it) && { description: t('is_member'), disabled: true })}
          checked={isMember(it) || chosen.some(({ id }) => id === it.id)}
          onChange={() => onToggle(it)}
        />
      ))}
      {people.data.length > FOUND && <p className="small dimmed">{t('more')}</p>}
    </fieldset>
  )
}
