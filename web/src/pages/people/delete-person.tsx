import { Button, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { deleteUser } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'

/** The button works once the address is typed, because a deletion cannot be undone. */
export function DeletePerson({ email, onDeleted }: { email: string; onDeleted: () => void }) {
  const t = textsOf('admin.people.delete')
  const [typed, setTyped] = useState('')
  const queryClient = useQueryClient()
  const remove = useMutation({
    mutationFn: () => deleteUser(api, { body: { user_email: email } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['people'] })
      onDeleted()
    },
  })
  const isConfirmed = typed.trim() === email
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isConfirmed) remove.mutate()
  }
  return (
    <form className="stack people-part" onSubmit={submit}>
      <TextInput
        label={t('label')}
        description={t('help')}
        autoComplete="off"
        maxLength={500}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      {remove.isError && <ErrorAlert error={remove.error} />}
      <div>
        <Button
          type="submit"
          size="xs"
          variant="outline"
          color="red"
          disabled={!isConfirmed}
          loading={remove.isPending}
        >
          {t('button')}
        </Button>
      </div>
    </form>
  )
}
