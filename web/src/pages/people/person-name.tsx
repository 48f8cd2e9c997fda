import { Button, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { updateUser } from '../../../../src/client/operations.ts'
import type { FullUserSnapshot } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'

const MAX_NAME = 200

/** The name is changed in place; an empty one is removed. */
export function PersonName({ person: { id: user_id, personal_name } }: { person: FullUserSnapshot }) {
  const t = textsOf('admin.people.details')
  const stored = personal_name ?? ''
  const [name, setName] = useState(stored)
  const wanted = name.trim()
  const queryClient = useQueryClient()
  const save = useMutation({
    mutationFn: () => updateUser(api, { user_id, body: { personal_name: wanted === '' ? null : wanted } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['people'] }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (wanted !== stored) save.mutate()
  }
  return (
    <form className="people-name" onSubmit={submit}>
      <div className="row people-picker">
        <TextInput
          label={textsOf('parts')('name')}
          dir="auto"
          autoComplete="off"
          maxLength={MAX_NAME}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Button type="submit" variant="default" loading={save.isPending} disabled={wanted === stored}>
          {t('save_name')}
        </Button>
      </div>
      {save.isError && <ErrorAlert error={save.error} />}
      {save.isSuccess && wanted === stored && (
        <p role="status" className="small">
          {t('name_saved')}
        </p>
      )}
    </form>
  )
}
