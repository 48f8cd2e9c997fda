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
import { formatCount, HighlightedText, sourceLabel } from '../../parts/text.tsx'

const RESULTS = 20
const MAX_QUERY = 2_048

export function SearchAs() {
  const settings = useQuery({ queryKey: ['settings'], queryFn: ({ signal }) => getSettings(api, { signal }) })
  return (
    <section className="card card-pad stack" aria-labelledby="search-as">
      <h2 id="search-as">Search as a person</h2>
      <p className="dimmed">
        See what a person finds. Each search is in the audit log with your name and the person, without the query.
      </p>
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
  const queryClient = useQueryClient()
  const change = useMutation({
    mutationFn: (view_as_enabled: boolean) => updateSettings(api, { body: { view_as_enabled } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['settings'] }),
  })
  return (
    <>
      <Checkbox
        label="Administrators may search as another person"
        description="Everybody can read in the settings whether this is on. Switch it off when you have seen what you need."
        checked={isOn}
        disabled={change.isPending}
        onChange={(event) => change.mutate(event.currentTarget.checked)}
      />
      {change.isError && <ErrorAlert error={change.error} />}
    </>
  )
}

function SearchForm() {
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
          label="Query"
          value={query}
          onChange={(event) => setQuery(event.currentTarget.value)}
          maxLength={MAX_QUERY}
          autoComplete="off"
          required
          withAsterisk={false}
        />
        <Button type="submit" loading={search.isPending}>
          Search
        </Button>
      </form>
      {search.isError && <ErrorAlert error={search.error} />}
      {search.data !== undefined && <ViewedResults answer={search.data} onEnd={search.reset} />}
    </>
  )
}

const ViewedResults = ({ answer, onEnd }: { answer: SearchAsResponse; onEnd: () => void }) => (
  <div className="access-viewed">
    <Alert
      color="yellow"
      variant="light"
      role="status"
      icon={<Icon name="alert" />}
      title="You see what another person finds"
    >
      <p className="access-word">
        These are the results of <bdi>{answer.person.email}</bdi>, not yours. {countText(answer)}
      </p>
      <Button mt="xs" size="xs" variant="default" onClick={onEnd}>
        Hide the results
      </Button>
    </Alert>
    <ol className="access-results" aria-label={`Results of ${answer.person.email}`}>
      {answer.results.map((it) => (
        <ViewedResult key={it.document_id} result={it} />
      ))}
    </ol>
  </div>
)

function countText({ total, total_relation, results }: SearchAsResponse): string {
  if (total === 0) return 'The person finds nothing.'
  const found = `${total_relation === 'gte' ? 'At least ' : ''}${formatCount(total)} ${total === 1 ? 'document' : 'documents'}`
  return results.length < total ? `${found}, of which you see ${results.length}.` : `${found}.`
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
