import { Button, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { getPersonalization, updatePersonalization } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'

const nameQuery = {
  queryKey: ['own-name'],
  queryFn: ({ signal }: { signal: AbortSignal }) => getPersonalization(api, { signal }),
}

export function OwnName() {
  const stored = useQuery(nameQuery)
  return (
    <section className="card" aria-labelledby="own-name">
      <div className="section-head">
        <h2 id="own-name">{textsOf('parts')('name')}</h2>
      </div>
      {stored.isPending && <LoadingSkeleton lines={1} />}
      {stored.isError && <ErrorAlert error={stored.error} />}
      {stored.data !== undefined && <NameForm stored={stored.data.name ?? ''} />}
    </section>
  )
}

function NameForm({ stored }: { stored: string }) {
  const t = textsOf('account.name')
  const [name, setName] = useState(stored)
  const queryClient = useQueryClient()
  const wanted = name.trim()
  const change = useMutation({
    mutationFn: () => updatePersonalization(api, { body: { name: wanted === '' ? null : wanted } }),
    onSuccess: (answer) => queryClient.setQueryData(nameQuery.queryKey, answer),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (wanted !== stored) change.mutate()
  }
  return (
    <form className="stack account-body" onSubmit={submit}>
      <TextInput
        label={t('label')}
        autoComplete="name"
        maxLength={200}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      {change.isError && <ErrorAlert error={change.error} />}
      {change.isSuccess && wanted === stored && <p role="status">{t('saved')}</p>}
      <div>
        <Button type="submit" loading={change.isPending} disabled={wanted === stored}>
          {t('save')}
        </Button>
      </div>
    </form>
  )
}
