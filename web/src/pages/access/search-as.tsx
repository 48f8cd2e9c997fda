// A search that an administrator runs as another person. A banner marks its results.
import { Alert, Button, Checkbox, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { getSettings, searchAs, updateSettings } from '../../../../src/client/operations.ts'
import type { SearchAsResponse } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Icon } from '../../parts/icon.tsx'
import { PersonField } from '../../parts/person-field.tsx'
import { safeHref } from '../../parts/safe-link.ts'
import { ErrorAlert } from '../../parts/states.tsx'
import { HighlightedText, sourceLabel } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'

const RESULTS = 20
const MAX_QUERY = 2_048

export function SearchAs() {
  const t = textsOf('admin.access.search_as')
  const settings = useQuery({ queryKey: ['settings'], queryFn: ({ signal }) => getSettings(api, { signal }) })
  return (
    <section className="card card-pad stack" aria-labelledby="search-as">
      <h2 id="search-as">{t('title')}</h2>
      <p className="dimmed">{t('intro')}</p>
      {settings.isError && <ErrorAlert error={settings.error} retry={() => void settings.refetch()} />}
      {settings.data !== undefined && (
        <>
          <Permission isOn={settings.data.view_as_enabled} />
          {settings.data.view_as_enabled && <SearchForm />}
        </>
      )}
    </section>
  )
}

function Permission({ isOn }: { isOn: boolean }) {
  const t = textsOf('admin.access.search_as')
  const queryClient = useQueryClient()
  const change = useMutation({
    mutationFn: (view_as_enabled: boolean) => updateSettings(api, { body: { view_as_enabled } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['settings'] }),
  })
  return (
    <>
      <Checkbox
        label={t('allow')}
        description={t('allow_help')}
        checked={isOn}
        disabled={change.isPending}
        onChange={(event) => change.mutate(event.currentTarget.checked)}
      />
      {change.isError && <ErrorAlert error={change.error} />}
    </>
  )
}

function SearchForm() {
  const t = textsOf('admin.access.search_as')
  const [person, setPerson] = useState('')
  const [query, setQuery] = useState('')
  const search = useMutation({
    mutationFn: () => searchAs(api, { body: { person: person.trim(), query, num_hits: RESULTS } }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    search.mutate()
  }
  return (
    <>
      <form className="access-form" onSubmit={submit}>
        <PersonField value={person} onChange={setPerson} />
        <TextInput
          label={t('query')}
          value={query}
          onChange={(event) => setQuery(event.currentTarget.value)}
          maxLength={MAX_QUERY}
          autoComplete="off"
          required
          withAsterisk={false}
        />
        <Button type="submit" loading={search.isPending}>
          {t('search')}
        </Button>
      </form>
      {search.isError && <ErrorAlert error={search.error} />}
      {search.data !== undefined && <ViewedResults answer={search.data} onEnd={search.reset} />}
    </>
  )
}

function ViewedResults({ answer, onEnd }: { answer: SearchAsResponse; onEnd: () => void }) {
  const t = textsOf('admin.access.search_as')
  const { email } = answer.person
  return (
    <div className="access-viewed">
      <Alert color="yellow" variant="light" role="status" icon={<Icon name="alert" />} title={t('banner')}>
        <p className="access-word">
          {t.rich('banner_help', { person: () => <bdi>{email}</bdi> })} {countText(answer)}
        </p>
        <Button mt="xs" size="xs" variant="default" onClick={onEnd}>
          {t('hide')}
        </Button>
      </Alert>
      <ol className="access-results" aria-label={t('results_of', { person: email })}>
        {answer.results.map((it) => (
          <ViewedResult key={it.document_id} result={it} />
        ))}
      </ol>
    </div>
  )
}

function countText({ total, total_relation, results }: SearchAsResponse): string {
  const t = textsOf('admin.access.search_as')
  if (total === 0) return t('none')
  const isAtLeast = String(total_relation === 'gte')
  const shown = results.length
  return shown < total ? t('found_part', { isAtLeast, total, shown }) : t('found', { isAtLeast, total })
}

function ViewedResult({ result }: { result: SearchAsResponse['results'][number] }) {
  const href = safeHref(result.link)
  const title = <bdi>{result.title}</bdi>
  return (
    <li>
      <h3 dir="auto">
        {href === undefined ? (
          title
        ) : (
          <a href={href} target="_blank" rel="noopener noreferrer">
            {title}
          </a>
        )}
      </h3>
      <p className="small dimmed access-word">
        {sourceLabel(result.source_type)} · <bdi>{result.document_id}</bdi>
      </p>
      <p className="access-word" dir="auto">
        <HighlightedText text={result.blurb} spans={result.highlights} />
      </p>
    </li>
  )
}
