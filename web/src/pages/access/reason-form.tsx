// Asks whether a person may read a document, and shows every reason.
import { Badge, Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { explainAccess } from '../../../../src/client/operations.ts'
import type { AccessAnswer } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { PersonField } from '../../parts/person-field.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { DocumentField } from './document-field.tsx'

/** With a document it takes the focus, so that only the person is missing. */
export function ReasonForm({ document_id }: { document_id: string }) {
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
      <h2 id="access-reason">May a person read a document?</h2>
      <form ref={form} className="access-form" onSubmit={submit}>
        <PersonField value={person} onChange={setPerson} />
        <DocumentField value={document} onChange={setDocument} />
        <Button type="submit" loading={ask.isPending}>
          Ask
        </Button>
      </form>
      {ask.isError && <ErrorAlert error={ask.error} />}
      {ask.data !== undefined && <Reasons answer={ask.data} />}
    </section>
  )
}

const EFFECTS = {
  grants: { label: 'Opens it', color: 'green' },
  prevents: { label: 'Closes it', color: 'red' },
  note: { label: 'Note', color: 'gray' },
} as const

const Reasons = ({ answer }: { answer: AccessAnswer }) => (
  <div className="stack access-answer" role="status">
    <p>
      <strong>{verdictOf(answer)}</strong>{' '}
      <span className="access-word">
        <bdi>{answer.person.email}</bdi>, <bdi>“{answer.semantic_identifier}”</bdi>
      </span>
    </p>
    <ul className="access-reasons">
      {answer.reasons.map((it) => (
        <li key={`${it.kind} ${it.detail}`}>
          <Badge variant="light" tt="none" color={EFFECTS[it.effect].color}>
            {EFFECTS[it.effect].label}
          </Badge>
          <span className="access-word">{it.detail}</span>
        </li>
      ))}
    </ul>
  </div>
)

function verdictOf({ may_read, can_find }: AccessAnswer): string {
  if (!may_read) return 'No, the person may not read it.'
  return can_find ? 'Yes, the person may read it and finds it.' : 'The person may read it, but does not find it yet.'
}
