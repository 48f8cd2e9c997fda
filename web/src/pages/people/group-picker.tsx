// The choice of one group by name. It suggests those that exist.
import { Button, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { listUserGroupNames } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { textsOf } from '../../text/texts.ts'

interface GroupPickerProps {
  label: string
  description?: string
  isPending?: boolean
  onPick: (group: { id: number | null; name: string }) => void
}

/** `id` is null for a name that no group has. */
export function GroupPicker({ label, description, isPending = false, onPick }: GroupPickerProps) {
  const [text, setText] = useState('')
  const id = useId()
  const groups = useQuery({
    queryKey: ['user-groups', 'names'],
    queryFn: ({ signal }) => listUserGroupNames(api, { signal }),
  })
  const name = text.trim()
  const pick = () => {
    if (name === '' || groups.data === undefined) return
    onPick({ id: groups.data.find((it) => it.name === name)?.id ?? null, name })
    setText('')
  }
  return (
    <div className="row people-picker">
      <TextInput
        label={label}
        description={description}
        list={id}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          event.preventDefault()
          pick()
        }}
        maxLength={500}
        autoComplete="off"
      />
      <datalist id={id}>
        {groups.data?.map((it) => (
          <option key={it.id} value={it.name} />
        ))}
      </datalist>
      <Button variant="default" disabled={name === ''} loading={isPending} onClick={pick}>
        {textsOf('admin.people.group_picker')('add')}
      </Button>
    </div>
  )
}
