// The e-mail address of a person, with suggestions while it is typed.
import { TextInput } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useDeferredValue, useId } from 'react'
import { listUsers } from '../../../src/client/operations.ts'
import { api } from '../api.ts'
import { textsOf } from '../text/texts.ts'

interface Props {
  value: string
  onChange: (value: string) => void
  error?: string | undefined
  /** Whether the field may stay empty, as in a filter. */
  isOptional?: boolean
}

const MIN_TYPED = 2

export function PersonField({ value, onChange, error, isOptional = false }: Props) {
  const id = useId()
  const typed = useDeferredValue(value.trim())
  const people = useQuery({
    queryKey: ['people', 'suggested', typed],
    queryFn: ({ signal }) => listUsers(api, { q: typed, signal }),
    enabled: typed.length >= MIN_TYPED,
    placeholderData: keepPreviousData,
  })
  return (
    <>
      <TextInput
        label={textsOf('parts')('email_address')}
        type="email"
        list={id}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        error={error}
        maxLength={320}
        autoComplete="off"
        required={!isOptional}
        withAsterisk={false}
      />
      <datalist id={id}>
        {people.data?.items.map((it) => (
          <option key={it.id} value={it.email} />
        ))}
      </datalist>
    </>
  )
}
