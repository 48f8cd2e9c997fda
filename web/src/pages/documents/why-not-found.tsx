// Follows the document through a search, to the step that loses it.
import { Badge, Button, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { explainMissingDocument, getSettings } from '../../../../src/client/operations.ts'
import type { WhyNotFound as Answer } from '../../../../src/client/schemas.ts'
import { AdminLink } from '../../admin/admin-link.tsx'
import { api } from '../../api.ts'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'

/** The longest texts that the API takes. */
const MAX_QUERY = 2_048
const MAX_PERSON = 500

export function WhyNotFound({ document_id }: { document_id: string }) {
  const t = textsOf('admin.documents.why')
  const settings = useQuery({ queryKey: ['settings'], queryFn: ({ signal }) => getSettings(api, { signal }) })
  const mayLookAtOthers = settings.data?.view_as_enabled === true
  const [query, setQuery] = useState('')
  const [person, setPerson] = useState('')
  const explain = useMutation({
    mutationFn: () =>
      explainMissingDocument(api, {
        document_id,
        query: query.trim(),
        as_user: mayLookAtOthers && person.trim() !== '' ? person.trim() : null,
      }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (query.trim() !== '') explain.mutate()
  }
  return (
    <section className="card card-pad stack" aria-labelledby="why">
      <h2 id="why">{t('title')}</h2>
      <p className="dimmed">{t('help')}</p>
      <form className={mayLookAtOthers ? 'document-form' : 'document-form document-form-short'} onSubmit={submit}>
        <TextInput
          label={t('query')}
          value={query}
          onChange={(event) => setQuery(event.currentTarget.value)}
          maxLength={MAX_QUERY}
          autoComplete="off"
          required
          withAsterisk={false}
        />
        {mayLookAtOthers && (
          <TextInput
            label={t('person')}
            description={t('person_help')}
            type="email"
            value={person}
            onChange={(event) => setPerson(event.currentTarget.value)}
            maxLength={MAX_PERSON}
            autoComplete="off"
          />
        )}
        <Button type="submit" loading={explain.isPending}>
          {t('ask')}
        </Button>
      </form>
      {settings.isSuccess && (
        <p className="dimmed small">
          {mayLookAtOthers
            ? t('audited')
            : t.rich('only_you', { link: (text) => <AdminLink page="access">{text}</AdminLink> })}
        </p>
      )}
      {explain.isError && <ErrorAlert error={explain.error} />}
      {explain.data !== undefined && <Steps answer={explain.data} />}
    </section>
  )
}

const COLORS = { ok: 'green', note: 'gray', lost: 'red' } as const

function Steps({ answer }: { answer: Answer }) {
  const t = textsOf('admin.documents.why')
  return (
    <div className="stack" role="status">
      <p>
        <strong>{verdictOf(answer)}</strong>
      </p>
      <ol className="document-steps">
        {answer.steps.map(({ step, status, detail }) => (
          <li key={step}>
            <Badge variant="light" tt="none" color={COLORS[status]}>
              {t(`statuses.${status}`)}
            </Badge>
            <p>
              <strong>{t(`steps.${step}`)}</strong> <span className="dimmed">{detail}</span>
            </p>
          </li>
        ))}
      </ol>
    </div>
  )
}

function verdictOf({ lost_at, place }: Answer): string {
  const t = textsOf('admin.documents.why')
  if (lost_at !== null) return t('lost', { step: t(`steps.${lost_at}`) })
  return place === null ? t('not_lost') : t('found', { place })
}
