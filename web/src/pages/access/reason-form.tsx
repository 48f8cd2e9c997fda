// Asks whether a person may read a document, and shows every reason.
import { Badge, Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { explainAccess } from '../../../../src/client/operations.ts'
import type { AccessAnswer } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { PersonField } from '../../parts/person-field.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { DocumentField } from './document-field.tsx'

/** With a document it takes the focus, so that only the person is missing. */
export function ReasonForm({ document_id }: { document_id: string }) {
  const t = textsOf('admin.access.reasons')
  const [person, setPerson] = useState('')
  const [document, setDocument] = useState(document_id)
  const form = useRef<HTMLFormElement>(null)
  const ask = useMutation({
    mutationFn: () => explainAccess(api, { person: person.trim(), document: document.trim() }),
  })
  useEffect(() => {
    if (document_id !== '') form.current?.querySelector('input')?.focus()
  }, [document_id])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    ask.mutate()
  }
  return (
    <section className="card card-pad stack" aria-labelledby="access-reason">
      <h2 id="access-reason">{t('title')}</h2>
      <form ref={form} className="access-form" onSubmit={submit}>
        <PersonField value={person} onChange={setPerson} />
        <DocumentField value={document} onChange={setDocument} />
        <Button type="submit" loading={ask.isPending}>
          {t('ask')}
        </Button>
      </form>
      {ask.isError && <ErrorAlert error={ask.error} />}
      {ask.data !== undefined && <Reasons answer={ask.data} />}
    </section>
  )
}

const COLORS = { grants: 'green', prevents: 'red', note: 'gray' } as const

/** Whether the person may read the document, and every reason. */
export function Reasons({ answer }: { answer: AccessAnswer }) {
  const t = textsOf('admin.access.reasons')
  return (
    <div className="stack access-answer" role="status">
      <p>
        <strong>{t(`verdicts.${verdictOf(answer)}`)}</strong>{' '}
        <span className="access-word">
          {t.rich('about', {
            person: () => <bdi>{answer.person.email}</bdi>,
            title: () => <bdi>{answer.semantic_identifier}</bdi>,
          })}
        </span>
      </p>
      <ul className="access-reasons">
        {answer.reasons.map((it) => (
          <li key={`${it.kind} ${it.detail}`}>
            <Badge variant="light" tt="none" color={COLORS[it.effect]}>
              {t(`effects.${it.effect}`)}
            </Badge>
            <span className="access-word">{it.detail}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}

function verdictOf({ may_read, can_find }: AccessAnswer): 'finds' | 'reads' | 'closed' {
  if (!may_read) return 'closed'
  return can_find ? 'finds' : 'reads'
}
