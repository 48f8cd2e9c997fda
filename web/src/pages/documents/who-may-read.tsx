import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { explainAccess } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { PersonField } from '../../parts/person-field.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { Reasons } from '../access/reason-form.tsx'
import '../access/access.css'

export function WhoMayRead({ document_id }: { document_id: string }) {
  const t = textsOf('admin.documents.readers')
  const [person, setPerson] = useState('')
  const ask = useMutation({ mutationFn: () => explainAccess(api, { person: person.trim(), document: document_id }) })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    ask.mutate()
  }
  return (
    <section className="card card-pad stack" aria-labelledby="readers">
      <h2 id="readers">{t('title')}</h2>
      <form className="document-form document-form-short" onSubmit={submit}>
        <PersonField value={person} onChange={setPerson} />
        <Button type="submit" loading={ask.isPending}>
          {t('ask')}
        </Button>
      </form>
      {ask.isError && <ErrorAlert error={ask.error} />}
      {ask.data !== undefined && <Reasons answer={ask.data} />}
    </section>
  )
}
