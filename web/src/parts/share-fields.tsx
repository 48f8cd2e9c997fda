// The people and groups who may use something, chosen by address and by name.
import { ActionIcon, Button, TextInput } from '@mantine/core'
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, type ReactNode, useDeferredValue, useId, useState } from 'react'
import { listUserAddresses, listUserGroupNames } from '../../../src/client/operations.ts'
import type { UserAddress } from '../../../src/client/schemas.ts'
import { api } from '../api.ts'
import { textsOf } from '../text/texts.ts'
import { Icon } from './icon.tsx'
import { ErrorAlert } from './states.tsx'
import './share-fields.css'

export interface Readers {
  people: readonly UserAddress[]
  /** Their names. */
  groups: readonly string[]
}

interface Props {
  readers: Readers
  onChange: (readers: Readers) => void
}

export function ShareFields({ readers, onChange }: Props) {
  const { people, groups } = readers
  const t = textsOf('parts.share')
  return (
    <div className="stack">
      <PersonPicker
        onPick={(person) =>
          people.some((it) => it.id === person.id) || onChange({ ...readers, people: [...people, person] })
        }
      />
      <ChosenList
        label={t('people')}
        names={people.map((it) => it.email)}
        onRemove={(email) => onChange({ ...readers, people: people.filter((it) => it.email !== email) })}
      />
      <GroupPicker onPick={(name) => groups.includes(name) || onChange({ ...readers, groups: [...groups, name] })} />
      <ChosenList
        label={textsOf('parts')('groups')}
        names={groups}
        onRemove={(name) => onChange({ ...readers, groups: groups.filter((it) => it !== name) })}
      />
    </div>
  )
}

const SUGGESTED = 20

function PersonPicker({ onPick }: { onPick: (person: UserAddress) => void }) {
  const t = textsOf('parts.share')
  const [text, setText] = useState('')
  const q = useDeferredValue(text.trim())
  const found = useQuery({
    queryKey: ['people', 'addresses', q],
    queryFn: ({ signal }) => listUserAddresses(api, { q, limit: SUGGESTED, signal }),
    enabled: q !== '',
    placeholderData: keepPreviousData,
  })
  const pick = useMutation({
    mutationFn: () => findPerson(text.trim()),
    onSuccess: (person) => {
      if (person === undefined) return
      onPick(person)
      setText('')
    },
  })
  const change = (value: string) => {
    pick.reset()
    setText(value)
  }
  const error = pick.isSuccess && pick.data === undefined ? t('unknown_person') : undefined
  return (
    <>
      <Picker
        label={t('add_person')}
        text={text}
        onText={change}
        error={error}
        isPending={pick.isPending}
        onPick={() => pick.mutate()}
        names={found.data?.map((it) => it.email) ?? []}
      />
      {pick.isError && <ErrorAlert error={pick.error} />}
    </>
  )
}

async function findPerson(email: string): Promise<UserAddress | undefined> {
  const found = await listUserAddresses(api, { q: email })
  return found.find((it) => it.email.toLowerCase() === email.toLowerCase())
}

function GroupPicker({ onPick }: { onPick: (name: string) => void }) {
  const t = textsOf('parts.share')
  const [text, setText] = useState('')
  const [isUnknown, setUnknown] = useState(false)
  const groups = useQuery({
    queryKey: ['user-groups', 'names'],
    queryFn: ({ signal }) => listUserGroupNames(api, { signal }),
  })
  const pick = () => {
    const isKnown = groups.data?.some((it) => it.name === text.trim()) === true
    setUnknown(!isKnown)
    if (!isKnown) return
    onPick(text.trim())
    setText('')
  }
  const change = (value: string) => {
    setUnknown(false)
    setText(value)
  }
  if (groups.isError) return <ErrorAlert error={groups.error} retry={() => void groups.refetch()} />
  return (
    <Picker
      label={t('add_group')}
      text={text}
      onText={change}
      error={isUnknown ? t('unknown_group') : undefined}
      isPending={groups.isPending}
      onPick={pick}
      names={groups.data?.map((it) => it.name) ?? []}
    />
  )
}

interface PickerProps {
  label: string
  text: string
  onText: (text: string) => void
  error: string | undefined
  isPending: boolean
  onPick: () => void
  /** The suggestions. */
  names: readonly string[]
}

function Picker({ label, text, onText, error, isPending, onPick, names }: PickerProps): ReactNode {
  const id = useId()
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
    event.preventDefault()
    if (text.trim() !== '') onPick()
  }
  return (
    <div className="share-picker">
      <TextInput
        label={label}
        list={id}
        value={text}
        onChange={(event) => onText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        error={error}
        maxLength={500}
        autoComplete="off"
        dir="auto"
      />
      <datalist id={id}>
        {names.map((it) => (
          <option key={it} value={it} />
        ))}
      </datalist>
      <Button
        variant="default"
        aria-label={label}
        disabled={text.trim() === ''}
        loading={isPending && text.trim() !== ''}
        onClick={onPick}
      >
        {textsOf('parts.share')('add')}
      </Button>
    </div>
  )
}

interface ChosenProps {
  label: string
  names: readonly string[]
  onRemove: (name: string) => void
}

function ChosenList({ label, names, onRemove }: ChosenProps) {
  if (names.length === 0) return null
  return (
    <ul className="share-chosen" aria-label={label}>
      {names.map((it) => (
        <li key={it}>
          <bdi>{it}</bdi>
          <ActionIcon
            size="sm"
            variant="subtle"
            color="gray"
            aria-label={textsOf('parts.share')('remove', { name: it })}
            onClick={() => onRemove(it)}
          >
            <Icon name="close" size={14} />
          </ActionIcon>
        </li>
      ))}
    </ul>
  )
}
