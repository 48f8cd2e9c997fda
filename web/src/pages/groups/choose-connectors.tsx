import { Button, Checkbox, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { listCcPairs, updateUserGroup } from '../../../../src/client/operations.ts'
import type { UserGroup } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { pairLabel, sourceLabel } from '../../parts/text.tsx'
import { useReloadGroups } from './groups-query.ts'

interface Choice {
  id: number
  label: string
  description: string
}

/** Offers the private connectors that the person manages. Other connectors that name the group go on naming it. */
export function ChooseConnectors({ group, onClose }: { group: UserGroup; onClose: () => void }) {
  const [chosen, setChosen] = useState<readonly number[]>(() => group.cc_pairs.map((it) => it.id))
  const reload = useReloadGroups()
  const pairs = useQuery({
    queryKey: ['groups', 'pairs'],
    queryFn: ({ signal }) => listCcPairs(api, { signal }),
  })
  const save = useMutation({
    mutationFn: () => updateUserGroup(api, { user_group_id: group.id, body: { cc_pair_ids: [...chosen] } }),
    onSuccess: async () => {
      await reload()
      onClose()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  const choices = pairs.data
    ?.filter((it) => it.access_type === 'private')
    .map((it): Choice => {
      const others = it.groups.map(String).filter((name) => name !== group.name)
      return {
        id: it.cc_pair_id,
        label: pairLabel({ id: it.cc_pair_id, name: it.name }),
        description: [
          sourceLabel(it.connector.source),
          ...(others.length > 0 ? [`also open to ${others.join(', ')}`] : []),
        ].join(' · '),
      }
    })
  const toggle = (id: number) =>
    setChosen((before) => (before.includes(id) ? before.filter((it) => it !== id) : [...before, id]))
  return (
    <Dialog title="Connectors of the group" onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <p className="dimmed">
          Members read all documents of the connectors that you choose. A public connector is not listed: everybody
          reads it.
        </p>
        {pairs.isError && <ErrorAlert error={pairs.error} retry={() => void pairs.refetch()} />}
        {pairs.isPending && <LoadingSkeleton />}
        {choices !== undefined && <Choices choices={choices} chosen={chosen} onToggle={toggle} />}
        {save.isError && <ErrorAlert error={save.error} />}
        <div className="dialog-buttons">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={save.isPending}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

/** From this number on, a field filters the list. */
const MANY = 8

interface ChoicesProps {
  choices: readonly Choice[]
  chosen: readonly number[]
  onToggle: (id: number) => void
}

function Choices({ choices, chosen, onToggle }: ChoicesProps) {
  const [text, setText] = useState('')
  if (choices.length === 0) return <p>There is no private connector that you manage.</p>
  const part = text.trim().toLowerCase()
  const shown = choices.filter((it) => it.label.toLowerCase().includes(part))
  return (
    <>
      {choices.length > MANY && (
        <TextInput
          aria-label="Filter connectors"
          placeholder="Name"
          maxLength={500}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      )}
      <fieldset className="group-choices">
        <legend className="sr-only">Connectors</legend>
        {shown.map((it) => (
          <Checkbox
            key={it.id}
            label={<bdi>{it.label}</bdi>}
            description={it.description}
            checked={chosen.includes(it.id)}
            onChange={() => onToggle(it.id)}
          />
        ))}
        {shown.length === 0 && <p className="dimmed">No connector has such a name.</p>}
      </fieldset>
    </>
  )
}
